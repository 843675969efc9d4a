package overlay

import (
	"cmp"
	"slices"
	"strings"
)

// nearest returns up to three candidates that may have been meant, the
// likeliest first: two letters or a third of them may differ (exchanged ones
// are two), case costs nothing, nor does a schema that was left out.
func nearest(wanted string, candidates []string) []string {
	type scored struct {
		name     string
		distance int
	}
	var near []scored
	for _, c := range candidates {
		d := distance(wanted, c)
		if dot := strings.LastIndexByte(c, '.'); dot >= 0 {
			d = min(d, distance(wanted, c[dot+1:]))
		}
		if d <= max(2, len(wanted)/3) && d < len(wanted) {
			near = append(near, scored{c, d})
		}
	}
	slices.SortFunc(near, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, s := range near[:min(3, len(near))] {
		names = append(names, s.name)
	}
	return slices.Compact(names)
}

// distance is Levenshtein's, without regard to case.
func distance(wanted, candidate string) int {
	a, b := []rune(strings.ToLower(wanted)), []rune(strings.ToLower(candidate))
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			replace := diagonal
			if x != y {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
