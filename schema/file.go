package schema

import (
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FormatVersion is the version of the generated file that this package reads
// and writes.
const FormatVersion = 1

// A file is the content of resourcery.schema.json.
type file struct {
	Version int `json:"version"`
	Catalog
}

// Load reads a generated file and makes its schema.
func Load(path string) (*Schema, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("load schema: %w", err)
	}
	defer f.Close()
	c, err := Decode(f)
	if err != nil {
		return nil, fmt.Errorf("load schema %s: %w", path, err)
	}
	return FromCatalog(c)
}

// Decode reads a catalogue as WriteTo writes it. Members that it does not
// know, members given twice and files of another version are refused.
func Decode(r io.Reader) (*Catalog, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read catalogue: %w", err)
	}
	// The version goes first: a later format is told so, not that it has unknown members.
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("decode catalogue: %w", err)
	}
	if version.Version != FormatVersion {
		return nil, fmt.Errorf("decode catalogue: version %d of the file is not known, only %d is; generate it anew with resourcery introspect", version.Version, FormatVersion)
	}
	var f file
	if err := json.Unmarshal(text, &f, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("decode catalogue: %w", err)
	}
	return &f.Catalog, nil
}

// WriteTo writes the catalogue as the generated file: indented JSON, everything
// in order, so that equal databases give equal bytes.
func (c *Catalog) WriteTo(w io.Writer) (int64, error) {
	text, err := json.Marshal(file{Version: FormatVersion, Catalog: *c.sorted()},
		json.Deterministic(true), jsontext.Multiline(true), jsontext.WithIndent("  "))
	if err != nil {
		return 0, fmt.Errorf("encode catalogue: %w", err)
	}
	n, err := w.Write(append(text, '\n'))
	if err != nil {
		return int64(n), fmt.Errorf("write catalogue: %w", err)
	}
	return int64(n), nil
}

// MarshalText spells the kind as String does.
func (k Kind) MarshalText() ([]byte, error) { return word(kindNames[:], int(k), "kind") }

// UnmarshalText reads what MarshalText writes.
func (k *Kind) UnmarshalText(text []byte) error {
	i, err := index(kindNames[:], string(text), "kind")
	*k = Kind(i)
	return err
}

// MarshalText spells the relation as String does.
func (r Relation) MarshalText() ([]byte, error) { return word(relationNames[:], int(r), "relation") }

// UnmarshalText reads what MarshalText writes.
func (r *Relation) UnmarshalText(text []byte) error {
	i, err := index(relationNames[:], string(text), "relation")
	*r = Relation(i)
	return err
}

func word(words []string, i int, what string) ([]byte, error) {
	if i <= 0 || i >= len(words) {
		return nil, fmt.Errorf("%d is no %s", i, what)
	}
	return []byte(words[i]), nil
}

func index(words []string, w, what string) (int, error) {
	for i, known := range words {
		if i > 0 && known == w {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%q is no %s", w, what)
}
