package encode_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// streamedURLs are requests whose documents may be streamed where pages are
// unlimited.
var streamedURLs = []string{
	"/post", "/kinds", "/like", "/revision?fields[revision]=", "/post?page[offset]=2", "/post?page[total]=none&sort=-title", "/post?page[total]=2",
	"/post?page[total]=estimate&page[offset]=0", "/post/1/comments", "/post/1/tags?page[total]=none", "/post/1/relationships/comments",
	"/post/1/relationships/tags?page[total]=5&page[offset]=3",
}

// A stream writes the document that its rows make at once, in whatever pieces
// they come.
func TestStream(t *testing.T) {
	s, e := golden.Schema(t), newEncoder()
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 2))
		url := streamedURLs[random.IntN(len(streamedURLs))]
		at, p, err := request(s, url, plan.Options{PageSize: plan.Unlimited, AllowEstimates: true})
		if err != nil || !p.Read().Unbounded() {
			t.Fatalf("%s is not streamed: %v", url, err)
		}
		result := drawResult(random, p)
		want, wantErr := e.AppendDocument(nil, at, p, result)
		for size := range 13 {
			var got bytes.Buffer
			err := streamed(e.Stream(&got, at, p), result, size)
			if got.String() != string(want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("seed %d, %s in pieces of %d: got %s and error %v, want %s and error %v", seed, url, size, got.String(), err, want, wantErr)
			}
		}
	}
}

// So does the document of a page that is gathered, behind what was there, also
// where the rows come again.
func TestGather(t *testing.T) {
	s, e := golden.Schema(t), newEncoder()
	const before = "before "
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 3))
		url := streamedURLs[random.IntN(len(streamedURLs))]
		at, p, err := request(s, url, plan.Options{PageSize: 3, AllowEstimates: true})
		if err != nil || !p.Read().RowByRow() || p.Read().Unbounded() {
			t.Fatalf("%s is not gathered: %v", url, err)
		}
		result := drawResult(random, p)
		want, wantErr := e.AppendDocument([]byte(before), at, p, result)
		for size := range 4 {
			g := e.Gather([]byte(before), at, p)
			if random.IntN(2) > 0 && g.Rows(result) == nil && !g.Again() {
				t.Fatal("what was gathered cannot be given back")
			}
			err := given(g, result, size)
			got := g.Text()
			g.Close()
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && string(got) != string(want) {
				t.Fatalf("seed %d, %s in pieces of %d: got %s and error %v, want %s and error %v", seed, url, size, got, err, want, wantErr)
			}
		}
	}
}

// streamed gives a result to a stream, with so many rows at a time; 0: all of
// them. Where there are none, only the end comes, as exec does it.
func streamed(s *encode.Stream, result *exec.Result, size int) error {
	defer s.Close()
	return given(s, result, size)
}

