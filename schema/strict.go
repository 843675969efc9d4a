package schema

import (
	"errors"
	"fmt"
)

// CheckStrict returns what keeps the schema from being served to the letter of
// JSON:API, which keeps `type` for the resource's type: attributes of that
// name, each with the overlay's line that renames it (contract 1.12). Nil:
// nothing.
func (s *Schema) CheckStrict() error {
	refuse := refusals{schemas: s.catalog.Schemas}
	for _, m := range s.models {
		if f, ok := m.attribute["type"]; ok {
			refuse.columnNamedType(m.Table, f.Column)
		}
	}
	if err := errors.Join(refuse.errs...); err != nil {
		return fmt.Errorf("the schema cannot be served strictly:\n%w", err)
	}
	return nil
}
