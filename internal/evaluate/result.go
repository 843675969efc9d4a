package evaluate

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/resourcery/resourcery/plan"
)

// document answers the operation, nil where no document is wanted.
func (o *operation) document(at Address) (map[string]any, error) {
	read := o.plan.Read()
	if read == nil {
		return nil, nil
	}
	if read.Form == plan.Resource || read.Form == plan.ToOneLinkage {
		m := o.write.Model
		at.Path = "/" + url.PathEscape(m.Type) + "/" + url.PathEscape(identifier(m.Key, keyOf(m.Key, o.row), at.Divider))
		if read.Form == plan.ToOneLinkage {
			at.Path += "/relationships/" + url.PathEscape(read.Query.Relationships[0].Name)
		}
	}
	doc, err := o.reader().document(read, at)
	if refusal, ok := err.(Refusal); ok {
		return nil, oneOf([]Problem{{string(refusal), nil}})
	}
	return doc, err
}

// batch does operations one after the other, and answers with their results: the
// resources that they leave, or nothing of the others. Where none has a result
// there is no document.
func (a *attempt) batch(b *plan.Batch, at Address) (map[string]any, error) {
	results, notes, shown := []any{}, map[string]any{}, false
	for i, p := range b.Operations {
		o := &operation{attempt: a, plan: p}
		if err := o.run(); err != nil {
			return nil, err
		}
		result := map[string]any{}
		if read := p.Read(); read != nil && read.Form == plan.Resource {
			doc, err := o.document(at)
			if err != nil {
				return nil, err
			}
			shown, result["data"] = true, doc["data"]
			for path, note := range notesOf(doc) {
				notes[fmt.Sprintf("atomic:results.%d.%s", i, path)] = note
			}
		}
		results = append(results, result)
	}
	if !shown {
		return nil, nil
	}
	doc := map[string]any{"jsonapi": map[string]any{"version": "1.1", "ext": []any{"https://jsonapi.org/ext/atomic"}}, "atomic:results": results}
	if len(notes) > 0 {
		doc["meta"] = map[string]any{"serialization": map[string]any{"values": notes}}
	}
	return doc, nil
}

// notesOf are the annotations of a document's data.
func notesOf(doc map[string]any) map[string]any {
	out := map[string]any{}
	meta, _ := doc["meta"].(map[string]any)
	serialization, _ := meta["serialization"].(map[string]any)
	values, _ := serialization["values"].(map[string]any)
	for path, note := range values {
		if strings.HasPrefix(path, "data.") {
			out[path] = note
		}
	}
	return out
}
