package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// Every sentence that this stage says to clients stands in this file.

func unsupportedModel(typ string, v *schema.View) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.UnsupportedModel, jsonapi.Source{},
		"The model %q does not exist.%s", typ, near(typ, types(v)))
}

func unreadable(m *schema.Model) *jsonapi.Error {
	e := jsonapi.Errorf(jsonapi.Forbidden, jsonapi.Source{}, "You may not read resources of type %q.", m.Type)
	e.ORMCode = insufficientPrivilege
	return e
}

// insufficientPrivilege is the SQLSTATE with which Postgres would have refused.
const insufficientPrivilege = "42501"

func unsupportedRelationship(name string, mv *schema.ModelView) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.UnsupportedRelationship, jsonapi.Source{},
		"The type %q has no relationship %q.%s", mv.Model.Type, name, near(name, relationships(mv)))
}

func invalidID(m *schema.Model, id string, why error) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidID, jsonapi.Source{}, "The id %q of type %q is not %s.", id, m.Type, why)
}

func meaningless(parameter string) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidParameter, jsonapi.Parameter(parameter),
		"%s means nothing here, as the answer is one resource at most; leave it out.", parameter)
}

func (k sorting) errorf(format string, args ...any) *jsonapi.Error {
	text := fmt.Sprintf("In %q, ", k.text())
	return jsonapi.Errorf(jsonapi.InvalidSort, jsonapi.Parameter(k.parameter), text+format, args...)
}

// text is the key as the client wrote it.
func (k sorting) text() string {
	text := strings.Join(k.Path, ".")
	for _, op := range k.Operators {
		text += "$" + op
	}
	if k.Desc {
		return "-" + text
	}
	return text
}

func tooManySortKeys(parameter string, n, limit int) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidSort, jsonapi.Parameter(parameter),
		"There are %d sort keys; %d are allowed at most.", n, limit)
}

func unsupportedSortOperator(key sorting) *jsonapi.Error {
	return key.errorf("only $count can follow a name, that of a to-many relationship.")
}

func countOfToOne(key sorting, rel *schema.Relationship) *jsonapi.Error {
	return key.errorf("%q is a to-one relationship; only to-many ones are counted.", rel.Name)
}

func unknownSortStep(key sorting, name string, mv *schema.ModelView) *jsonapi.Error {
	return key.errorf("the type %q has no relationship %q.%s", mv.Model.Type, name, near(name, relationships(mv)))
}

func sortOverToMany(key sorting, rel *schema.Relationship) *jsonapi.Error {
	return key.errorf("%q is a to-many relationship, which gives an order only by its size: %s$count.", rel.Name, rel.Name)
}

func unknownSortKey(key sorting, name string, mv *schema.ModelView) *jsonapi.Error {
	return key.errorf("the type %q has no field %q.%s", mv.Model.Type, name, near(name, names(mv)))
}

func unordered(key sorting, f *schema.Field) *jsonapi.Error {
	return key.errorf("the field %q is of kind %s, which has no order.", f.Name, kindName(f.Type))
}

func tooManyIncludes(n, limit int) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidInclude, jsonapi.Parameter("include"),
		"There are %d include paths; %d are allowed at most.", n, limit)
}

func includeTooDeep(path []string, limit int) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidInclude, jsonapi.Parameter("include"),
		"The path %q has %d steps; %d are allowed at most.", strings.Join(path, "."), len(path), limit)
}

func includeElsewhere(rel *schema.Relationship, path []string) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidInclude, jsonapi.Parameter("include"),
		"The path %q must begin with %q: on a relationship, paths start at its parent, and nothing else of the parent is in the document.",
		strings.Join(path, "."), rel.Name)
}

func unknownInclude(path []string, name string, mv *schema.ModelView) *jsonapi.Error {
	in := ""
	if len(path) > 1 {
		in = fmt.Sprintf("In %q, t", strings.Join(path, "."))
	} else {
		in = "T"
	}
	return jsonapi.Errorf(jsonapi.InvalidInclude, jsonapi.Parameter("include"),
		"%she type %q has no relationship %q.%s", in, mv.Model.Type, name, near(name, relationships(mv)))
}

func unknownFieldsType(fs *parse.Fieldset, v *schema.View) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidFields, jsonapi.Parameter(fs.Parameter),
		"The type %q does not exist.%s", fs.Type, near(fs.Type, types(v)))
}

func fieldsTwice(fs *parse.Fieldset, m *schema.Model) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidFields, jsonapi.Parameter(fs.Parameter),
		"The fields of type %q are given twice; join the names with commas.", m.Type)
}

func unknownField(fs *parse.Fieldset, name string, mv *schema.ModelView) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidFields, jsonapi.Parameter(fs.Parameter),
		"The type %q has no field or relationship %q.%s", mv.Model.Type, name, near(name, fieldNames(mv)))
}

// near suggests the candidate that the client may have meant.
func near(name string, candidates []string) string {
	if c, ok := jsonapi.Nearest(name, candidates); ok {
		return fmt.Sprintf(" Did you mean %q?", c)
	}
	return ""
}

func types(v *schema.View) []string {
	var out []string
	for _, m := range v.Schema().Models() {
		if v.Of(m).Readable {
			out = append(out, m.Type)
		}
	}
	return out
}

func relationships(mv *schema.ModelView) []string {
	out := make([]string, len(mv.Relationships))
	for i, r := range mv.Relationships {
		out[i] = r.Name
	}
	return out
}

func fieldNames(mv *schema.ModelView) []string {
	out := relationships(mv)
	for _, f := range mv.Attributes {
		out = append(out, f.Name)
	}
	slices.Sort(out)
	return out
}

// names are those that filters and sort keys may use.
func names(mv *schema.ModelView) []string { return append(fieldNames(mv), idName) }
