package plan_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"testing"
	"unicode/utf8"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/golden/request"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// cursorSorts reach every kind that has an order, some kinds together.
var cursorSorts = []string{
	"id", "int2,-int8", "float4,float8", "-numeric", "bool,text,varchar,char", "uuid", "-enum,inet", "cidr",
	"timestamptz,-timestamp", "date,time,timetz", "interval", "bytea", "int4range,tstzrange", "int4multirange",
	"ints,bigints", "texts,enums", "dates,blobs,numerics", "domain,emails", "composite",
}

// FuzzCursor opens cursors of any text, and of any parts behind the mark of a
// sort that fits them: a cursor has a value or NULL for each sort key, or is
// refused as the client's mistake.
func FuzzCursor(f *testing.F) {
	view := golden.Schema(f).FullView()
	f.Add(uint8(0), []byte("\x021"), "")
	f.Add(uint8(4), []byte("\x05true\x00\x02a\x01\x02\x31"), "AQ")
	f.Add(uint8(8), []byte("\x172024-01-01 00:00:00+00\x09infinity\x021"), "=")
	f.Add(uint8(14), []byte("\x06{1,2}\x00\x021"), "AepBNwQCMQ")
	f.Add(uint8(11), []byte("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "\xff")
	f.Fuzz(func(t *testing.T, sort uint8, parts []byte, text string) {
		list := "/kinds?sort=" + cursorSorts[int(sort)%len(cursorSorts)]
		p, err := request.Plan(view, list, plan.Options{})
		if err != nil {
			t.Fatalf("%s: %v", list, err)
		}
		mark, err := base64.RawURLEncoding.DecodeString(string(p.Action.(*plan.Read).Query.AppendCursor(nil, nil)))
		if err != nil {
			t.Fatal(err)
		}
		openCursor(t, view, list, base64.RawURLEncoding.EncodeToString(append(mark, parts...)))
		openCursor(t, view, list, text)
	})
}

func openCursor(t *testing.T, view *schema.View, list, cursor string) {
	t.Helper()
	p, err := request.Plan(view, list+"&page%5Bafter%5D="+url.QueryEscape(cursor), plan.Options{})
	if err != nil {
		for _, e := range jsonapi.AsErrors(err) {
			if e.Code.Status() != http.StatusBadRequest || !utf8.ValidString(e.Error()) {
				t.Errorf("%q: %v", cursor, e)
			}
		}
		return
	}
	q := p.Action.(*plan.Read).Query
	after := q.Window.Keyset.After
	if cursor != "" && len(after.Parts) != len(q.Order) {
		t.Fatalf("%q has %d parts for %d sort keys", cursor, len(after.Parts), len(q.Order))
	}
	for _, part := range after.Parts {
		if part.Null != (part.Slot == plan.NoSlot) || !part.Null && p.Values[part.Slot] == nil {
			t.Errorf("%q has the part %+v", cursor, part)
		}
	}
}
