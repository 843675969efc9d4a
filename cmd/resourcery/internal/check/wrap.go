package check

import (
	"slices"
	"strings"

	"github.com/resourcery/resourcery/schema/introspect"
)

// wrap returns the text of an expression, as Postgres prints it with an empty
// search path, with each call of the functions in a sub-select of its own, and
// with as much around it as uses no column. ok is false where it finds no call
// that it can put there.
//
// The sub-select has the value of what it replaces wherever that stands, so that
// a call too many costs nothing. Which calls are at fault is for others to know.
func wrap(text string, called []*introspect.Function, known map[uint32]introspect.Function) (wrapped string, ok bool) {
	w := &wrapper{text: text, words: scan(text), known: known}
	var spans []span
	for i := range w.words {
		for _, f := range called {
			s, found := w.call(i, f)
			if !found || w.columns(s) || w.bare(s) {
				continue
			}
			if s = w.widen(s); !slices.ContainsFunc(spans, func(t span) bool { return t.from <= s.from && s.to <= t.to }) {
				spans = append(spans, s)
			}
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, s := range spans {
		inner, cast := w.text[w.words[s.from].start:w.words[s.to-1].end], ""
		if w.all(s) {
			// Without a cast ANY would take the sub-select for its list of rows.
			if cast, ok = w.result(s); !ok {
				return "", false
			}
			cast = "::" + cast
		}
		b.WriteString(w.text[at:w.words[s.from].start] + "( SELECT " + inner + ")" + cast)
		at = w.words[s.to-1].end
	}
	b.WriteString(w.text[at:])
	return b.String(), len(spans) > 0
}

// A span is the words from one up to another, which is not of it.
type span struct{ from, to int }

type wrapper struct {
	text  string
	words []word
	known map[uint32]introspect.Function
}

func (w *wrapper) is(i int, text string) bool {
	return i >= 0 && i < len(w.words) && w.words[i].text == text
}

// call returns the call of the function that begins at a word. Names of
// Postgres's own functions have no schema, others always.
func (w *wrapper) call(i int, f *introspect.Function) (span, bool) {
	at := i
	if f.Schema != "pg_catalog" {
		if !w.words[i].names(f.Schema) || !w.is(i+1, ".") {
			return span{}, false
		}
		at = i + 2
	}
	if w.is(i-1, ".") || at >= len(w.words) || !w.words[at].names(f.Name) || !w.is(at+1, "(") {
		return span{}, false
	}
	return span{i, w.closing(at+1) + 1}, true
}

// closing returns the bracket that closes the one at a word.
func (w *wrapper) closing(open int) int {
	depth := 0
	for i := open; i < len(w.words); i++ {
		switch w.words[i].text {
		case "(", "[":
			depth++
		case ")", "]":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(w.words) - 1
}

// opening returns the bracket around a word, -1 where there is none.
func (w *wrapper) opening(at int) int {
	depth := 0
	for i := at - 1; i >= 0; i-- {
		switch w.words[i].text {
		case ")", "]":
			depth++
		case "(", "[":
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

// columns reports whether names of columns may be among the words: those that
// are no function's, no type's and no keyword.
func (w *wrapper) columns(s span) bool {
	for i := s.from; i < s.to; i++ {
		x := w.words[i]
		if !x.name || x.keyword() || w.is(i-1, "AS") {
			continue
		}
		end := i + 1
		for w.is(end, ".") {
			end += 2
		}
		switch {
		case w.is(i-1, "::") || w.is(i-1, "COLLATE"):
			end = w.afterType(end)
		case w.is(end, "=") && w.is(end+1, ">"): // the name of an argument
		case !w.is(end, "("):
			return true
		}
		i = end - 1
	}
	return false
}

// afterType passes over the further words of types that have some.
func (w *wrapper) afterType(i int) int {
	for i < len(w.words) && slices.Contains([]string{"varying", "precision", "with", "without", "time", "zone"}, w.words[i].text) {
		i++
	}
	return i
}

// bare reports whether the words are in a sub-select that runs once: it reads
// from nothing and uses no column.
func (w *wrapper) bare(s span) bool {
	for open := w.opening(s.from); open >= 0; open = w.opening(open) {
		if w.is(open+1, "SELECT") {
			query := span{open + 1, w.closing(open)}
			return !w.within(query, "FROM") && !w.columns(query)
		}
	}
	return false
}

// within reports whether a word stands among others and not in brackets there.
func (w *wrapper) within(s span, text string) bool {
	for i := s.from; i < s.to; i++ {
		switch w.words[i].text {
		case "(", "[":
			i = w.closing(i)
		case text:
			return true
		}
	}
	return false
}

// widen takes in what is around a span for as long as it uses no column: calls
// whose arguments they are, and what brackets hold together.
func (w *wrapper) widen(s span) span {
	for {
		open := w.opening(s.from)
		if open < 0 || !w.is(open, "(") {
			return s
		}
		outer := span{open, w.closing(open) + 1}
		if before := open - 1; before >= 0 && w.words[before].name && (!w.words[before].keyword() || functional[w.words[before].text]) {
			for outer.from = before; w.is(outer.from-1, "."); {
				outer.from -= 2
			}
		} else if before >= 0 && w.words[before].keyword() && !joining[w.words[before].text] ||
			w.within(span{open + 1, outer.to - 1}, ",") || w.is(open+1, "SELECT") {
			return s
		}
		if w.columns(outer) || w.is(outer.from-1, "::") {
			return s
		}
		s = outer
	}
}

// functional keywords are called like functions; joining ones stand before an
// operand in brackets.
var (
	functional = map[string]bool{"COALESCE": true, "NULLIF": true, "GREATEST": true, "LEAST": true}
	joining    = map[string]bool{"AND": true, "OR": true, "NOT": true, "WHEN": true, "THEN": true, "ELSE": true, "WHERE": true, "ON": true, "FROM": true, "CASE": true, "BETWEEN": true}
)

// all reports whether the span is all that ANY or ALL is about.
func (w *wrapper) all(s span) bool {
	from, to := s.from, s.to
	for w.is(from-1, "(") && w.is(to, ")") {
		if w.is(from-2, "ANY") || w.is(from-2, "ALL") {
			return true
		}
		from, to = from-1, to+1
	}
	return false
}

// result returns the type of a span that is one call, if only one function of
// the expression can be meant.
func (w *wrapper) result(s span) (string, bool) {
	var result string
	for _, f := range w.known {
		found, ok := w.call(s.from, &f)
		if !ok || found != s {
			continue
		}
		if result != "" && result != f.Result || strings.HasPrefix(f.Result, "any") {
			return "", false
		}
		result = f.Result
	}
	return result, result != ""
}
