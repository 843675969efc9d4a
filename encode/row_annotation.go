package encode

import (
	"encoding/binary"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
)

// rowAnnotations keep the annotations of a list's rows until all rows have been
// written: once what those of a row are but for its index, and of each row which
// of these it has. The zero value is of no rows.
type rowAnnotations struct {
	numbers map[string]int // of texts
	texts   []string       // what a row has, with anyRow for its index
	size    int            // about how many bytes these are
	// runs are the rows so far: of each run of rows that have the same text, its
	// number times two, plus one where it is more than one row, and then their
	// number. The last run is not among them.
	runs []byte
	last run
}

// A run is rows that have the same text.
type run struct{ text, rows int }

// anyRow stands for a row's index in a path. No path has the byte in it, as within
// JSON strings it is escaped.
const (
	anyRow     = "\x00"
	anyRowByte = 0
)

// maxRowAnnotations bounds the bytes that are kept. Of most lists it is a few
// hundred, and up to a byte for each row; arrays of numbers, each of another
// length, may make every row different.
const maxRowAnnotations = 16 << 20

// textOverhead is about what keeping a text takes beside its bytes.
const textOverhead = 64

// take adds a row with the annotations of n, which is emptied of them.
func (a *rowAnnotations) take(n *annotations) error {
	values := n.values
	n.values = values[:0]
	if a.last.rows > 0 && string(values) == a.texts[a.last.text] {
		a.last.rows++
		return nil
	}
	a.endRun()
	text, ok := a.numbers[string(values)]
	if !ok {
		text = a.add(string(values))
	}
	a.last = run{text: text, rows: 1}
	if a.size+len(a.runs) > maxRowAnnotations {
		return jsonapi.Errorf(jsonapi.QueryError, jsonapi.Source{},
			"The rows differ too much in which of their values `meta` would have to name; ask for pages or for fewer fields.")
	}
	return nil
}

func (a *rowAnnotations) add(text string) (number int) {
	if a.numbers == nil {
		a.numbers = make(map[string]int)
	}
	number = len(a.texts)
	a.numbers[text] = number
	a.texts = append(a.texts, text)
	a.size += len(text) + textOverhead
	return number
}

func (a *rowAnnotations) endRun() {
	switch r := a.last; r.rows {
	case 0:
	case 1:
		a.runs = binary.AppendUvarint(a.runs, uint64(r.text)<<1)
	default:
		a.runs = binary.AppendUvarint(a.runs, uint64(r.text)<<1|1)
		a.runs = binary.AppendUvarint(a.runs, uint64(r.rows))
	}
	a.last = run{}
}

// empty reports whether no row is annotated.
func (a *rowAnnotations) empty() bool {
	return len(a.texts) == 0 || len(a.texts) == 1 && a.texts[0] == ""
}

// all yields the rows that are annotated, each with its text.
func (a *rowAnnotations) all(yield func(row int, text string) bool) {
	a.endRun()
	row := 0
	for rest := a.runs; len(rest) > 0; {
		var r run
		r, rest = nextRun(rest)
		text := a.texts[r.text]
		if text == "" {
			row += r.rows
			continue
		}
		for range r.rows {
			if !yield(row, text) {
				return
			}
			row++
		}
	}
}

func nextRun(runs []byte) (r run, rest []byte) {
	head, n := binary.Uvarint(runs)
	r, runs = run{text: int(head >> 1), rows: 1}, runs[n:]
	if head&1 != 0 {
		rows, n := binary.Uvarint(runs)
		r.rows, runs = int(rows), runs[n:]
	}
	return r, runs
}

// appendRowAnnotations appends a text with a row's index.
func appendRowAnnotations(dst []byte, text string, row int) []byte {
	var room [20]byte
	index := appendInt(room[:0], int64(row))
	for {
		at := strings.IndexByte(text, anyRowByte)
		if at < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:at]...)
		dst = append(dst, index...)
		text = text[at+1:]
	}
}

// keptTexts is how many texts may have been kept for their memory to be used
// again.
const keptTexts = 1 << 10

// reset forgets all rows.
func (a *rowAnnotations) reset() {
	if len(a.texts) > keptTexts || cap(a.runs) > keptBytes {
		*a = rowAnnotations{}
		return
	}
	clear(a.numbers)
	clear(a.texts)
	*a = rowAnnotations{numbers: a.numbers, texts: a.texts[:0], runs: a.runs[:0]}
}
