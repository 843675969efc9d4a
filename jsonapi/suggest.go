package jsonapi

import "strings"

// Nearest returns the candidate that a misspelt name most likely meant, for a
// "did you mean" in a detail: the first of those with the fewest letters
// inserted, left out, replaced or swapped with their neighbour, upper and lower
// case being one. It returns false where none is near: within a third of the
// name's length, and at least one letter.
func Nearest(name string, candidates []string) (string, bool) {
	// A name as long as a URL would make the table as large as its square.
	const longest = 64
	if name == "" || len(name) > longest {
		return "", false
	}
	from := []rune(strings.ToLower(name))
	near, distance := "", max(1, len(from)/3)+1
	for _, c := range candidates {
		if len(c) > longest {
			continue
		}
		if d := editDistance(from, []rune(strings.ToLower(c))); d < distance {
			near, distance = c, d
		}
	}
	return near, near != ""
}

// editDistance counts the edits from a to b, a swap of neighbours being one
// (optimal string alignment), with three rows of its table.
func editDistance(a, b []rune) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			replace := above[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
