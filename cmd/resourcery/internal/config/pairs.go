package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Pairs is the value of a flag that is repeated, `--set name=value`. It is a
// pflag.Value; values may hold any character.
type Pairs map[string]string

// String returns the names, as the values may be secrets.
func (p Pairs) String() string { return strings.Join(slices.Sorted(maps.Keys(p)), ",") }

// Type is what help calls the value.
func (p Pairs) Type() string { return "name=value" }

// Set adds one pair; a name that is there already gets the new value.
func (p Pairs) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return fmt.Errorf("write name=value")
	}
	p[name] = value
	return nil
}
