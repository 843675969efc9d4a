package sqlgen

import "github.com/resourcery/resourcery/schema"

// formatOf returns the format in which columns of the type are sent.
//
// Scalars that Postgres prints alike in every session come in text; so do those
// whose binary form is their own affair (inet, tsvector). The others come in
// binary, as do arrays, ranges, multiranges and composites; but where these hold a scalar
// whose binary form is its own affair they come in text as a whole. (A cast to
// text[] would not do: it is not the elements' text form where the type has a
// cast of its own, as inet has: ::1/128 for ::1.)
func formatOf(t *schema.Type) Format {
	switch t = t.Base(); t.Kind {
	case schema.Text, schema.Numeric, schema.Enum, schema.JSON, schema.JSONB:
		return Text
	default:
		if !decodable(t) {
			return Text
		}
		return Binary
	}
}

// decodable reports whether a value of the type can be read within a container
// in binary form.
func decodable(t *schema.Type) bool {
	switch t = t.Base(); t.Kind {
	case schema.Text:
		return sentAsText(t)
	case schema.Range:
		// The text form of a bound has to be made of its binary one. That of a
		// float is Postgres's own: not always the shortest that reads back.
		switch t.Elem.Base().Kind {
		case schema.Float4, schema.Float8, schema.Array, schema.Composite:
			return false
		}
		return decodable(t.Elem)
	case schema.Array:
		return decodable(t.Elem)
	case schema.Composite:
		for _, m := range t.Members {
			if !decodable(m.Type) {
				return false
			}
		}
	}
	return true
}

// sentAsText reports whether the binary form of a type of kind schema.Text is
// its text form.
func sentAsText(t *schema.Type) bool {
	if t.BuiltIn() {
		return t.Name == "text" || t.Name == "varchar" || t.Name == "bpchar" || t.Name == "name"
	}
	return t.Name == "citext" // an extension's, in whichever schema
}
