package benchmarks_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// A stage is one step of an answer: a function that takes it once.
type stage struct {
	name string
	run  func() error
}

// A bench is a data set with the stages of a request over it.
type bench struct {
	site     *blog.Site
	handler  http.Handler
	view     *schema.View
	client   exec.Client
	compiler *sqlgen.Compiler
	encoder  *encode.Encoder
}

func newBench(t testing.TB) *bench {
	t.Helper()
	ctx := context.Background() // as that of the test has to be watched
	dsn := pgtest.Database(t, "")
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	if err := blog.Install(ctx, conn, blog.Small); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(ctx); err != nil {
		t.Fatal(err)
	}
	site, err := blog.Open(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(site.Close)
	b := &bench{site: site, client: site.DB.As(blog.Session()), compiler: sqlgen.NewCompiler()}
	if b.handler, err = site.Handler(); err != nil {
		t.Fatal(err)
	}
	if b.view, err = b.client.View(ctx, site.Schema); err != nil {
		t.Fatal(err)
	}
	b.encoder = encode.NewEncoder(encode.Options{Endpoint: blog.Endpoint, PageSize: plan.DefaultPageSize, Divider: plan.DefaultDivider})
	return b
}

// stages are those of one request that reads, and all of them together.
func (b *bench) stages(t testing.TB, r blog.Request) []stage {
	t.Helper()
	ctx := context.Background()
	request, err := read(r)
	if err != nil {
		t.Fatal(err)
	}
	options := plan.Options{PageSize: plan.DefaultPageSize, Total: &plan.Total{Kind: plan.ExactTotal}, Digests: true}
	planned, err := plan.Build(b.view, request, options)
	if err != nil {
		t.Fatal(err)
	}
	pipeline := b.compiler.Compile(planned.Action)
	result, err := b.client.Run(ctx, pipeline, planned)
	if err != nil {
		t.Fatal(err)
	}
	at := encode.Address{Path: request.Target.Path(), Query: parse.Encode(request.Params)}
	var document []byte
	served := httptest.NewRequestWithContext(ctx, r.Method, r.URI(), nil)
	w := &discard{header: make(http.Header)}
	return []stage{
		{"parse", func() error { _, err := read(r); return err }},
		{"plan", func() error { _, err := plan.Build(b.view, request, options); return err }},
		{"compile", func() error { sqlgen.NewCompiler().Compile(planned.Action); return nil }},
		{"compiled", func() error { b.compiler.Compile(planned.Action); return nil }},
		{"exec", func() error {
			got, err := b.client.Run(ctx, pipeline, planned)
			if err == nil {
				got.Release()
			}
			return err
		}},
		{"encode", func() (err error) {
			document, err = b.encoder.AppendDocument(document[:0], at, planned, result)
			return err
		}},
		{"serve", func() error { w.reset(); b.handler.ServeHTTP(w, served); return nil }},
	}
}

func read(r blog.Request) (*parse.Request, error) {
	target, err := parse.Path(r.Path)
	if err != nil {
		return nil, err
	}
	return parse.Query(target, r.Query, parse.Options{})
}

// discard is a ResponseWriter that keeps nothing.
type discard struct{ header http.Header }

func (d *discard) reset()                      { clear(d.header) }
func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }

var _ io.Writer = (*discard)(nil)

func BenchmarkStages(b *testing.B) {
	all := newBench(b)
	for _, w := range blog.Workloads {
		if w.Writes {
			continue
		}
		b.Run(w.Name, func(b *testing.B) {
			for _, s := range all.stages(b, w.Requests(blog.Small)[0]) {
				b.Run(s.name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if err := s.run(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}
