package encode_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// TestDocument writes documents of results that the files spell out. The input
// is a request, then each statement's part and its rows: a line for each, with
// a value for each column. NULL is NULL; a value with blanks is quoted.
//
//	document   the document, indented
//	links      its links and its meta, as a line for each
//	tag        its entity tag
//	location   the address of the resource that the document shows
//	results    the document that answers a batch, see resultsOf
//	           all with page-size=2, max-included=1, divider=-, digests, strict,
//	           written: as the answer of a write, see asAnswer
func TestDocument(t *testing.T) {
	s := golden.Schema(t)
	golden.Run(t, "testdata", func(t *testing.T, c *golden.Case) string {
		o := options(t, c)
		if c.Cmd == "results" {
			return resultsOf(t, c, s, o)
		}
		url, parts, _ := strings.Cut(c.Input, "\n")
		at, p, err := request(s, url, o)
		if err != nil {
			c.Fatalf(t, "%v", err)
		}
		e := encode.NewEncoder(encoding(o, c))
		result, err := spelled(p, parts)
		if err != nil {
			c.Fatalf(t, "%v", err)
		}
		if c.HasArg("written") {
			at.Path = ""
			p, result = asAnswer(p, result)
		}
		if c.Cmd == "location" {
			location, err := e.Location(p, result)
			if err != nil {
				return golden.Errors(err)
			}
			return location + "\n"
		}
		out, err := e.AppendDocument(nil, at, p, result)
		if err != nil {
			return golden.Errors(err) + strings.Repeat("and a document\n", min(len(out), 1))
		}
		switch c.Cmd {
		case "document":
			return indented(t, out)
		case "links":
			return linksOf(t, out)
		case "tag":
			return cmp.Or(encode.ETag(result, out), "none") + "\n"
		default:
			c.Fatalf(t, "unknown command %q", c.Cmd)
			return ""
		}
	})
}

func options(t *testing.T, c *golden.Case) plan.Options {
	o := plan.Options{PageSize: plan.DefaultPageSize, Divider: plan.DefaultDivider}
	for _, arg := range c.CmdArgs {
		switch {
		case arg.Key == "page-size" && arg.Vals[0] == "unlimited":
			o.PageSize = plan.Unlimited
		case arg.Key == "page-size":
			c.ScanArgs(t, arg.Key, &o.PageSize)
		case arg.Key == "max-included":
			c.ScanArgs(t, arg.Key, &o.Limits.Included)
		case arg.Key == "divider":
			o.Divider = arg.Vals[0]
		case arg.Key == "digests":
			o.Digests = true
		case arg.Key == "estimates":
			o.AllowEstimates = true
		case arg.Key == "profile":
			o.CursorProfile = true
		case arg.Key == "strict", arg.Key == "written": // of the encoder, of the action
		default:
			c.Fatalf(t, "unknown argument %s", arg)
		}
	}
	return o
}

// encoding are the options of documents that keep to those of their plans.
func encoding(o plan.Options, c *golden.Case) encode.Options {
	return encode.Options{
		Endpoint: "https://example.org/api", PageSize: max(o.PageSize, 0), Divider: o.Divider, StringIDs: c.HasArg("strict"),
	}
}

// request plans a request, and says where its document is served.
func request(s *schema.Schema, url string, o plan.Options) (encode.Address, *plan.Plan, error) {
	path, query, _ := strings.Cut(url, "?")
	target, err := parse.Path(path)
	if err != nil {
		return encode.Address{}, nil, err
	}
	r, err := parse.Query(target, query, parse.Options{Allow: []string{"lang"}})
	if err != nil {
		return encode.Address{}, nil, err
	}
	p, err := plan.Build(s.FullView(), r, o)
	at := encode.Address{
		Path: target.Path(), Query: parse.Encode(r.Params),
		Before: grouped(r, parse.FilterGroup, parse.SortGroup), After: grouped(r, parse.IncludeGroup, parse.FieldsGroup, parse.OtherGroup),
		Page: kept(r),
	}
	return at, p, err
}

