package plan_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/golden/request"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// TestGolden plans the requests of the files.
//
//	plan       with limits and page sizes as arguments: max-conditions=2, page-size=unlimited
//	view NAME  makes a role's view of what the input grants, one table to a line:
//	               Post: id title authorId
//	           a table without columns after it is granted whole, `*` stands for
//	           all tables that no line names
//	           guarded=(Post,Tag): row-level security applies on these
//	plan as=NAME
//	cursor     as plan, with a cursor for CURSOR
//	where      as plan, several requests, one to a line; prints conditions and values
func TestGolden(t *testing.T) {
	s := golden.Schema(t)
	views := map[string]*schema.View{}
	golden.Run(t, "testdata", func(t *testing.T, c *golden.Case) string {
		switch c.Cmd {
		case "view":
			name := c.CmdArgs[0].Key
			views[name] = schema.NewView(s, name, grants(t, s, c))
			return viewText(views[name])
		case "cursor":
			p, err := buildWithCursor(t, s.FullView(), c)
			if err != nil {
				return golden.Errors(err)
			}
			return p.String()
		case "plan", "where":
			view := s.FullView()
			o := options(t, c, func(role string) { view = views[role] })
			if view == nil {
				c.Fatalf(t, "no such view")
			}
			if c.Cmd == "where" {
				return wheres(view, c.Input, o)
			}
			p, err := request.Plan(view, c.Input, o)
			if err != nil {
				return golden.Errors(err)
			}
			return p.String()
		default:
			c.Fatalf(t, "unknown command %q", c.Cmd)
			return ""
		}
	})
}

// wheres prints what each request of the input asks of rows.
func wheres(v *schema.View, input string, o plan.Options) string {
	var b strings.Builder
	for url := range strings.Lines(input) {
		url = strings.TrimSpace(url)
		b.WriteString("= " + url + "\n")
		p, err := request.Plan(v, url, o)
		if err != nil {
			b.WriteString(golden.Errors(err))
			continue
		}
		within := false
		for line := range strings.Lines(p.String()) {
			within = strings.HasPrefix(line, "    where") || within && strings.HasPrefix(line, "      ")
			if within || strings.HasPrefix(line, "$") {
				b.WriteString(strings.TrimPrefix(line, "    "))
			}
		}
	}
	return b.String()
}

// options reads the host's options, and by whom the request is made.
func options(t *testing.T, c *golden.Case, as func(role string)) plan.Options {
	t.Helper()
	var o plan.Options
	ints := map[string]*int{
		"page-size": &o.PageSize, "max-page-size": &o.MaxPageSize,
		"max-conditions": &o.Limits.Conditions, "max-filter-depth": &o.Limits.FilterDepth,
		"max-values": &o.Limits.Values, "max-sort-keys": &o.Limits.SortKeys,
		"max-include-depth": &o.Limits.IncludeDepth, "max-includes": &o.Limits.Includes,
		"max-included": &o.Limits.Included,
	}
	for _, arg := range c.CmdArgs {
		switch to := ints[arg.Key]; {
		case arg.Key == "as":
			as(arg.Vals[0])
		case arg.Key == "regexp":
			o.AllowRegexp = true
		case arg.Key == "language":
			o.SearchLanguage = arg.Vals[0]
		case arg.Key == "divider":
			o.Divider = arg.Vals[0]
		case arg.Key == "digests":
			o.Digests = true
		case arg.Key == "profile":
			o.CursorProfile = true
		case arg.Key == "estimates":
			o.AllowEstimates = true
		case arg.Key == "total" && arg.Vals[0] == "none":
			o.Total = &plan.Total{Kind: plan.NoTotal}
		case arg.Key == "total":
			o.Total = &plan.Total{Kind: plan.BoundedTotal}
			c.ScanArgs(t, arg.Key, &o.Total.Limit)
		case to != nil && arg.Vals[0] == "unlimited":
			*to = plan.Unlimited
		case to != nil:
			c.ScanArgs(t, arg.Key, to)
		default:
			c.Fatalf(t, "unknown argument %q", arg.Key)
		}
	}
	return o
}

// buildWithCursor plans the request in the last line of the input, with a cursor
// of the values in the line before it; a line before that names the list that
// the cursor is of, where it is not the request's.
func buildWithCursor(t *testing.T, v *schema.View, c *golden.Case) (*plan.Plan, error) {
	t.Helper()
	lines := strings.Split(c.Input, "\n")
	url, values := lines[len(lines)-1], lines[len(lines)-2]
	list, query, _ := strings.Cut(url, "?")
	if len(lines) == 3 {
		list = lines[0]
	} else if i := strings.Index(query, "sort="); i >= 0 {
		sort, _, _ := strings.Cut(query[i:], "&")
		list += "?" + sort
	}
	p, err := request.Plan(v, list, plan.Options{})
	if err != nil {
		c.Fatalf(t, "%v", err)
	}
	var parts [][]byte
	for _, value := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(values, -1) {
		if value == "NULL" {
			parts = append(parts, nil)
		} else {
			parts = append(parts, []byte(strings.Trim(value, `"`)))
		}
	}
	cursor := p.Action.(*plan.Read).Query.AppendCursor(nil, parts)
	return request.Plan(v, strings.ReplaceAll(url, "CURSOR", string(cursor)), plan.Options{})
}

