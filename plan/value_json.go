package plan

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// checkJSON refuses what Postgres does not take of JSON, the character U+0000,
// and in jsonb numbers that are too long to be stored. An annotation in it is
// refused too, as it could not be kept.
func (c *conversion) checkJSON(t *schema.Type, v jsontext.Value, notes []parse.Note) {
	if len(notes) > 0 || suspicious(v) {
		c.walkJSON(t, v, notes)
	}
}

// suspicious reports whether there may be something to refuse. It is quick, as
// next to always there is not.
func suspicious(v jsontext.Value) bool {
	digits := 0
	for i, b := range v {
		switch {
		case '0' <= b && b <= '9' || b == '.':
			if digits++; digits > longestNumber {
				return true
			}
		case (b == 'e' || b == 'E') && digits > 0:
			return true
		case b == 'u' && bytes.HasPrefix(v[i+1:], []byte("0000")):
			return true
		default:
			digits = 0
		}
	}
	return false
}

func (c *conversion) walkJSON(t *schema.Type, v jsontext.Value, notes []parse.Note) {
	c.checkNotes(t, v, notes)
	switch v.Kind() {
	case jsontext.KindString:
		if bytes.IndexByte(unquoted(v), 0) >= 0 {
			c.refuseNUL()
		}
	case jsontext.KindNumber:
		c.checkJSONNumber(t, v)
	case jsontext.KindBeginArray:
		c.walkJSONArray(t, v, notes)
	case jsontext.KindBeginObject:
		c.walkJSONObject(t, v, notes)
	}
}

// checkJSONNumber holds of jsonb, which keeps numbers as numeric; json keeps
// the text.
func (c *conversion) checkJSONNumber(t *schema.Type, v jsontext.Value) {
	if t.Kind != schema.JSONB {
		return
	}
	if err := withinReason(string(v)); err != nil {
		c.refuseValue(t, v, "", err)
	}
}

func (c *conversion) walkJSONArray(t *schema.Type, v jsontext.Value, notes []parse.Note) {
	u := contents(v)
	for i := 0; u.more() && !c.full(); i++ {
		below := belowIndex(notes, len(c.steps), i)
		c.enterIndex(i)
		c.walkJSON(t, u.value(), below)
		c.leave()
	}
}

func (c *conversion) walkJSONObject(t *schema.Type, v jsontext.Value, notes []parse.Note) {
	for u := contents(v); u.more() && !c.full(); {
		name, value := u.member()
		below := belowName(notes, len(c.steps), string(name))
		c.enterMember(string(name))
		if bytes.IndexByte(name, 0) >= 0 {
			c.refuseNUL()
		}
		c.walkJSON(t, value, below)
		c.leave()
	}
}

// belowIndex is belowName for an element of an array.
func belowIndex(notes []parse.Note, depth, i int) []parse.Note {
	if len(notes) == 0 {
		return nil
	}
	return belowName(notes, depth, strconv.Itoa(i))
}