// kept are the page parameters that page links keep.
func kept(r *parse.Request) string {
	var params []parse.Param
	for _, p := range r.Page {
		if p.Path != nil || p.Name == "total" {
			params = append(params, parse.Param{Name: p.Parameter, Value: p.Value})
		}
	}
	return parse.Encode(params)
}

func grouped(r *parse.Request, groups ...parse.Group) string {
	var params []parse.Param
	for _, g := range groups {
		for _, p := range r.Params {
			if p.Group == g {
				params = append(params, p)
			}
		}
	}
	return parse.Encode(params)
}

// spelled reads the rows of every statement of the plan's pipeline.
func spelled(p *plan.Plan, text string) (*exec.Result, error) {
	pipeline := sqlgen.NewCompiler().Compile(p.Action)
	rows := make([][][][]byte, len(pipeline.Statements))
	at := -1
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, " ") {
			if at++; at == len(rows) || pipeline.Statements[at].Part.String() != line {
				return nil, fmt.Errorf("%q is not the part with the number %d of\n%s", line, at, pipeline)
			}
			continue
		}
		if at < 0 {
			return nil, errors.New("a row before any part")
		}
		row, err := rowOf(pipeline.Statements[at], line)
		if err != nil {
			return nil, err
		}
		rows[at] = append(rows[at], row)
	}
	if at != len(rows)-1 {
		return nil, fmt.Errorf("%d parts of\n%s", at+1, pipeline)
	}
	result := &exec.Result{Pipeline: pipeline}
	for i, st := range pipeline.Statements {
		result.Parts = append(result.Parts, exec.NewPart(st, rows[i]...))
	}
	return result, nil
}

func rowOf(st *sqlgen.Statement, line string) (row [][]byte, err error) {
	rest := strings.TrimSpace(line)
	for rest != "" {
		if len(row) == len(st.Columns) {
			return nil, fmt.Errorf("more than %d values in %q for\n%s", len(row), line, st)
		}
		text, isQuoted := rest, false
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			text, _ = strconv.Unquote(quoted)
			rest, isQuoted = rest[len(quoted):], true
		} else {
			text, rest, _ = strings.Cut(rest, " ")
		}
		var value []byte
		if isQuoted || text != "NULL" {
			if value, err = raw(st.Columns[len(row)], text); err != nil {
				return nil, err
			}
		}
		row, rest = append(row, value), strings.TrimLeft(rest, " ")
	}
	if len(row) < len(st.Columns) {
		return nil, fmt.Errorf("%d values in %q for\n%s", len(row), line, st)
	}
	return row, nil
}

// raw makes a value as Postgres sends it: of some kinds, as many as these files
// need.
func raw(c sqlgen.Column, text string) ([]byte, error) {
	if c.Format == sqlgen.Text {
		return []byte(text), nil
	}
	switch t := c.Type.Base(); t.Kind {
	case schema.Bool:
		return map[string][]byte{"true": {1}, "false": {0}}[text], nil
	case schema.Int4:
		n, err := strconv.ParseInt(text, 10, 32)
		return binary.BigEndian.AppendUint32(nil, uint32(n)), err
	case schema.Int8:
		n, err := strconv.ParseInt(text, 10, 64)
		return binary.BigEndian.AppendUint64(nil, uint64(n)), err
	case schema.Float8:
		f, err := strconv.ParseFloat(text, 64)
		return binary.BigEndian.AppendUint64(nil, math.Float64bits(f)), err
	case schema.Timestamptz:
		moment, err := time.Parse(time.RFC3339Nano, text)
		micros := moment.Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).Microseconds()
		return binary.BigEndian.AppendUint64(nil, uint64(micros)), err
	case schema.Bytea:
		return hex.DecodeString(text)
	case schema.UUID:
		return hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	default:
		return nil, fmt.Errorf("values of kind %s are not spelled in these files", t.Kind)
	}
}

func indented(t *testing.T, document []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, document, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	return out.String()
}

