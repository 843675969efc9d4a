package plan

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// pathKey resolves the id of the path.
func (b *builder) pathKey(m *schema.Model) ([]Slot, bool) {
	parts, err := b.parseID(m, b.request.Target.ID)
	if err != nil {
		b.refuse(invalidID(m, b.request.Target.ID, err))
		return nil, false
	}
	slots := make([]Slot, len(parts))
	for i, part := range parts {
		slots[i] = b.slot(part, jsonapi.Source{})
	}
	return slots, true
}

// parseID turns an id into the values of the model's key. Parts of compound
// ids are joined by the divider, which inside a part is percent-encoded
// (contract 1.5).
func (b *builder) parseID(m *schema.Model, id string) ([]any, error) {
	if len(m.Key) == 1 {
		v, err := keyLiteral(m.Key[0], id)
		return []any{v}, err
	}
	parts := strings.Split(id, b.options.Divider)
	if len(parts) != len(m.Key) {
		return nil, fmt.Errorf("of the form %s", idForm(m, b.options.Divider))
	}
	values := make([]any, len(parts))
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return nil, fmt.Errorf("percent-encoded well in its part %q", part)
		}
		if values[i], err = keyLiteral(m.Key[i], plain); err != nil {
			return nil, fmt.Errorf("%w in its part %s", err, m.Key[i].Name)
		}
	}
	return values, nil
}

// keyLiteral converts one part of an id. Empty bytes are written as the empty
// text, which filters take for a slip.
func keyLiteral(f *schema.Field, s string) (any, error) {
	if s == "" && f.Type.Base().Kind == schema.Bytea {
		return []byte{}, nil
	}
	return literal(f.Type, s)
}

// idForm spells the form of a compound id: `userId_postId`.
func idForm(m *schema.Model, divider string) string {
	names := make([]string, len(m.Key))
	for i, f := range m.Key {
		names[i] = f.Name
	}
	return strings.Join(names, divider)
}

// keyEquals holds for the row with the key.
func keyEquals(m *schema.Model, key []Slot) []Cond {
	conds := make([]Cond, len(key))
	for i, f := range m.Key {
		conds[i] = &Compare{Left: FieldTerm{Field: f}, Operator: Equal, Operand: One{key[i], f.Type}}
	}
	return conds
}
