package sqlgen

import (
	"fmt"
	"math/rand"
	"net/url"
	"strings"

	"github.com/resourcery/resourcery/internal/golden/request"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// marker stands in every value of a generated request that can hold it. Values
// that cannot are numbers that start with markerDigits.
const (
	marker       = `mark'"?$1`
	markerDigits = "7719"
)

// A requester makes right requests at random.
type requester struct {
	*rand.Rand
	schema *schema.Schema
}

// url returns the address of a request. Few forms and few names make it likely
// that two requests have one shape.
func (r *requester) url() string {
	models := r.schema.Models()
	m := models[r.Intn(len(models))]
	path, many := "/"+m.Type, true
	if r.Intn(2) == 0 {
		path += "/" + r.id(m)
		many = false
		if len(m.Relationships) > 0 && r.Intn(2) == 0 {
			rel := m.Relationships[r.Intn(len(m.Relationships))]
			if r.Intn(2) == 0 {
				return path + "/relationships/" + rel.Name
			}
			path, m, many = path+"/"+rel.Name, rel.Target, rel.Many
		}
	}
	var query []string
	add := func(text string) {
		if text != "" && r.Intn(3) == 0 {
			query = append(query, text)
		}
	}
	if many {
		add(r.filter(m))
		add(r.filter(m))
		sort := r.sort(m)
		if r.Intn(3) > 0 {
			sort = ""
		}
		query = append(query, r.page(m, sort)...)
	}
	if include := r.include(m); include != "" && r.Intn(3) == 0 {
		query = append(query, include)
		add(r.window(m, include))
	}
	add("fields[" + m.Type + "]=" + r.names(m))
	if len(query) == 0 {
		return path
	}
	return path + "?" + strings.Join(query, "&")
}

func (r *requester) filter(m *schema.Model) string {
	selectors := ""
	for len(m.Relationships) > 0 && r.Intn(3) == 0 {
		rel := m.Relationships[r.Intn(len(m.Relationships))]
		selectors += "[" + rel.Name + "]"
		m = rel.Target
	}
	if r.Intn(4) == 0 {
		return "filter" + selectors + "[id]=" + r.several(func() string { return r.id(m) })
	}
	f := m.Attributes[r.Intn(len(m.Attributes))]
	if r.value(f.Type) == "" {
		return ""
	}
	return "filter" + selectors + "[" + f.Name + "]=" + r.several(func() string { return r.value(f.Type) })
}

// several joins one to three values.
func (r *requester) several(value func() string) string {
	values := make([]string, 1+r.Intn(3))
	for i := range values {
		values[i] = value()
	}
	return strings.Join(values, ",")
}

// id returns an id of the model.
func (r *requester) id(m *schema.Model) string {
	parts := make([]string, len(m.Key))
	for i, f := range m.Key {
		parts[i] = r.value(f.Type)
	}
	return strings.Join(parts, "_")
}

// value returns a literal, or "" for kinds that are not compared here.
func (r *requester) value(t *schema.Type) string {
	n := markerDigits + fmt.Sprint(r.Intn(10))
	switch t = t.Base(); t.Kind {
	case schema.Text:
		if !t.Equal {
			return ""
		}
		return strings.NewReplacer("?", "%3F", "'", "%27", `"`, "%22").Replace(marker) + n
	case schema.Int4, schema.Int8, schema.Float4, schema.Float8, schema.Numeric:
		return n
	case schema.Bool:
		return []string{"true", "false"}[r.Intn(2)]
	case schema.Enum:
		return t.Labels[r.Intn(len(t.Labels))]
	case schema.UUID:
		return markerDigits + "0000-0000-4000-8000-" + fmt.Sprintf("%012d", r.Intn(10))
	case schema.Timestamptz:
		return fmt.Sprintf("%s-01-0%dT00:00:00Z", markerDigits, 1+r.Intn(9))
	default:
		return ""
	}
}

func (r *requester) sort(m *schema.Model) string {
	key := "sort=" + []string{"", "-"}[r.Intn(2)]
	for _, rel := range m.Relationships {
		switch {
		case rel.Many || r.Intn(3) > 0:
			continue
		case r.Intn(2) == 0:
			return key + rel.Name
		}
		key, m = key+rel.Name+".", rel.Target
		break
	}
	for _, rel := range m.Relationships {
		if rel.Many && r.Intn(6) == 0 {
			return key + rel.Name + "$count"
		}
	}
	if f := m.Attributes[r.Intn(len(m.Attributes))]; f.Type.Ordered && r.Intn(2) == 0 {
		return key + f.Name
	}
	return key + "id"
}

func (r *requester) include(m *schema.Model) string {
	paths := make([]string, r.Intn(3))
	for i := range paths {
		var steps []string
		for at := m; len(at.Relationships) > 0 && len(steps) < 1+r.Intn(2); {
			rel := at.Relationships[r.Intn(len(at.Relationships))]
			steps, at = append(steps, rel.Name), rel.Target
		}
		if len(steps) == 0 {
			return ""
		}
		paths[i] = strings.Join(steps, ".")
	}
	return "include=" + strings.Join(paths, ",")
}

// page asks for a page in one of the styles, in a sort that may be "".
func (r *requester) page(m *schema.Model, sort string) []string {
	var query []string
	if sort != "" {
		query = append(query, sort)
	}
	number := markerDigits + fmt.Sprint(r.Intn(10))
	switch size := fmt.Sprint(1 + r.Intn(2)); r.Intn(6) {
	case 0:
		query = append(query, "page[offset]="+number, "page[limit]="+size)
	case 1:
		query = append(query, "page[limit]="+size)
	case 2:
		query = append(query, "page[number]="+number, "page[size]="+size)
	case 3, 4:
		for _, name := range []string{"after", "before"} {
			if r.Intn(2) == 0 {
				query = append(query, "page["+name+"]="+r.cursor(m, sort))
			}
		}
		if len(query) > 0 && strings.HasPrefix(query[len(query)-1], "page") {
			query = append(query, "page[size]="+size)
		}
	}
	if r.Intn(3) == 0 {
		query = append(query, "page[total]="+[]string{"none", "exact", "1", "2", "estimate"}[r.Intn(5)])
	}
	return query
}

// cursor is one of the list in that sort: where it sorts by kinds that values
// are not made of here, the empty one.
func (r *requester) cursor(m *schema.Model, sort string) string {
	p, err := request.Plan(r.schema.FullView(), "/"+m.Type+"?"+sort, plan.Options{})
	if err != nil {
		panic(err)
	}
	q := p.Action.(*plan.Read).Query
	parts := make([][]byte, len(q.Order))
	for i, o := range q.Order {
		value := r.value(o.Term.Type())
		if unescaped, err := url.QueryUnescape(value); err == nil {
			value = unescaped
		}
		switch t, ok := o.Term.(plan.FieldTerm); {
		case ok && (t.Field.Nullable || len(t.Path) > 0) && r.Intn(3) == 0:
		case value == "":
			return ""
		default:
			parts[i] = []byte(value)
		}
	}
	return string(q.AppendCursor(nil, parts))
}

// window bounds or orders the members of the first path's to-many steps.
func (r *requester) window(m *schema.Model, include string) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(include, "include="), ",")
	var rel *schema.Relationship
	for name := range strings.SplitSeq(path, ".") {
		if rel, _ = m.Relationship(name); rel == nil {
			return ""
		}
		m = rel.Target
	}
	switch {
	case !rel.Many:
		return ""
	case r.Intn(2) == 0:
		return "page[" + path + "][limit]=" + fmt.Sprint(1+r.Intn(2))
	default:
		return strings.Replace(r.sort(m), "sort=", "sort["+path+"]=", 1)
	}
}

// names are up to two names of the model's fields and relationships.
func (r *requester) names(m *schema.Model) string {
	var names []string
	if r.Intn(2) == 0 {
		names = append(names, m.Attributes[r.Intn(len(m.Attributes))].Name)
	}
	if len(m.Relationships) > 0 && r.Intn(2) == 0 {
		names = append(names, m.Relationships[r.Intn(len(m.Relationships))].Name)
	}
	return strings.Join(names, ",")
}
