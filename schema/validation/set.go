package validation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// An Operation is what a request does with a resource.
type Operation uint8

const (
	Create Operation = iota + 1
	Update
)

var operationNames = [...]string{Create: "create", Update: "update"}

// String returns the operation as the file spells it.
func (o Operation) String() string { return operationNames[o] }

// A Set is compiled schemas. It is immutable.
type Set struct {
	types    []string // as the file spells them, in order
	compiled map[subject]*jsonschema.Schema
}

type subject struct {
	typ string // lower-cased
	op  Operation
}

// Compile compiles the schemas of a file. Without `$schema` they are of draft
// 2020-12; `format` is asserted. A schema that is none, or that refers out of
// the file, is an error, and all errors are reported at once.
func Compile(f *File) (*Set, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(nothing{})
	s := &Set{types: slices.Sorted(maps.Keys(f.Models)), compiled: map[subject]*jsonschema.Schema{}}
	var subjects []subject
	var errs []error
	for _, typ := range s.types {
		for _, part := range []struct {
			op   Operation
			text json.RawMessage
		}{{Create, f.Models[typ].Create}, {Update, f.Models[typ].Update}} {
			at := subject{strings.ToLower(typ), part.op}
			if len(part.text) == 0 {
				continue
			}
			if slices.Contains(subjects, at) {
				errs = append(errs, fmt.Errorf("models: %s: types match without case, and another one of the file is the same", typ))
				continue
			}
			document, err := jsonschema.UnmarshalJSON(bytes.NewReader(part.text))
			if err == nil {
				err = c.AddResource(at.address(), document)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("models: %s: %s: %w", typ, part.op, err))
				continue
			}
			subjects = append(subjects, at)
		}
	}
	// A schema may refer to one that comes later.
	for _, at := range subjects {
		compiled, err := c.Compile(at.address())
		if err != nil {
			errs = append(errs, fmt.Errorf("models: %s: %s: %w", at.typ, at.op, err))
		}
		s.compiled[at] = compiled
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("compile schemas: %w", err)
	}
	return s, nil
}

// address is where the compiler knows the schema, and what references in it
// are relative to.
func (s subject) address() string {
	return "resourcery:///" + url.PathEscape(s.typ) + "/" + s.op.String()
}

// nothing loads no schemas: those of a set are complete.
type nothing struct{}

func (nothing) Load(string) (any, error) {
	return nil, errors.New("a schema refers to its own parts and to schemas of the file alone; write what it needs into its $defs")
}

// Covers returns an error for the models of the set that the schema has not,
// each with the nearest name. Models that the set has not are not checked.
func (s *Set) Covers(of *schema.Schema) error {
	var known []string
	for _, m := range of.Models() {
		known = append(known, m.Type)
	}
	var errs []error
	for _, typ := range s.types {
		if _, ok := of.Model(typ); ok {
			continue
		}
		hint := ""
		if near, ok := jsonapi.Nearest(typ, known); ok {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		errs = append(errs, fmt.Errorf("no model %q%s", typ, hint))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("the validation does not fit the schema:\n%w", err)
	}
	return nil
}

// Check holds the text of a resource object, the `data` of a request, against
// the schema of its model and operation. It returns every problem, up to a
// hundred, with a pointer that begins with /data, in the order of the pointers;
// nil where there is none, or no schema. Types match case-insensitively. Numbers are compared
// as they are written.
func (s *Set) Check(typ string, op Operation, data []byte) jsonapi.Errors {
	compiled := s.compiled[subject{strings.ToLower(typ), op}]
	if compiled == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var document any
	if err := d.Decode(&document); err != nil {
		return jsonapi.Errors{{Code: jsonapi.InvalidPayload, Source: jsonapi.Pointer("/data"), Detail: "The resource object is no valid JSON.", Cause: err}}
	}
	document = bounded(document)
	err := compiled.Validate(document)
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		panic(fmt.Sprintf("validation: %v", err)) // Validate returns no others
	}
	return problems(invalid)
}
