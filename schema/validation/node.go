package validation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
)

// A node is a JSON Schema, as far as Generate writes them.
type node struct {
	Ref              string           `json:"$ref,omitempty"`
	Type             types            `json:"type,omitempty"`
	Enum             []any            `json:"enum,omitempty"` // strings, json.Number, nil
	Minimum          json.Number      `json:"minimum,omitempty"`
	ExclusiveMinimum json.Number      `json:"exclusiveMinimum,omitempty"`
	Maximum          json.Number      `json:"maximum,omitempty"`
	ExclusiveMaximum json.Number      `json:"exclusiveMaximum,omitempty"`
	MultipleOf       json.Number      `json:"multipleOf,omitempty"`
	MinLength        int              `json:"minLength,omitempty"`
	MaxLength        *int             `json:"maxLength,omitempty"`
	Pattern          string           `json:"pattern,omitempty"`
	ContentEncoding  string           `json:"contentEncoding,omitempty"`
	Items            *node            `json:"items,omitempty"`
	Properties       map[string]*node `json:"properties,omitempty"`
	Required         []string         `json:"required,omitempty"`
	AllOf            []*node          `json:"allOf,omitempty"`
	AnyOf            []*node          `json:"anyOf,omitempty"`
	Not              *node            `json:"not,omitempty"`
}

// types are the JSON types of a value; one alone is written without brackets.
type types []string

func (t types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// nullable lets null pass as well.
func (n *node) nullable() {
	switch {
	case n.Type != nil:
		n.Type = append(n.Type, "null")
	case n.Enum != nil:
		n.Enum = append(n.Enum, nil)
	}
}

// nested lets an array pass as well, whose elements are not looked at: arrays
// of a column may have any number of dimensions.
func (n *node) nested() *node {
	if n.Type != nil {
		if !slices.Contains(n.Type, "array") {
			n.Type = append(n.Type, "array")
		}
		return n
	}
	if n.Enum != nil {
		return &node{AnyOf: []*node{n, {Type: types{"array"}}}}
	}
	return n
}

// demand adds a schema of one keyword: to n itself, where the keyword is free.
func (n *node) demand(one *node) {
	switch {
	case one.Enum != nil && n.Enum == nil:
		n.Enum = one.Enum
	case one.MaxLength != nil && n.MaxLength == nil:
		n.MaxLength = one.MaxLength
	case one.Pattern != "" && n.Pattern == "":
		n.Pattern = one.Pattern
	case one.Minimum != "" && n.Minimum == "":
		n.Minimum = one.Minimum
	case one.ExclusiveMinimum != "" && n.ExclusiveMinimum == "":
		n.ExclusiveMinimum = one.ExclusiveMinimum
	case one.Maximum != "" && n.Maximum == "":
		n.Maximum = one.Maximum
	case one.ExclusiveMaximum != "" && n.ExclusiveMaximum == "":
		n.ExclusiveMaximum = one.ExclusiveMaximum
	default:
		n.AllOf = append(n.AllOf, one)
	}
}

func (n *node) encode() json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(n); err != nil {
		panic(fmt.Sprintf("validation: encode a schema: %v", err)) // nodes hold plain data
	}
	return bytes.TrimSpace(b.Bytes())
}

// decimal writes a number that is a finite decimal, exactly.
func decimal(r *big.Rat) json.Number {
	places, _ := r.FloatPrec()
	return json.Number(r.FloatString(places))
}