// linksOf prints the links in their order, without the endpoint, and the meta.
func linksOf(t *testing.T, document []byte) string {
	t.Helper()
	var d struct {
		Links, Meta json.RawMessage
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	links := strings.NewReplacer(`","`, "\n", `":"https://example.org/api`, " ", `,"`, "\n", `":null`, " null", `{"`, "", `"}`, "", `}`, "").
		Replace(string(d.Links))
	return links + "\n" + string(d.Meta)
}

// newEncoder returns an encoder as the handlers of most tests have it.
func newEncoder() *encode.Encoder {
	return encode.NewEncoder(encode.Options{Endpoint: "https://example.org/api", PageSize: plan.DefaultPageSize, Divider: plan.DefaultDivider})
}

// Documents are written at once from pooled memory, among them some that fail;
// none has anything of another.
func TestDocumentConcurrently(t *testing.T) {
	s, e := golden.Schema(t), newEncoder()
	at, p, result := large(t)
	want, err := e.AppendDocument(nil, at, p, result)
	if err != nil {
		t.Fatal(err)
	}
	_, absent, err := request(s, "/post/1", plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	nothing, err := spelled(absent, "page\n")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				before := []byte("before ")
				if got, err := e.AppendDocument(before, at, absent, nothing); err == nil || string(got) != "before " {
					t.Errorf("a document of nothing: %s", got)
				}
				if got, err := e.AppendDocument(before, at, p, result); err != nil || string(got) != "before "+string(want) {
					t.Errorf("another document beside others: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

// large is a page of 100 posts with their authors and ten comments each.
func large(t testing.TB) (encode.Address, *plan.Plan, *exec.Result) {
	t.Helper()
	at, p, err := request(golden.Schema(t), "/post?include=author,comments&fields[post]=title,content,viewCount,createdAt,author,comments"+
		"&fields[user]=name,createdAt&fields[comment]=body,createdAt,post", plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const moment = "2026-02-03T04:05:06Z"
	var text strings.Builder
	text.WriteString("page\n")
	for i := range 100 {
		fmt.Fprintf(&text, " %d \"Title of post %d\" \"A text of some length, with \\\"quotes\\\" in it.\" %d %s %d\n", i, i, 7*i, moment, i%20)
	}
	text.WriteString("rows\n")
	for i := range 20 {
		fmt.Fprintf(&text, " %d \"Author %d\" %s\n", i, i, moment)
	}
	text.WriteString("rows\n")
	for i := range 1000 {
		fmt.Fprintf(&text, " %d \"A comment that says something.\" %s %d\n", i, moment, i%100)
	}
	text.WriteString("count\n 200000\n")
	result, err := spelled(p, text.String())
	if err != nil {
		t.Fatal(err)
	}
	return at, p, result
}

// single is a post with ten attributes and its relationships.
func single(t testing.TB) (encode.Address, *plan.Plan, *exec.Result) {
	t.Helper()
	at, p, err := request(golden.Schema(t), "/post/7?fields[post]=title,content,status,published,viewCount,rating,price,data,createdAt,updatedAt,author,comments,tags,likes",
		plan.Options{Digests: true})
	if err != nil {
		t.Fatal(err)
	}
	result, err := spelled(p, `page
 7 "A title of some length" "A text with \"quotes\" in it, and of some more length." open true 1234 4.5 1.50 "{\"a\": [1, null]}" 2026-02-03T04:05:06Z NULL 3 00112233445566778899aabbccddeeff
`)
	if err != nil {
		t.Fatal(err)
	}
	return at, p, result
}

func BenchmarkDocument(b *testing.B) {
	b.Run("post", func(b *testing.B) {
		at, p, result := single(b)
		written(b, at, p, result)
	})
	b.Run("resource", func(b *testing.B) {
		at, p, err := request(golden.Schema(b), "/user/7", plan.Options{})
		if err != nil {
			b.Fatal(err)
		}
		result, err := spelled(p, "page\n 7 ann@example.org Ann writer 3 2026-02-03T04:05:06Z\n")
		if err != nil {
			b.Fatal(err)
		}
		written(b, at, p, result)
	})
	b.Run("page of 100 with 1020 included", func(b *testing.B) {
		at, p, result := large(b)
		written(b, at, p, result)
	})
}

func written(b *testing.B, at encode.Address, p *plan.Plan, result *exec.Result) {
	e := newEncoder()
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if out, err = e.AppendDocument(out[:0], at, p, result); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(out)))
}
