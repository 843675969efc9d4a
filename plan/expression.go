package plan

import (
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// filterParameter is the parameter that holds an expression.
const filterParameter = "filter"

func spot(e parse.Expr) place { return place{filterParameter, e.Offset()} }

// valueSpot is where the values of a call begin.
func valueSpot(call *parse.Call) place {
	if len(call.Args) > 1 {
		return spot(call.Args[1])
	}
	return spot(call)
}

// expression resolves the expression of the request (contract 4.7).
func (b *builder) expression(mv *schema.ModelView, e parse.Expr) Cond {
	return b.condition(mv, e, 0)
}

// condition resolves one call that is true or false; nil after a refusal. depth
// counts the calls and relationships around it.
func (b *builder) condition(mv *schema.ModelView, e parse.Expr, depth int) Cond {
	call, ok := e.(*parse.Call)
	if !ok {
		b.refuse(notACondition(spot(e), e))
		return nil
	}
	if depth > b.options.Limits.FilterDepth {
		b.refuse(filterTooDeep(spot(e), b.options.Limits.FilterDepth))
		return nil
	}
	switch call.Name {
	case "and":
		if conds, ok := b.arguments(mv, call, depth); ok {
			return &And{Conds: conds}
		}
		return nil
	case "or":
		if conds, ok := b.arguments(mv, call, depth); ok {
			return &Or{Conds: conds}
		}
		return nil
	case "not":
		if conds, ok := b.arguments(mv, call, depth); ok && b.takes(call, 1, 1) {
			return &Not{Cond: conds[0]}
		}
		return nil
	case "some", "none", "every":
		return b.quantifiedCall(mv, call, depth)
	default:
		if !b.count(spot(call), 1) {
			return nil
		}
		return b.operatorCall(mv, call, depth)
	}
}

// arguments resolves the arguments of and, or and not.
func (b *builder) arguments(mv *schema.ModelView, call *parse.Call, depth int) ([]Cond, bool) {
	if len(call.Args) == 0 {
		b.refuse(wrongArguments(spot(call), call.Name, 1, 1))
		return nil, false
	}
	conds, ok := make([]Cond, len(call.Args)), true
	for i, arg := range call.Args {
		conds[i] = b.condition(mv, arg, depth+1)
		ok = ok && conds[i] != nil
	}
	return conds, ok
}

// takes refuses a call with fewer or more arguments.
func (b *builder) takes(call *parse.Call, least, most int) bool {
	if len(call.Args) >= least && len(call.Args) <= most {
		return true
	}
	b.refuse(wrongArguments(spot(call), call.Name, least, most))
	return false
}

// quantifiedCall resolves some, none and every: names in the condition belong
// to the related model.
func (b *builder) quantifiedCall(mv *schema.ModelView, call *parse.Call, depth int) Cond {
	if !b.takes(call, 1, 2) {
		return nil
	}
	steps, rel, ok := b.relationshipPath(mv, call, depth)
	if !ok {
		return nil
	}
	var inner Cond
	if len(call.Args) == 2 {
		if inner = b.condition(b.view.Of(rel.Target), call.Args[1], depth+1+len(steps)); inner == nil {
			return nil
		}
	} else if call.Name == "every" {
		b.refuse(wrongArguments(spot(call), call.Name, 2, 2))
		return nil
	}
	return behind(steps, quantified(call.Name, rel, inner))
}

// relationshipPath resolves the first argument of a call: to-one steps, then a
// relationship.
func (b *builder) relationshipPath(mv *schema.ModelView, call *parse.Call, depth int) ([]*schema.Relationship, *schema.Relationship, bool) {
	ref, ok := call.Args[0].(*parse.Ref)
	if !ok {
		b.refuse(notAPath(spot(call.Args[0]), call.Name))
		return nil, nil, false
	}
	steps, last, ok := b.steps(mv, ref, depth)
	if !ok {
		return nil, nil, false
	}
	name := ref.Path[len(steps)]
	rel, ok := last.Relationship(name)
	if !ok || len(ref.Path) > len(steps)+1 { // steps stop at a document

		b.refuse(unknownRelationshipInFilter(spot(ref), name, last))
		return nil, nil, false
	}
	return steps, rel, b.count(spot(ref), 1)
}

// steps resolves all names of a path but the last: to-one relationships.
func (b *builder) steps(mv *schema.ModelView, ref *parse.Ref, depth int) ([]*schema.Relationship, *schema.ModelView, bool) {
	var steps []*schema.Relationship
	for _, name := range ref.Path[:len(ref.Path)-1] {
		rel, ok := mv.Relationship(name)
		if !ok {
			if f, isField := mv.Attribute(name); isField && isDocument(f) {
				break // the rest of the path is inside the document
			}
			b.refuse(unknownRelationshipInFilter(spot(ref), name, mv))
			return nil, nil, false
		}
		if rel.Many {
			b.refuse(pathOverToMany(spot(ref), rel))
			return nil, nil, false
		}
		steps, mv = append(steps, rel), b.view.Of(rel.Target)
	}
	if !b.count(spot(ref), len(steps)) {
		return nil, nil, false
	}
	if depth+len(steps) > b.options.Limits.FilterDepth {
		b.refuse(filterTooDeep(spot(ref), b.options.Limits.FilterDepth))
		return nil, nil, false
	}
	return steps, mv, true
}

// operatorCall resolves a call of an operator of the table: a path or a count,
// then what it is compared with.
func (b *builder) operatorCall(mv *schema.ModelView, call *parse.Call, depth int) Cond {
	op, ok := operatorNamed(call.Name)
	switch {
	case ok:
	case call.Name == countOperator:
		b.refuse(notACondition(spot(call), call))
		return nil
	default:
		b.refuse(unknownFunction(spot(call), call.Name))
		return nil
	}
	if len(call.Args) == 0 {
		b.refuse(wrongArguments(spot(call), call.Name, 1, 2))
		return nil
	}
	if op.Takes == Flag {
		if !b.takes(call, 1, 2) {
			return nil
		}
	} else if len(call.Args) < 2 || op.Takes == OneValue && len(call.Args) > 2 {
		b.refuse(wrongArguments(spot(call), call.Name, 2, 2))
		return nil
	}
	if inner, isCall := call.Args[0].(*parse.Call); isCall {
		term, ok := b.countCall(mv, inner, depth)
		if !ok {
			return nil
		}
		return b.termCall(mv, op, call, term, depth)
	}
	ref, isRef := call.Args[0].(*parse.Ref)
	if !isRef {
		b.refuse(notAPath(spot(call.Args[0]), call.Name))
		return nil
	}
	steps, last, ok := b.steps(mv, ref, depth)
	if !ok {
		return nil
	}
	return b.pathCall(pathOperand{root: mv, steps: steps, last: last, names: ref.Path[len(steps):]}, op, call, depth)
}

// A pathOperand is a path whose to-one steps are resolved.
type pathOperand struct {
	root  *schema.ModelView
	steps []*schema.Relationship
	last  *schema.ModelView
	names []string // what follows the steps: a field, a relationship, or a path into a document
}

// pathCall applies an operator to what a path leads to.
func (b *builder) pathCall(p pathOperand, op *Operator, call *parse.Call, depth int) Cond {
	name, at := p.names[0], valueSpot(call)
	field, isField := p.last.Attribute(name)
	rel, isRel := p.last.Relationship(name)
	isID := name == idName
	if len(p.names) > 1 { // steps stopped at a document
		return b.documentCall(p, field, op, call)
	}
	if nullLiteral(call) {
		if op != Equal && op != notEqual {
			b.refuse(nullOperand(spot(call.Args[1]), op.Name))
			return nil
		}
		op, call = nullTest(op), &parse.Call{Name: op.Name, Args: call.Args[:1], At: call.At}
	}
	if isField || isID && len(p.last.Model.Key) == 1 {
		if !isField || isID {
			field = p.last.Model.Key[0]
		}
		if other, isTerm := otherTerm(call); isTerm {
			return b.otherCall(p.root, op, FieldTerm{Path: p.steps, Field: field}, other, depth)
		}
	}
	if !isField && !isRel && !isID {
		b.refuse(unknownInFilter(spot(call.Args[0]), name, p.last))
		return nil
	}
	texts, ok := b.texts(op, call)
	switch {
	case !ok:
		return nil
	case isID:
		return through(p.steps, b.id(p.last.Model, op, texts, at))
	case isRel:
		return through(p.steps, b.related(op, rel, texts, at))
	}
	return through(p.steps, b.apply(op, searchable(p.last, field, op), texts, at))
}

// documentCall applies an operator to a part of a JSON document. A number
// compares as a number, everything else as text.
func (b *builder) documentCall(p pathOperand, field *schema.Field, op *Operator, call *parse.Call) Cond {
	at := valueSpot(call)
	if nullLiteral(call) && (op == Equal || op == notEqual) {
		op, call = nullTest(op), &parse.Call{Name: op.Name, Args: call.Args[:1], At: call.At}
	}
	texts, ok := b.texts(op, call)
	if !ok {
		return nil
	}
	number := len(call.Args) > 1 && (ordersBy(op) || equates(op))
	for _, arg := range call.Args[1:] {
		lit, isLit := arg.(*parse.Lit)
		number = number && isLit && lit.Kind == parse.NumberLit
	}
	left := JSONTerm{Field: field, Keys: b.slot(append([]string(nil), p.names[1:]...), at.source()), Number: number}
	return through(p.steps, b.apply(op, left, texts, at))
}

// termCall compares a count.
func (b *builder) termCall(mv *schema.ModelView, op *Operator, call *parse.Call, left CountTerm, depth int) Cond {
	if other, isTerm := otherTerm(call); isTerm {
		return b.otherCall(mv, op, left, other, depth)
	}
	texts, ok := b.texts(op, call)
	if !ok {
		return nil
	}
	return b.apply(op, left, texts, valueSpot(call))
}

// countCall resolves `count(path)`.
func (b *builder) countCall(mv *schema.ModelView, call *parse.Call, depth int) (CountTerm, bool) {
	if call.Name != "count" {
		b.refuse(notAPath(spot(call), call.Name))
		return CountTerm{}, false
	}
	if !b.takes(call, 1, 1) {
		return CountTerm{}, false
	}
	steps, rel, ok := b.relationshipPath(mv, call, depth)
	if !ok {
		return CountTerm{}, false
	}
	if !rel.Many {
		b.refuse(quantifiedToOne(spot(call), "count", rel))
		return CountTerm{}, false
	}
	return CountTerm{Path: steps, Relationship: rel}, true
}

// otherTerm returns the second operand where it is a path or a count.
func otherTerm(call *parse.Call) (parse.Expr, bool) {
	if len(call.Args) != 2 {
		return nil, false
	}
	switch e := call.Args[1].(type) {
	case *parse.Ref, *parse.Call:
		return e, true
	default:
		return nil, false
	}
}

// otherCall compares two terms of one row.
func (b *builder) otherCall(mv *schema.ModelView, op *Operator, left Term, other parse.Expr, depth int) Cond {
	right, ok := b.right(mv, other, depth)
	if !ok {
		return nil
	}
	base, negated := op, false
	if op.Negates != nil {
		base, negated = op.Negates, true
	}
	v, applies := base.variant(left.Type())
	switch {
	case !applies:
		b.refuse(operatorNotOfTerm(spot(other), op.Name, left))
		return nil
	case v.Operand != nil || base.Takes != OneValue && base.Takes != AnyValue:
		b.refuse(needsValue(spot(other), op.Name))
		return nil
	case !alike(left.Type(), right.Type()):
		b.refuse(unlikeTerms(spot(other), left.Type(), right.Type()))
		return nil
	}
	c := Cond(&Compare{Left: left, Operator: base, Operand: Other{right}})
	if negated {
		c = &Not{Cond: c}
	}
	return c
}

// right resolves a second operand that is a path to a field, or a count.
func (b *builder) right(mv *schema.ModelView, e parse.Expr, depth int) (Term, bool) {
	if call, ok := e.(*parse.Call); ok {
		return b.countCall(mv, call, depth)
	}
	ref := e.(*parse.Ref)
	steps, last, ok := b.steps(mv, ref, depth)
	if !ok {
		return nil, false
	}
	name := ref.Path[len(steps)]
	field, ok := last.Attribute(name)
	switch {
	case name == idName && len(last.Model.Key) == 1:
		field = last.Model.Key[0]
	case !ok:
		b.refuse(unknownOperand(spot(ref), ref, name, last))
		return nil, false
	case len(ref.Path) > len(steps)+1:
		b.refuse(notAValue(spot(ref)))
		return nil, false
	}
	return FieldTerm{Path: steps, Field: field}, true
}

// alike reports whether Postgres compares two types without a cast of ours.
func alike(a, b *schema.Type) bool {
	a, b = a.Base(), b.Base()
	if a.OperatorSchema() != b.OperatorSchema() {
		return false // an extension's type, citext, and text
	}
	return a.Schema == b.Schema && a.Name == b.Name || isNumber(a) && isNumber(b) || isString(a) && isString(b) || isInstant(a) && isInstant(b)
}

func isNumber(t *schema.Type) bool {
	switch t.Kind {
	case schema.Int2, schema.Int4, schema.Int8, schema.Float4, schema.Float8, schema.Numeric:
		return true
	default:
		return false
	}
}

// isInstant reports whether the type is a point in time. Comparing timestamps
// with and without time zone would depend on the session's.
func isInstant(t *schema.Type) bool { return t.Kind == schema.Timestamp || t.Kind == schema.Date }

// texts returns the literals of a call.
func (b *builder) texts(op *Operator, call *parse.Call) ([]string, bool) {
	if op.Takes == Flag && len(call.Args) == 1 {
		return []string{"true"}, true
	}
	texts := make([]string, 0, len(call.Args)-1)
	for _, arg := range call.Args[1:] {
		lit, ok := arg.(*parse.Lit)
		switch {
		case !ok:
			b.refuse(needsValue(spot(arg), op.Name))
			return nil, false
		case lit.Kind == parse.NullLit:
			b.refuse(nullOperand(spot(arg), op.Name))
			return nil, false
		}
		texts = append(texts, lit.Text)
	}
	return texts, true
}

// nullLiteral reports whether the call compares with null.
func nullLiteral(call *parse.Call) bool {
	if len(call.Args) != 2 {
		return false
	}
	lit, ok := call.Args[1].(*parse.Lit)
	return ok && lit.Kind == parse.NullLit
}

// nullTest is what equality and its negation with null mean.
func nullTest(op *Operator) *Operator {
	if op == Equal {
		return isNull
	}
	return present
}

// through puts a condition on a related row behind to-one steps. What it says
// of a value it says of no value too, so a negation goes in front of the steps.
func through(steps []*schema.Relationship, c Cond) Cond {
	if c == nil || len(steps) == 0 {
		return c
	}
	if not, ok := c.(*Not); ok {
		return &Not{Cond: behind(steps, not.Cond)}
	}
	return behind(steps, c)
}

// behind asks the condition of the row behind to-one steps.
func behind(steps []*schema.Relationship, c Cond) Cond {
	for i := len(steps) - 1; i >= 0; i-- {
		c = &Some{Relationship: steps[i], Cond: c}
	}
	return c
}
