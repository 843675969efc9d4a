package integration

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A document is the answer to a read, checked by what JSON:API demands of every
// one of them.
type document struct {
	path     string
	members  map[string]any
	data     any // a resource, an identifier, a list of either, or nil
	included []map[string]any
	faults   []string
}

// readDocument parses and checks the answer to the path.
func readDocument(t *testing.T, path string, body []byte) *document {
	t.Helper()
	d := &document{path: path}
	if err := json.Unmarshal(body, &d.members); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, body)
	}
	d.check()
	for _, fault := range d.faults {
		t.Errorf("%s: %s", path, fault)
	}
	return d
}

func (d *document) fault(format string, args ...any) {
	d.faults = append(d.faults, fmt.Sprintf(format, args...))
}

func (d *document) check() {
	d.only("the document", d.members, "jsonapi", "data", "included", "links", "meta")
	if got := fmt.Sprint(d.members["jsonapi"]); got != "map[version:1.1]" {
		d.fault("jsonapi is %s", got)
	}
	d.links("the document", d.members["links"])
	if meta, ok := d.members["meta"]; ok {
		d.only("meta", d.object("meta", meta), "total", "totalIsLowerBound", "totalIsEstimate", "page", "serialization")
	}
	data, ok := d.members["data"]
	if !ok {
		d.fault("no data")
	}
	d.data = data
	for _, r := range d.primary() {
		d.item("data", r)
	}
	asked := strings.Contains(d.path, "include=")
	included, ok := d.members["included"]
	if ok != asked {
		d.fault("include asked for: %t, included there: %t", asked, ok)
	}
	if ok {
		d.checkIncluded(included)
	}
}

// primary returns the primary data as a list.
func (d *document) primary() []map[string]any {
	switch data := d.data.(type) {
	case nil:
		return nil
	case []any:
		return d.objects("data", data)
	default:
		return []map[string]any{d.object("data", data)}
	}
}

// item checks primary data: a resource, or an identifier, which has nothing but
// type and id. Where pages follow cursors, its own is in its meta.
func (d *document) item(at string, r map[string]any) {
	if meta, ok := r["meta"]; ok {
		d.cursor(at, meta)
		r = maps.Clone(r)
		delete(r, "meta")
	}
	if strings.Contains(d.path, "/relationships/") {
		d.identifier(at, r)
	} else {
		d.resource(at, r)
	}
}

// cursor checks the meta of primary data.
func (d *document) cursor(at string, meta any) {
	members := d.object(at+" meta", meta)
	d.only(at+" meta", members, "page")
	page := d.object(at+" meta page", members["page"])
	d.only(at+" meta page", page, "cursor")
	if text, ok := page["cursor"].(string); !ok || text == "" {
		d.fault("%s has the cursor %v", at, page["cursor"])
	}
}

func (d *document) identifier(at string, r map[string]any) {
	d.only(at, r, "type", "id")
	d.identified(at, r)
}

func (d *document) identified(at string, r map[string]any) {
	if name, _ := r["type"].(string); !memberName.MatchString(name) {
		d.fault("%s has the type %v", at, r["type"])
	}
	switch r["id"].(type) {
	case string, float64:
	default:
		d.fault("%s has the id %v", at, r["id"])
	}
}

// memberName is what names consist of here: the sample has plain ones alone.
var memberName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?$`)

func (d *document) resource(at string, r map[string]any) {
	at += " " + identity(r)
	d.only(at, r, "type", "id", "attributes", "relationships", "links")
	d.identified(at, r)
	d.links(at, r["links"])
	var names []string
	if attributes, ok := r["attributes"]; ok {
		for name := range d.object(at+" attributes", attributes) {
			names = append(names, name)
		}
	}
	if relationships, ok := r["relationships"]; ok {
		for name, rel := range d.object(at+" relationships", relationships) {
			if slices.Contains(names, name) {
				d.fault("%s has an attribute and a relationship %s", at, name)
			}
			names = append(names, name)
			d.relationship(at+" "+name, d.object(at+" "+name, rel))
		}
	}
	for _, name := range names {
		if name == "id" || name == "type" || !memberName.MatchString(name) {
			d.fault("%s has the field %q", at, name)
		}
	}
}

func (d *document) relationship(at string, rel map[string]any) {
	d.only(at, rel, "links", "data")
	links := d.links(at, rel["links"])
	if links["self"] == nil || links["related"] == nil {
		d.fault("%s has the links %v", at, links)
	}
	switch data := rel["data"].(type) {
	case nil:
	case []any:
		for _, r := range d.objects(at, data) {
			d.identifier(at, r)
		}
	default:
		d.identifier(at, d.object(at, data))
	}
}

// links checks that links are absolute URLs below the endpoint, or null.
func (d *document) links(at string, links any) map[string]any {
	all := d.object(at+" links", links)
	for name, link := range all {
		if link == nil {
			continue
		}
		if text, ok := link.(string); !ok || !strings.HasPrefix(text, endpoint+"/") || strings.ContainsAny(text, "[] ") {
			d.fault("%s has the link %s: %v", at, name, link)
		}
	}
	return all
}

// checkIncluded checks that each resource is there once, not in data as well,
// and linked to from what is there.
func (d *document) checkIncluded(included any) {
	list, ok := included.([]any)
	if !ok {
		d.fault("included is %v", included)
		return
	}
	d.included = d.objects("included", list)
	seen, linked := map[string]bool{}, map[string]bool{}
	for _, r := range d.primary() {
		seen[identity(r)] = !strings.Contains(d.path, "/relationships/")
		linked[identity(r)] = true
		d.note(linked, r)
	}
	for _, r := range d.included {
		d.resource("included", r)
		if seen[identity(r)] {
			d.fault("%s is in the document twice", identity(r))
		}
		seen[identity(r)] = true
		d.note(linked, r)
	}
	for _, r := range d.included {
		if !linked[identity(r)] {
			d.fault("%s is included, and nothing links to it", identity(r))
		}
	}
}

// note adds what a resource's relationships link to.
func (d *document) note(linked map[string]bool, r map[string]any) {
	relationships, _ := r["relationships"].(map[string]any)
	for _, rel := range relationships {
		switch data := rel.(map[string]any)["data"].(type) {
		case []any:
			for _, target := range d.objects("linkage", data) {
				linked[identity(target)] = true
			}
		case map[string]any:
			linked[identity(data)] = true
		}
	}
}

func (d *document) only(at string, object map[string]any, names ...string) {
	for name := range object {
		if !slices.Contains(names, name) {
			d.fault("%s has the member %q", at, name)
		}
	}
}

func (d *document) object(at string, v any) map[string]any {
	o, ok := v.(map[string]any)
	if !ok {
		d.fault("%s is no object: %v", at, v)
	}
	return o
}

func (d *document) objects(at string, list []any) []map[string]any {
	out := make([]map[string]any, len(list))
	for i, v := range list {
		out[i] = d.object(at, v)
	}
	return out
}

func identity(r map[string]any) string { return fmt.Sprintf("%v %v", r["type"], r["id"]) }
