package plan

import (
	"fmt"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// errorf is an error about a filter. In an expression it names the character,
// counted from 1.
func (p place) errorf(code jsonapi.Code, format string, args ...any) *jsonapi.Error {
	e := jsonapi.Errorf(code, p.source(), format, args...)
	if p.offset >= 0 {
		e.Detail = fmt.Sprintf("At character %d: %s", p.offset+1, e.Detail)
	}
	return e
}

func (p place) invalid(format string, args ...any) *jsonapi.Error {
	return p.errorf(jsonapi.InvalidFilter, format, args...)
}

func tooManyConditions(at place, limit int) *jsonapi.Error {
	return at.invalid("A request may have %d filter conditions at most.", limit)
}

func filterTooDeep(at place, limit int) *jsonapi.Error {
	return at.invalid("A filter may be %d calls and relationships deep at most.", limit)
}

func tooManyValues(at place, n, limit int) *jsonapi.Error {
	return at.invalid("The list has %d values; %d are allowed at most.", n, limit)
}

func unknownOperator(at place, name string) *jsonapi.Error {
	return at.invalid("There is no operator $%s.%s", name, near(name, operatorNames()))
}

func unknownFunction(at place, name string) *jsonapi.Error {
	return at.invalid("There is no function %s.%s", name, near(name, append(operatorNames(), "and", "or", "not", "some", "none", "every", "count")))
}

func operatorInside(at place, sel parse.Selector) *jsonapi.Error {
	return at.invalid("The operator $%s cannot stand at %q here; an operator stands on the last name, and only $none, $every and $count on a relationship before it.",
		strings.Join(sel.Operators, "$"), sel.Name)
}

func operatorNotOfTerm(at place, operator string, t Term) *jsonapi.Error {
	has := "no operators"
	if names := operatorsOf(t.Type()); len(names) > 0 {
		has = "these operators: " + strings.Join(names, ", ")
	}
	return at.invalid("%s is of kind %s and has not the operator %s; it has %s.", termName(t), kindName(t.Type()), operator, has)
}

func operatorNotOfRelationship(at place, operator string, rel *schema.Relationship) *jsonapi.Error {
	has := "eq, ne, in, nin, isNull"
	if rel.Many {
		has = "eq, ne, in, nin, none, every, count"
	}
	return at.invalid("The relationship %q is filtered by ids and has not the operator %s; it has these: %s.", rel.Name, operator, has)
}

func operatorNotOfID(at place, operator string, m *schema.Model) *jsonapi.Error {
	return at.invalid("The id of type %q is compound and has not the operator %s; it has these: eq, ne, in, nin.", m.Type, operator)
}

func quantifiedToOne(at place, operator string, rel *schema.Relationship) *jsonapi.Error {
	return at.invalid("%q is a to-one relationship; %s is for to-many ones.", rel.Name, operator)
}

func notAFlag(at place, value string) *jsonapi.Error {
	return at.errorf(jsonapi.InvalidValue, "%q is not true or false.", value)
}

func notOneValue(at place, operator string, n int) *jsonapi.Error {
	return at.invalid("The operator %s takes one value, not %d.", operator, n)
}

func notTwoValues(at place, operator string, n int) *jsonapi.Error {
	return at.invalid("The operator %s takes two values, not %d.", operator, n)
}

func regexpNotAllowed(at place) *jsonapi.Error {
	return at.invalid("This server does not allow regular expressions; use contains, startsWith or endsWith.")
}

// kindName is what clients are told of a field's type. The kind text holds types
// of many names, such as point, which share nothing but how they travel.
func kindName(t *schema.Type) string {
	if t = t.Base(); t.Kind == schema.Text {
		return t.Name
	}
	return t.Kind.String()
}

// termName names a term for a sentence.
func termName(t Term) string {
	switch t := t.(type) {
	case FieldTerm:
		return fmt.Sprintf("The field %q", t.Field.Name)
	case JSONTerm:
		return fmt.Sprintf("The part of %q", t.Field.Name)
	case CountTerm:
		return fmt.Sprintf("The count of %q", t.Relationship.Name)
	default:
		panic("plan: a term of no known type")
	}
}

func unknownInFilter(at place, name string, mv *schema.ModelView) *jsonapi.Error {
	return at.invalid("The type %q has no field or relationship %q.%s", mv.Model.Type, name, near(name, names(mv)))
}

// unknownOperand is for a second operand that is no field: most often text that
// should stand in quotes.
func unknownOperand(at place, ref *parse.Ref, name string, mv *schema.ModelView) *jsonapi.Error {
	return at.invalid("The type %q has no field %q.%s Text stands in quotes: '%s'.", mv.Model.Type, name, near(name, names(mv)), ref)
}

func unknownRelationshipInFilter(at place, name string, mv *schema.ModelView) *jsonapi.Error {
	return at.invalid("The type %q has no relationship %q.%s", mv.Model.Type, name, near(name, relationships(mv)))
}

func notARelationship(at place, name string, mv *schema.ModelView) *jsonapi.Error {
	return at.invalid("%q is no relationship of the type %q, so nothing can follow it.", name, mv.Model.Type)
}

func pathOverToMany(at place, rel *schema.Relationship) *jsonapi.Error {
	return at.invalid("%q is a to-many relationship; write some(%s,...), none or every around the condition.", rel.Name, rel.Name)
}

func notACondition(at place, e parse.Expr) *jsonapi.Error {
	return at.invalid("%s is no condition; write a call such as eq(name,'value').", e)
}

func notAPath(at place, function string) *jsonapi.Error {
	return at.invalid("The first argument of %s is a path of names, or count(path).", function)
}

func notAValue(at place) *jsonapi.Error {
	return at.invalid("A path into a document cannot be compared with; write a value.")
}

func wrongArguments(at place, function string, least, most int) *jsonapi.Error {
	switch {
	case least == most && least == 1:
		return at.invalid("%s takes an argument.", function)
	case least == most:
		return at.invalid("%s takes %d arguments.", function, least)
	default:
		return at.invalid("%s takes %d or %d arguments.", function, least, most)
	}
}

func needsValue(at place, operator string) *jsonapi.Error {
	return at.invalid("The operator %s takes a value here, not a path.", operator)
}

func nullOperand(at place, operator string) *jsonapi.Error {
	return at.invalid("The operator %s does not take null; write isNull(path).", operator)
}

func unlikeTerms(at place, left, right *schema.Type) *jsonapi.Error {
	return at.invalid("A value of kind %s cannot be compared with one of kind %s.", kindName(left), kindName(right))
}

func invalidValue(at place, value string, why error) *jsonapi.Error {
	return at.errorf(jsonapi.InvalidValue, "%q is not %s.", value, why)
}

func invalidFilterID(at place, m *schema.Model, id string, why error) *jsonapi.Error {
	return at.errorf(jsonapi.InvalidValue, "The id %q of type %q is not %s.", id, m.Type, why)
}

func operatorNames() []string {
	names := make([]string, len(operators))
	for i, op := range operators {
		names[i] = op.Name
	}
	return names
}
