package introspect

import (
	"slices"
	"strconv"
)

// An Expression is what an expression of the catalogue does, as far as it
// matters to who may read what and how fast. The zero value is no expression.
type Expression struct {
	Text string // as Postgres prints it with an empty search path
	// Functions are the OIDs of the functions that it calls, operators' included,
	// each once in ascending order.
	Functions []uint32
	// PerRow are the functions that are called for each row of the table though
	// no column is among their arguments, in the order of the text. Calls in a
	// sub-select that depends on nothing outside it are not of them: it runs once.
	PerRow []uint32
	// Lookups are the tables that are searched by columns that must be equal to
	// something, the expression's own table among them.
	Lookups []Lookup
}

// A Lookup is a search for rows by equality in columns. It is fast where one of
// them leads an index.
type Lookup struct {
	Relation uint32
	Columns  []int16
	PerRow   bool // done for each row of the expression's own table
}

// An analyst reads trees. byOperator has the names of all operators and the functions
// behind them.
type analyst struct {
	byOperator map[uint32]operatorRow
}

type operatorRow struct {
	OID      uint32 `db:"oid"`
	Name     string `db:"name"`
	Function uint32 `db:"function"`
}

// expression analyses the tree of an expression over the relation; a tree that
// is empty gives the zero value.
func (a *analyst) expression(tree, text string, relation uint32) (Expression, error) {
	if tree == "" {
		return Expression{}, nil
	}
	nodes, err := parseTree(tree)
	if err != nil {
		return Expression{}, err
	}
	e := Expression{Text: text}
	for _, n := range nodes {
		e.Functions = append(e.Functions, a.functions(n)...)
		perRow(n, &e.PerRow)
		if own := a.ownLookup(n, relation); own != nil {
			e.Lookups = append(e.Lookups, *own)
		}
		e.Lookups = append(e.Lookups, a.innerLookups(n)...)
	}
	slices.Sort(e.Functions)
	e.Functions = slices.Compact(e.Functions)
	return e, nil
}

func (a *analyst) functions(n *node) []uint32 {
	var out []uint32
	n.visit(func(n *node) bool {
		switch n.kind {
		case "FUNCEXPR":
			out = append(out, n.number("funcid"))
		case "AGGREF":
			out = append(out, n.number("aggfnoid"))
		case "WINDOWFUNC":
			out = append(out, n.number("winfnoid"))
		case "OPEXPR", "SCALARARRAYOPEXPR", "DISTINCTEXPR", "NULLIFEXPR":
			out = append(out, a.byOperator[n.number("opno")].Function)
		}
		return true
	})
	return out
}

// perRow appends the calls without a column that run for each row.
func perRow(n *node, out *[]uint32) {
	switch {
	case n.kind == "SUBLINK":
		if test := n.child("testexpr"); test != nil {
			perRow(test, out)
		}
		query := n.child("subselect")
		if query == nil || !hasColumn(query) {
			return
		}
		// What a sub-select reads from runs once for each of its runs at most; its
		// conditions and its columns run for its rows.
		for _, f := range query.fields {
			if f.name != "rtable" && f.name != "cteList" {
				for _, c := range append(slices.Clone(f.list), f.sub) {
					if c != nil {
						perRow(c, out)
					}
				}
			}
		}
		return
	case n.kind == "FUNCEXPR" && n.atom("funcformat") == explicitCall && n.atom("funcretset") != "true" && !hasColumn(n):
		*out = append(*out, n.number("funcid"))
	}
	for _, c := range n.children() {
		perRow(c, out)
	}
}

// A reach is which columns an expression uses: those of the query that it
// stands in, and those of queries around it. What a sub-select uses of its own
// is neither.
type reach struct{ own, outer bool }

func reachOf(n *node) reach {
	var r reach
	r.add(n, 0)
	return r
}

// add takes in a node that is nested in depth queries.
func (r *reach) add(n *node, depth uint32) {
	switch n.kind {
	case "QUERY":
		depth++
	case "VAR":
		up := n.number("varlevelsup")
		r.own = r.own || up == depth
		r.outer = r.outer || up > depth
	}
	for _, c := range n.children() {
		r.add(c, depth)
	}
}

// explicitCall is the form of functions that are called as such, not as casts.
const explicitCall = "0"

func hasColumn(n *node) bool { return reachOf(n) != reach{} }

