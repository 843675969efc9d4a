// Package overlay is the models part of resourcery.yaml: what an operator says
// about tables that the database does not say by itself. Apply writes it into
// a catalogue; schema.FromCatalog acts on it.
//
// It knows neither how names are derived nor any other part of the file.
package overlay

import (
	"fmt"

	"github.com/goccy/go-yaml"
)

// Models is the value of the member `models`, by the table's name,
// schema-qualified outside the first exposed schema. It can be a field of a
// larger configuration; decode that with yaml.Strict.
type Models map[string]Model

// A Model is what is said of one table.
type Model struct {
	Type          string                  `yaml:"type"`   // the served type
	ID            []string                `yaml:"id"`     // columns of a unique key
	Hidden        bool                    `yaml:"hidden"` // not served at all
	Fields        map[string]Field        `yaml:"fields"` // by column
	Relationships map[string]Relationship `yaml:"relationships"`
}

// A Field is what is said of one column.
type Field struct {
	Name     string `yaml:"name"`
	ReadOnly bool   `yaml:"readOnly"`
	Hidden   bool   `yaml:"hidden"`
	Search   string `yaml:"search"` // the tsvector column that serves $search
}

// A Relationship describes the relationship that is to have the name under
// which it stands: by its foreign key, by its join table, or, where the
// database has no foreign key, by its columns.
type Relationship struct {
	// ForeignKey is the constraint's name; `table.name` where another table
	// has one of the same name. Beside Through it is the join table's foreign
	// key to this table, needed where it has two.
	ForeignKey string `yaml:"foreignKey"`
	// Side tells the ends of a self-relation apart: "one" is the row with the
	// foreign key, "many" the row that it references.
	Side       string   `yaml:"side"`
	Through    string   `yaml:"through"`
	Columns    []string `yaml:"columns"`
	References string   `yaml:"references"` // the table whose id Columns hold
}

// Decode reads a YAML document that has the one member `models`. Unknown
// members are errors with line and column.
func Decode(text []byte) (Models, error) {
	var document struct {
		Models Models `yaml:"models"`
	}
	if err := yaml.UnmarshalWithOptions(text, &document, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("decode overlay: %w", err)
	}
	return document.Models, nil
}