// grants reads which columns of which tables may be read, and on which of them
// row-level security applies.
func grants(t *testing.T, s *schema.Schema, c *golden.Case) schema.Privileges {
	t.Helper()
	var guarded []string
	for _, arg := range c.CmdArgs {
		if arg.Key == "guarded" {
			guarded = arg.Vals
		}
	}
	listed := map[string][]string{}
	for line := range strings.Lines(c.Input) {
		table, columns, _ := strings.Cut(strings.TrimSpace(line), ":")
		listed[table] = strings.Fields(columns)
	}
	_, others := listed["*"]
	p := schema.Privileges{}
	for _, def := range s.Catalog().Relations {
		columns, ok := listed[def.Name]
		if !ok && !others {
			continue
		}
		granted := map[string]bool{}
		for _, column := range def.Columns {
			granted[column.Name] = len(columns) == 0 || slices.Contains(columns, column.Name)
		}
		p[def.Table] = schema.TablePrivileges{Select: granted, RowSecurity: slices.Contains(guarded, def.Name)}
	}
	return p
}

// viewText lists what a view shows.
func viewText(v *schema.View) string {
	var b strings.Builder
	for _, m := range v.Schema().Models() {
		mv := v.Of(m)
		if !mv.Readable {
			continue
		}
		fmt.Fprintf(&b, "%s:", m.Type)
		for _, f := range mv.Attributes {
			b.WriteString(" " + f.Name)
		}
		b.WriteString(";")
		for _, r := range mv.Relationships {
			b.WriteString(" " + r.Name)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The zero Options mean the documented limits: as many pass, and not one more.
func TestDefaultLimits(t *testing.T) {
	v := golden.Schema(t).FullView()
	for name, c := range map[string]struct {
		n     int
		query func(n int) string
	}{
		"conditions":    {64, func(n int) string { return strings.Repeat("filter[title]=a&", n) }},
		"values":        {1000, func(n int) string { return "filter[title]=a" + strings.Repeat(",a", n-1) }},
		"filter depth":  {8, func(n int) string { return "filter[" + strings.Join(steps(n), "][") + "][id]=1" }},
		"sort keys":     {8, func(n int) string { return "sort=title" + strings.Repeat(",id", n-1) }},
		"includes":      {32, func(n int) string { return "include=tags" + strings.Repeat(",author", n-1) }},
		"include depth": {6, func(n int) string { return "include=" + strings.Join(steps(n), ".") }},
	} {
		for _, n := range []int{c.n, c.n + 1} {
			if _, err := request.Plan(v, "/post?"+c.query(n), plan.Options{}); (err == nil) != (n == c.n) {
				t.Errorf("%d %s: %v", n, name, err)
			}
		}
	}
}

// steps is a path of n relationships that starts at a post.
func steps(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = []string{"author", "posts"}[i%2]
	}
	return out
}

// The parser joins fieldsets of one type; a request made in Go may hold two.
func TestFieldsTwice(t *testing.T) {
	r := &parse.Request{
		Target: parse.Target{Shape: parse.Collection, Type: "post"},
		Fields: []parse.Fieldset{{Parameter: "fields[post]", Type: "post"}, {Parameter: "fields[Post]", Type: "Post"}},
	}
	_, err := plan.Build(golden.Schema(t).FullView(), r, plan.Options{})
	want := "400 invalid-fields at fields[Post]: The fields of type \"post\" are given twice; join the names with commas.\n"
	if got := golden.Errors(err); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A value of the request is in Values alone: the same request with other values
// prints the same tree.
func TestShapeHasNoValues(t *testing.T) {
	v := golden.Schema(t).FullView()
	shape := func(url string) string {
		p, err := request.Plan(v, url, plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tree, _, _ := strings.Cut(p.String(), "\n$0")
		return tree
	}
	for _, c := range [][2]string{
		{"/post?filter[title]=a&page[offset]=10", "/post?filter[title]=b&page[offset]=20"},
		{"/post?filter[id]=1,2", "/post?filter[id]=3,4,5,6"},
		{"/post?filter[author][name]=Ann", "/post?filter[author][name]='; DROP TABLE"},
		{"/like/1_2", "/like/3_4"},
		{"/post/1/comments", "/post/2/comments"},
	} {
		if one, other := shape(c[0]), shape(c[1]); one != other {
			t.Errorf("%s and %s have different shapes:\n%s\n%s", c[0], c[1], one, other)
		}
	}
}

// Every value says where in the request it stood, but for the path's.
func TestSourcesPairWithValues(t *testing.T) {
	p, err := request.Plan(golden.Schema(t).FullView(), "/user/1/posts?filter[title]=a,b&filter[tags]=2&page[offset]=3", plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var at []string
	for _, source := range p.Sources {
		at = append(at, source.String())
	}
	want := []string{"", "filter[title]", "filter[tags]", "page[offset]"}
	if !slices.Equal(at, want) || len(p.Values) != len(want) {
		t.Errorf("sources %q of %v, want %q", at, p.Values, want)
	}
}
