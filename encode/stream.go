package encode

import (
	"io"
	"sync"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/plan"
)

// A Stream writes one document as its rows come, in memory that does not grow
// with their number but for the annotations, which come last. What it writes is
// what AppendDocument appends for the same rows. MaxBytes bounds the text of a row,
// not that of the document.
//
// Once any of its methods has returned an error, only Close is to be called.
type Stream struct {
	to    io.Writer // nil: the text stays
	d     *document // its text is what has not been written yet
	plan  *plan.Plan
	begun bool
	rows  int
	sent  bool // some of the text has been written
	notes rowAnnotations
	start int    // of the text
	buf   []byte // the text's memory, between two streams
}

// pieceBytes is the least that a stream writes at once, but for the last time.
const pieceBytes = 64 << 10

var streams = sync.Pool{New: func() any { return new(Stream) }}

// Stream begins the document that answers p, a read that goes plan.Read.RowByRow.
// It is to be closed.
func (e *Encoder) Stream(w io.Writer, at Address, p *plan.Plan) *Stream {
	s := streams.Get().(*Stream)
	s.to, s.plan = w, p
	s.d = e.newDocument(s.buf[:0], at)
	return s
}

// Gather begins the same document as text that is appended to dst: what Text
// returns after End. MaxBytes bounds it.
func (e *Encoder) Gather(dst []byte, at Address, p *plan.Plan) *Stream {
	s := streams.Get().(*Stream)
	s.plan, s.start = p, len(dst)
	s.d = e.newDocument(dst, at)
	return s
}

// Text is the document that was gathered, behind what dst had.
func (s *Stream) Text() []byte { return s.d.buf }

// Again begins the document anew. It reports false where some of it was written.
func (s *Stream) Again() bool {
	if s.sent {
		return false
	}
	s.d.buf, s.begun, s.rows = s.d.buf[:s.start], false, 0
	s.d.result = nil // the memory of which may be that of the next one
	s.d.notes.reset()
	s.notes.reset()
	return true
}

// Rows writes the next rows of the page: those that r has. Of its other parts,
// those of the statements before the page are complete. r is not kept.
//
// What was written is part of a document only if End returns no error. A
// jsonapi.NotFound, where the parent is absent or invisible, comes before anything
// is written.
func (s *Stream) Rows(r *exec.Result) error {
	d := s.d
	s.show(r)
	if err := s.begin(); err != nil {
		return err
	}
	for row := range d.items {
		if s.rows > 0 {
			d.text(",")
		}
		if err := s.element(row); err != nil {
			return err
		}
		s.rows++
	}
	return nil
}

// show turns to the rows of r, which mostly is the one that came before.
func (s *Stream) show(r *exec.Result) {
	if s.d.result != r {
		s.d.show(s.plan, r)
	}
	s.d.items = s.d.rows(s.d.page).Len()
}

// element appends the element of a row. Of a text that is gathered the annotations
// are kept as they are.
func (s *Stream) element(row int) error {
	if s.to == nil {
		index := s.d.notes.enterIndex(s.rows)
		err := s.d.element(row)
		s.d.notes.leave(index)
		return err
	}
	if err := s.d.element(row); err != nil {
		return err
	}
	if err := s.notes.take(&s.d.notes); err != nil {
		return err
	}
	return s.write()
}

// End writes what follows the rows. r has all parts but the page's rows. A
// jsonapi.NotFound comes where no rows have.
func (s *Stream) End(r *exec.Result) error {
	d := s.d
	s.show(r)
	d.items = s.rows
	if err := s.begin(); err != nil {
		return err
	}
	if err := d.count(); err != nil {
		return err
	}
	d.text("]")
	if err := d.links(); err != nil {
		return err
	}
	if s.to == nil {
		d.meta()
		d.text("}")
		return nil
	}
	if err := s.meta(); err != nil {
		return err
	}
	d.text("}")
	return s.flush()
}

// Close gives the stream's memory back.
func (s *Stream) Close() {
	buf := s.d.buf
	if s.to == nil {
		buf = s.buf // the other one is the caller's
	}
	s.d.release()
	s.notes.reset()
	if cap(buf) <= keptBytes {
		*s = Stream{notes: s.notes, buf: buf}
		streams.Put(s)
	}
}

// begin opens the document, unless it is open.
func (s *Stream) begin() error {
	if s.begun {
		return nil
	}
	if err := s.d.find(); err != nil {
		return err
	}
	s.begun = true
	s.d.text(openDocument)
	s.d.text("[")
	s.d.notes.enter("data")
	if s.to != nil {
		s.d.notes.push("." + anyRow)
	}
	return nil
}

// meta appends what a document has as meta, with the annotations of all rows.
func (s *Stream) meta() error {
	m := s.d.openMeta()
	if s.notes.empty() {
		m.close()
		return nil
	}
	m.member("serialization")
	s.d.text(`{"values":{`)
	first := true
	for row, text := range s.notes.all {
		if !first {
			s.d.text(",")
		}
		first = false
		s.d.buf = appendRowAnnotations(s.d.buf, text, row)
		if err := s.write(); err != nil {
			return err
		}
	}
	s.d.text("}}}")
	return nil
}

// write writes what there is, once it is a piece.
func (s *Stream) write() error {
	if len(s.d.buf) < pieceBytes {
		return nil
	}
	return s.flush()
}

func (s *Stream) flush() error {
	s.sent = true
	_, err := s.to.Write(s.d.buf)
	s.d.buf = s.d.buf[:0]
	return err
}
