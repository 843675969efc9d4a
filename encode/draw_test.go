package encode_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// TestDrawnDocuments shows that documents of results at random are what they are
// on their own, whatever the memory that they are made in was used for before: no
// layout, graph or annotation has anything of another.
func TestDrawnDocuments(t *testing.T) {
	s, used := golden.Schema(t), newEncoder()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		url := drawnURLs[random.IntN(len(drawnURLs))]
		at, p, err := request(s, url, plan.Options{CursorProfile: true, AllowEstimates: true})
		if err != nil {
			t.Fatalf("%s: %v", url, err)
		}
		result := drawResult(random, p)
		got, gotErr := used.AppendDocument([]byte("before "), at, p, result)
		want, wantErr := newEncoder().AppendDocument(nil, at, p, result)
		if string(got) != "before "+string(want) || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Errorf("seed %d, %s: got %s and error %v, want %s and error %v", seed, url, got, gotErr, want, wantErr)
		}
	}
}

// drawnURLs are requests whose results are drawn.
var drawnURLs = []string{
	"/post/1", "/post", "/post/1/comments", "/post/1/author", "/like", "/revision", "/kinds/1", "/kinds",
	"/post?page[after]=&sort=-title,rating", "/post?page[before]=&page[size]=3", "/post?page[total]=2&page[limit]=3&page[offset]=2",
	"/post/1/relationships/comments", "/post/1/relationships/tags?page[limit]=2", "/post/1/relationships/author", "/user/1/relationships/profile",
	"/post/1/relationships/tags?include=tags", "/post/1/relationships/comments?include=comments.author", "/city?include=country",
	"/post?include=author,comments", "/post?include=tags,author.city,comments.author.profile", "/comment?include=parent,comments,post.tags",
	"/post?include=author.posts.comments,comments.author.posts", "/post/1?include=comments,tags&page[comments][limit]=2&page[tags][limit]=1",
	"/comment/1?include=post.comments,comments.post.comments&page[post.comments][limit]=1&page[comments.post.comments][limit]=2",
	"/post?include=likes.user,revisions", "/user?include=likes.post.tags&fields[like]=user,post",
}

// drawResult draws rows for every statement of a plan: few different keys, so
// that many rows belong together.
func drawResult(random *rand.Rand, p *plan.Plan) *exec.Result {
	result := &exec.Result{Pipeline: sqlgen.NewCompiler().Compile(p.Action)}
	for _, st := range result.Pipeline.Statements {
		rows := make([][][]byte, drawLength(random, st.Part, p.Read().Form))
		for i := range rows {
			for c := range st.Columns {
				rows[i] = append(rows[i], drawColumn(random, st, c))
			}
		}
		result.Parts = append(result.Parts, exec.NewPart(st, rows...))
	}
	return result
}

func drawLength(random *rand.Rand, part sqlgen.Part, form plan.Form) int {
	switch {
	case part == sqlgen.Count, part == sqlgen.Estimate:
		return 1
	case part == sqlgen.Check, part == sqlgen.Page && form != plan.Collection && form != plan.Linkage:
		return min(random.IntN(5), 1)
	default:
		return random.IntN(12)
	}
}

func drawColumn(random *rand.Rand, st *sqlgen.Statement, column int) []byte {
	key := st.Part == sqlgen.Count
	for _, c := range st.ID {
		key = key || c == column
	}
	if !key && random.IntN(5) == 0 {
		return nil
	}
	if st.Part == sqlgen.Estimate {
		return fmt.Appendf(nil, `[{"Plan":{"Plan Rows":%d}}]`, random.IntN(9))
	}
	return drawValue(random, st.Columns[column].Type, st.Columns[column].Format)
}

// drawValue draws a value as Postgres sends it.
func drawValue(random *rand.Rand, t *schema.Type, f sqlgen.Format) []byte {
	small := random.IntN(7)
	switch t = t.Base(); t.Kind {
	case schema.Text, schema.Enum:
		return []byte([]string{"a", "b", "", "grüße 😀", "\"q\"\\\n\x01/", "100 % of_it", "\xff."}[small])
	case schema.Bool:
		return []byte{byte(small & 1)}
	case schema.Int2:
		return binary.BigEndian.AppendUint16(nil, uint16(small*-5000))
	case schema.Int4:
		return binary.BigEndian.AppendUint32(nil, uint32(small))
	case schema.Int8:
		return binary.BigEndian.AppendUint64(nil, uint64(small))
	case schema.Float4:
		return binary.BigEndian.AppendUint32(nil, math.Float32bits([]float32{0, 1.5, -2e-9, 3e30, float32(math.Inf(1)), 6, 7}[small]))
	case schema.Float8:
		return binary.BigEndian.AppendUint64(nil, math.Float64bits([]float64{0, 1.5, -2e-9, 3e30, math.Inf(-1), math.NaN(), 7}[small]))
	case schema.Numeric:
		if f == sqlgen.Binary { // 3.1
			return []byte{0, 2, 0, 0, 0, 0, 0, 1, 0, 3, 3, 232}
		}
		return []byte([]string{"0", "1.50", "-3", "NaN", "1000000000000000000000", "6", "7"}[small])
	case schema.Timestamptz, schema.Timestamp:
		return binary.BigEndian.AppendUint64(nil, uint64([]int64{0, 1, -1, math.MaxInt64, math.MinInt64, 823_456_789_012_300, 1e17}[small]))
	case schema.Date:
		return binary.BigEndian.AppendUint32(nil, uint32([]int32{0, 1, -1, math.MaxInt32, math.MinInt32, 9_000, -800_000}[small]))
	case schema.Time:
		return binary.BigEndian.AppendUint64(nil, uint64(small)*12_345_678_901)
	case schema.Timetz:
		return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, uint64(small)*12_345_678_901), uint32(3600*(small-3)))
	case schema.Interval:
		return append(binary.BigEndian.AppendUint64(nil, uint64(small)*1_500_000), 0, 0, 0, byte(small), 0, 0, 0, 14)
	case schema.UUID:
		return append(make([]byte, 15), byte(small))
	case schema.Bytea:
		return make([]byte, small)
	case schema.JSON, schema.JSONB:
		return []byte(`{"a":[1,null]}`)
	case schema.Range:
		if t.Multi {
			return make([]byte, 4)
		}
		return []byte{1}
	case schema.Array:
		return drawArray(random, t)
	case schema.Composite:
		out := binary.BigEndian.AppendUint32(nil, uint32(len(t.Members)))
		for _, m := range t.Members {
			out = appendPart(append(out, 0, 0, 0, 0), drawValue(random, m.Type, sqlgen.Binary))
		}
		return out
	default:
		panic("no values of this kind are drawn")
	}
}

func drawArray(random *rand.Rand, t *schema.Type) []byte {
	length := random.IntN(4)
	if length == 0 {
		return make([]byte, 12)
	}
	out := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, uint32(length))
	out = append(out, 0, 0, 0, 1)
	for range length {
		out = appendPart(out, drawValue(random, t.Elem, sqlgen.Binary))
	}
	return out
}

// appendPart appends a part of a container with its length.
func appendPart(dst, value []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(value))), value...)
}
