package encode

import (
	"testing"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// What is larger than a document may be is refused before it is all there:
// elements of arrays, bounds of ranges and paths of annotations alike.
func TestTooLarge(t *testing.T) {
	number := &schema.Type{Kind: schema.Numeric, Schema: "pg_catalog", Name: "numeric"}
	numbers := &schema.Type{Kind: schema.Array, Schema: "pg_catalog", Name: "_numeric", Elem: number}
	span := &schema.Type{Kind: schema.Range, Schema: "pg_catalog", Name: "numrange", Elem: number}
	// 10 to the power of 131068: one digit to base 10000, with the weight 32767.
	value := []byte{0, 1, 0x7f, 0xff, 0, 0, 0, 0, 0, 1}
	array := []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 6, 0xa4, 0, 0, 0, 2, 0, 0, 0, 1}
	element := append([]byte{0, 0, 0, byte(len(value))}, value...)
	array = append(append(array, element...), element...)
	bounds := append(append([]byte{rangeLowerInclusive}, element...), element...)
	for name, test := range map[string]struct {
		typ  *schema.Type
		raw  []byte
		note int // bytes of annotations before it
	}{
		"a number":         {number, value, 0},
		"an array":         {numbers, array, 0},
		"a range":          {span, bounds, 0},
		"many annotations": {number, value, MaxBytes},
	} {
		dst := make([]byte, MaxBytes-len(value), MaxBytes+1<<20)
		if test.note > 0 {
			dst = dst[:1]
		}
		n := &annotations{values: make([]byte, test.note, test.note+1<<10)}
		first, err := appendValue(dst, n, test.typ, sqlgen.Binary, test.raw)
		for i := 0; i < 2 && err == nil; i++ {
			first, err = appendValue(first, n, test.typ, sqlgen.Binary, test.raw)
		}
		errs := jsonapi.AsErrors(err)
		if err == nil || errs[0].Code != jsonapi.QueryError {
			t.Errorf("%s: %v", name, err)
		}
		if len(first) > MaxBytes+1<<20 {
			t.Errorf("%s: there are %d bytes when it is refused", name, len(first))
		}
	}
}
