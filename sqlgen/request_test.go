package sqlgen

import (
	"fmt"
	"math/rand"
	"strings"

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
		add(r.sort(m))
		add("page%5Boffset%5D=" + markerDigits + fmt.Sprint(r.Intn(10)))
		add("page%5Blimit%5D=" + fmt.Sprint(1+r.Intn(2)))
	}
	add(r.include(m))
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
