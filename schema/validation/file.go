package validation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// FormatVersion is the version of the file that this package reads and writes.
const FormatVersion = 1

// A File is the content of resourcery.validation.json.
type File struct {
	Version int              `json:"version"`
	Models  map[string]Model `json:"models"` // by type
}

// A Model has the JSON Schemas of one type's resource objects: of the `data`
// member of a request. An operation that has none is not checked. A schema may
// refer into itself and to the others of the file, by references relative to
// /TYPE/OPERATION ("update", "../user/create", the type in lower case);
// nothing is ever fetched.
type Model struct {
	Create json.RawMessage `json:"create,omitempty"`
	Update json.RawMessage `json:"update,omitempty"`
}

// Load reads a file and compiles its schemas.
func Load(path string) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("load validation: %w", err)
	}
	defer f.Close()
	file, err := Decode(f)
	if err != nil {
		return nil, fmt.Errorf("load validation %s: %w", path, err)
	}
	set, err := Compile(file)
	if err != nil {
		return nil, fmt.Errorf("load validation %s: %w", path, err)
	}
	return set, nil
}

// Decode reads a file as WriteTo writes it. Members beside the schemas that it
// does not know and files of another version are refused.
func Decode(r io.Reader) (*File, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read schemas: %w", err)
	}
	// The version goes first: a later format is told so, not that it has unknown members.
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("decode schemas: %w", err)
	}
	if version.Version != FormatVersion {
		return nil, fmt.Errorf("decode schemas: version %d of the file is not known, only %d is", version.Version, FormatVersion)
	}
	var f File
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("decode schemas: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("decode schemas: the file goes on after its end")
	}
	return &f, nil
}

// WriteTo writes the file as indented JSON; equal files give equal bytes.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(f); err != nil {
		return 0, fmt.Errorf("encode schemas: %w", err)
	}
	n, err := w.Write(b.Bytes())
	if err != nil {
		return int64(n), fmt.Errorf("write schemas: %w", err)
	}
	return int64(n), nil
}
