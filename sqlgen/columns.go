package sqlgen

import (
	"slices"
	"strconv"

	"github.com/resourcery/resourcery/schema"
)

// columns are the output columns of one statement. The same expression is sent
// once.
type columns struct {
	exprs []string
	list  []Column
}

// add returns the index of the expression's column, new if there is none.
func (c *columns) add(expr string, t *schema.Type) int {
	if i := c.index(expr); i >= 0 {
		return i
	}
	c.exprs = append(c.exprs, expr)
	c.list = append(c.list, Column{Type: t, Format: formatOf(t)})
	return len(c.exprs) - 1
}

// index returns the index of the expression's column, -1 if there is none.
func (c *columns) index(expr string) int { return slices.Index(c.exprs, expr) }

// outputs names the columns c0, c1, ...
func (c *columns) outputs() []string {
	out := make([]string, len(c.exprs))
	for i, expr := range c.exprs {
		out[i] = expr + " AS " + output(i)
	}
	return out
}

func output(i int) string { return "c" + strconv.Itoa(i) }