func given(s *encode.Stream, result *exec.Result, size int) error {
	page := pageOf(result)
	rows := rowsOf(result, page)
	end := pieceOf(result, page, nil)
	end.Parts[page] = result.Parts[page] // which says whether more follow
	for i := page + 1; i < len(end.Parts); i++ {
		end.Parts[i] = result.Parts[i]
	}
	for len(rows) > 0 {
		n := len(rows)
		if size > 0 {
			n = min(size, n)
		}
		if err := s.Rows(pieceOf(result, page, rows[:n])); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return s.End(end)
}

func pageOf(result *exec.Result) int {
	for i, st := range result.Pipeline.Statements {
		if st.Part == sqlgen.Page {
			return i
		}
	}
	panic("no page")
}

func rowsOf(result *exec.Result, part int) [][][]byte {
	rows := make([][][]byte, result.Parts[part].Len())
	for row := range rows {
		for c := range result.Pipeline.Statements[part].Columns {
			rows[row] = append(rows[row], result.Parts[part].Value(row, c))
		}
	}
	return rows
}

// pieceOf is a result as it is in the middle of its page: with some rows of that,
// and none of what follows it.
func pieceOf(result *exec.Result, page int, rows [][][]byte) *exec.Result {
	piece := &exec.Result{Pipeline: result.Pipeline}
	for i, st := range result.Pipeline.Statements {
		switch {
		case i < page:
			piece.Parts = append(piece.Parts, result.Parts[i])
		case i == page:
			piece.Parts = append(piece.Parts, exec.NewRows(len(st.Columns), rows...))
		default:
			piece.Parts = append(piece.Parts, exec.NewRows(len(st.Columns)))
		}
	}
	return piece
}

// A pieces keeps what was written, and the length of each piece.
type pieces struct {
	bytes.Buffer
	lengths []int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.lengths = append(p.lengths, len(b))
	return p.Buffer.Write(b)
}

// chunk is a hundred rows of a list: each two of them differ in what has to be
// said of their values.
func chunk(t *testing.T) (encode.Address, *plan.Plan, *exec.Result) {
	t.Helper()
	at, p, err := request(golden.Schema(t), "/comment?fields[comment]=body,createdAt,parentId", plan.Options{PageSize: plan.Unlimited})
	if err != nil {
		t.Fatal(err)
	}
	text := "page\n" + strings.Repeat(" 7 \"A comment that says something.\" NULL 6\n 8 \"Another one.\" 2026-02-03T04:05:06Z NULL\n", 50)
	result, err := spelled(p, text)
	if err != nil {
		t.Fatal(err)
	}
	return at, p, result
}

// A document is written in pieces of some size, a small one at once.
func TestStreamPieces(t *testing.T) {
	at, p, result := chunk(t)
	e, page := newEncoder(), pageOf(result)
	for _, chunks := range []int{1, 100} {
		var rows [][][]byte
		for range chunks {
			rows = append(rows, rowsOf(result, page)...)
		}
		whole := pieceOf(result, page, rows)
		want, err := e.AppendDocument(nil, at, p, whole)
		if err != nil {
			t.Fatal(err)
		}
		var got pieces
		if err := streamed(e.Stream(&got, at, p), whole, 77); err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%d chunks: another document than at once", chunks)
		}
		if many := chunks > 1; many != (len(got.lengths) > 1) {
			t.Errorf("%d chunks in pieces of %v", chunks, got.lengths)
		}
		for _, length := range got.lengths[:len(got.lengths)-1] {
			if length < 64<<10 || length > 65<<10 {
				t.Errorf("%d chunks in pieces of %v", chunks, got.lengths)
				break
			}
		}
	}
}

// Where the writer is gone, the stream says so.
func TestStreamPassesWriteErrorsOn(t *testing.T) {
	at, p, result := chunk(t)
	r, w := io.Pipe()
	r.Close()
	s := newEncoder().Stream(w, at, p)
	defer s.Close()
	var err error
	for range 100 {
		if err = s.Rows(result); err != nil {
			break
		}
	}
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

// Rows that are all different in their annotations are refused at some point.
func TestStreamBoundsAnnotations(t *testing.T) {
	at, p, err := request(golden.Schema(t), "/kinds?fields[kinds]=bigints&page[total]=none", plan.Options{PageSize: plan.Unlimited})
	if err != nil {
		t.Fatal(err)
	}
	pipeline := sqlgen.NewCompiler().Compile(p.Action)
	s := newEncoder().Stream(io.Discard, at, p)
	defer s.Close()
	for length := 1; err == nil; length++ {
		if length > 2000 {
			t.Fatal("the annotations are not bounded")
		}
		array := []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, byte(length >> 8), byte(length), 0, 0, 0, 1}
		array = append(array, bytes.Repeat([]byte{0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1}, length)...)
		err = s.Rows(&exec.Result{Pipeline: pipeline, Parts: []exec.Rows{exec.NewRows(2, [][]byte{{0, 0, 0, 1}, array})}})
	}
	if errs := jsonapi.AsErrors(err); errs[0].Code != jsonapi.QueryError {
		t.Errorf("got %v", err)
	}
}