// ownLookup is by what columns of the table itself a condition finds its rows:
// those that all rows must have equal to something that is no column.
func (a *analyst) ownLookup(n *node, relation uint32) *Lookup {
	l := Lookup{Relation: relation}
	for _, c := range conjuncts(n) {
		left, right, ok := a.equality(c)
		if !ok {
			continue
		}
		for _, pair := range [][2]*node{{left, right}, {right, left}} {
			if column, ok := plainColumn(pair[0]); ok && !hasColumn(pair[1]) && column.number("varlevelsup") == 0 {
				l.Columns = append(l.Columns, attribute(column))
			}
		}
	}
	if len(l.Columns) == 0 {
		return nil
	}
	return &l
}

// innerLookups are the searches that sub-selects do with columns from outside.
func (a *analyst) innerLookups(n *node) []Lookup {
	var out []Lookup
	n.visit(func(n *node) bool {
		if n.kind == "SUBLINK" {
			if query := n.child("subselect"); query != nil && hasColumn(query) {
				out = append(out, a.queryLookups(query)...)
			}
		}
		return true
	})
	return out
}

// queryLookups are the searches of one query: for each table that it reads, the
// columns that are compared with something of outside, or with no column.
func (a *analyst) queryLookups(query *node) []Lookup {
	from := query.items("rtable")
	byTable := map[uint32]*Lookup{}
	outside := map[uint32]bool{}
	join := query.child("jointree")
	if join == nil {
		return nil
	}
	for _, c := range joinConjuncts(join) {
		left, right, ok := a.equality(c)
		if !ok {
			continue
		}
		for _, pair := range [][2]*node{{left, right}, {right, left}} {
			column, ok := plainColumn(pair[0])
			if !ok || column.number("varlevelsup") != 0 || reachOf(pair[1]).own {
				continue
			}
			number := column.number("varno")
			if number == 0 || int(number) > len(from) || from[number-1].atom("rtekind") != "0" {
				continue
			}
			if byTable[number] == nil {
				byTable[number] = &Lookup{Relation: from[number-1].number("relid"), PerRow: true}
			}
			byTable[number].Columns = append(byTable[number].Columns, attribute(column))
			outside[number] = outside[number] || reachOf(pair[1]).outer
		}
	}
	var out []Lookup
	for i := range from {
		if l := byTable[uint32(i+1)]; l != nil && outside[uint32(i+1)] {
			out = append(out, *l)
		}
	}
	return out
}

// equality returns the two sides of an equality, the list of `= ANY (list)`
// included.
func (a *analyst) equality(n *node) (left, right *node, ok bool) {
	args := n.items("args")
	if n.kind != "OPEXPR" && (n.kind != "SCALARARRAYOPEXPR" || n.atom("useOr") != "true") ||
		len(args) != 2 || a.byOperator[n.number("opno")].Name != "=" {
		return nil, nil, false
	}
	return args[0], args[1], true
}

const boolean = 16 // the OID of bool: an index on one finds half of the table

// plainColumn returns the column that an expression is, cast to a type of the
// same form at most.
func plainColumn(n *node) (*node, bool) {
	for n.kind == "RELABELTYPE" && n.child("arg") != nil {
		n = n.child("arg")
	}
	return n, n.kind == "VAR" && n.number("vartype") != boolean && attribute(n) > 0
}

func attribute(column *node) int16 {
	number, err := strconv.ParseInt(column.atom("varattno"), 10, 16)
	if err != nil {
		return 0
	}
	return int16(number)
}

// conjuncts returns what must all hold for an expression to hold.
func conjuncts(n *node) []*node {
	if n.kind != "BOOLEXPR" || n.atom("boolop") != "and" {
		return []*node{n}
	}
	var out []*node
	for _, c := range n.items("args") {
		out = append(out, conjuncts(c)...)
	}
	return out
}

// joinConjuncts are those of a query's WHERE and of its inner joins.
func joinConjuncts(n *node) []*node {
	var out []*node
	if quals := n.child("quals"); quals != nil {
		out = conjuncts(quals)
	}
	for _, c := range n.children() {
		if c.kind == "FROMEXPR" || c.kind == "JOINEXPR" && c.atom("jointype") == "0" {
			out = append(out, joinConjuncts(c)...)
		}
	}
	return out
}
