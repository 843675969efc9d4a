package plan

import (
	"slices"
	"sort"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// byPath returns the notes in the order of their paths, so that those of one
// value and the parts of it are neighbours, its own first.
func byPath(notes []parse.Note) []parse.Note {
	if len(notes) < 2 {
		return notes
	}
	compare := func(a, b parse.Note) int { return slices.Compare(a.Path, b.Path) }
	if slices.IsSortedFunc(notes, compare) {
		return notes
	}
	notes = slices.Clone(notes)
	slices.SortStableFunc(notes, compare)
	return notes
}

// belowName returns those of the ordered notes that are about a part of the
// value, or about what is in that part. depth is the length of the path to the
// value, which all notes have in common.
func belowName(notes []parse.Note, depth int, part string) []parse.Note {
	if len(notes) == 0 {
		return nil
	}
	first := sort.Search(len(notes), func(i int) bool {
		return len(notes[i].Path) > depth && notes[i].Path[depth] >= part
	})
	notes = notes[first:]
	return notes[:sort.Search(len(notes), func(i int) bool { return notes[i].Path[depth] > part })]
}

// checkNotes refuses annotations of the value at hand that its kind has not
// (contract 6.2). Those of null say nothing, and those of paths that lead
// nowhere are never met.
func (c *conversion) checkNotes(t *schema.Type, v jsontext.Value, notes []parse.Note) {
	if v.Kind() == jsontext.KindNull {
		return
	}
	for _, n := range notes {
		if len(n.Path) > len(c.steps) {
			return
		}
		if !slices.Contains(annotationsOf(t), n.Name) {
			c.refuseNote(t, n.Name)
		}
	}
}

// annotationsOf returns the names that an annotation of a value of the type may
// have, those of answers first (contract, section 6).
func annotationsOf(t *schema.Type) []string {
	switch t.Kind {
	case schema.Int8:
		return []string{"bigint", "BigInt"}
	case schema.Float4, schema.Float8:
		return []string{"number"}
	case schema.Numeric:
		return []string{"Decimal"}
	case schema.Timestamptz, schema.Timestamp:
		return []string{"Date", "DateTime"}
	case schema.Bytea:
		return []string{"Bytes"}
	default:
		return nil
	}
}
