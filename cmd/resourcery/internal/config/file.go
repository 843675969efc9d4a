package config

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/resourcery/resourcery/jsonapi"
)

// DefaultFile is read from the working directory where no file is named.
const DefaultFile = "resourcery.yaml"

// The members of the file that are no flags.
const (
	modelsKey  = "models"
	sessionKey = "session"
)

// A File is a configuration file whose keys are all known. The zero File says
// nothing.
type File struct {
	// Session maps session variables to the paths of claims, nil: none.
	Session map[string]string

	path   string
	values map[string]value // by flag
	models ast.Node
}

// A value is what the file says of one flag.
type value struct {
	at    string   // file:line:column
	items []string // one for a scalar, each element of a list, `name=value` for each entry of a mapping
}

// Read reads a file whose keys may be `models`, `session` and flags. An empty
// path means DefaultFile if it exists, else an empty File.
func Read(path string, flags []string) (*File, error) {
	optional := path == ""
	if optional {
		path = DefaultFile
	}
	text, err := os.ReadFile(path)
	if optional && errors.Is(err, os.ErrNotExist) {
		return &File{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return parse(path, text, flags)
}

func parse(path string, text []byte, flags []string) (*File, error) {
	f := &File{path: path, values: map[string]value{}}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, f.yamlError(err)
	}
	var problems []error
	for i, doc := range tree.Docs {
		if i > 0 {
			return nil, fmt.Errorf("%s: more than one YAML document; keep the first and remove the `---` after it", f.at(doc.Start))
		}
		entries, err := f.entries(doc.Body)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			problems = append(problems, f.take(e, flags))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return f, nil
}

// take stores one top-level entry.
func (f *File) take(e entry, flags []string) error {
	switch {
	case e.key == modelsKey:
		f.models = e.node
	case e.key == sessionKey:
		session, err := f.mapping(e)
		if err != nil {
			return err
		}
		f.Session = session
	default:
		known := false
		for _, name := range flags {
			known = known || name == e.key
		}
		if !known {
			near, ok := jsonapi.Nearest(e.key, append([]string{modelsKey, sessionKey}, flags...))
			return fmt.Errorf("%s: unknown key %s%s", e.at, e.key, didYouMean(near, ok))
		}
		items, err := f.items(e)
		if err != nil {
			return err
		}
		f.values[e.key] = value{at: e.at, items: items}
	}
	return nil
}

func didYouMean(near string, ok bool) string {
	if !ok {
		return ""
	}
	return "; did you mean " + near + "?"
}

// DecodeModels stores the `models` member in into, strictly; where the file
// has none, into is left as it is.
func (f *File) DecodeModels(into any) error {
	if f.models == nil {
		return nil
	}
	if err := yaml.NodeToValue(f.models, into, yaml.Strict()); err != nil {
		return f.yamlError(err)
	}
	return nil
}

// yamlError states an error of the YAML library with its position and without
// the excerpt that the library adds, which may show a secret.
func (f *File) yamlError(err error) error {
	if positioned, ok := errors.AsType[yaml.Error](err); ok {
		message, _, _ := strings.Cut(positioned.GetMessage(), "\n")
		return fmt.Errorf("%s: %s", f.at(positioned.GetToken()), message)
	}
	return fmt.Errorf("%s: %w", f.path, err)
}

func (f *File) at(t *token.Token) string {
	if t == nil || t.Position == nil {
		return f.path
	}
	return fmt.Sprintf("%s:%d:%d", f.path, t.Position.Line, t.Position.Column)
}
