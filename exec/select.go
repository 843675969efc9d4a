package exec

import (
	"context"
	"fmt"
	"strings"

	"github.com/georgysavva/scany/v2/dbscan"
	"github.com/georgysavva/scany/v2/pgxscan"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// Select runs a plan and scans its primary data into structs, for callers who
// want values instead of a document. Attributes go to the fields whose `db` tag
// has their name, the id of a single key to `id`; columns without a field are
// passed over. Plans with include paths are refused, as are reads of
// relationships. It returns no rows where the document would be `null` or `[]`,
// and a jsonapi.NotFound where the document would be one.
func Select[T any](ctx context.Context, c Client, p *plan.Plan) ([]T, error) {
	read, err := selectable(p)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	pipeline := c.db.compiler.Compile(p.Action)
	var page *scannedPage[T]
	err = c.exchange(ctx, pipeline, p, func() receiver {
		page = &scannedPage[T]{pipeline: pipeline, found: true}
		return page
	})
	switch {
	case err != nil:
		return nil, err
	case !page.found || read.Form == plan.Resource && len(page.out) == 0:
		return nil, jsonapi.Errorf(jsonapi.NotFound, jsonapi.Source{}, "The resource does not exist, or you may not see it.")
	default:
		return page.out, nil
	}
}

// A scannedPage receives the page's rows as structs.
type scannedPage[T any] struct {
	pipeline *sqlgen.Pipeline
	out      []T
	found    bool // the parent is there
}

func (p *scannedPage[T]) receive(part int, rr *pgconn.ResultReader) error {
	switch st := p.pipeline.Statements[part]; st.Part {
	case sqlgen.Check:
		p.found = rr.NextRow()
		return nil
	case sqlgen.Page:
		if err := scan(&p.out, st, rr); err != nil {
			return err
		}
		p.peek(st.Peek)
		return nil
	default:
		return nil
	}
}

// peek takes the row away that only tells that further ones follow.
func (p *scannedPage[T]) peek(k sqlgen.Peek) {
	switch {
	case k.Limit == 0 || len(p.out) <= k.Limit:
	case k.First:
		p.out = p.out[1:]
	default:
		p.out = p.out[:k.Limit]
	}
}

// keys is never asked: a plan without edges hands nothing on.
func (p *scannedPage[T]) keys(int, int) param { panic("exec: a selected page hands on no keys") }

func (p *scannedPage[T]) shown() bool { return false }

func selectable(p *plan.Plan) (*plan.Read, error) {
	read, ok := p.Action.(*plan.Read)
	switch {
	case !ok:
		return nil, fmt.Errorf("select: a plan of type %T is not a read", p.Action)
	case len(read.Query.Edges) > 0:
		return nil, fmt.Errorf("select: the plan includes %s; only its primary data could be returned", read.Query.Edges[0].Relationship)
	case read.Form == plan.Linkage || read.Form == plan.ToOneLinkage:
		return nil, fmt.Errorf("select: the plan reads a relationship; read the related resources instead")
	default:
		return read, nil
	}
}

var scanner = mustScanner()

func mustScanner() *pgxscan.API {
	api, err := pgxscan.NewDBScanAPI(dbscan.WithAllowUnknownColumns(true), dbscan.WithStructTagKey("db"))
	if err != nil {
		panic("exec: " + err.Error()) // only for options that contradict each other
	}
	scanner, err := pgxscan.NewAPI(api)
	if err != nil {
		panic("exec: " + err.Error())
	}
	return scanner
}

// scan reads the page's rows under the names of their attributes.
func scan[T any](out *[]T, st *sqlgen.Statement, rr *pgconn.ResultReader) error {
	rows := namedRows{Rows: pgx.RowsFromResultReader(pgtype.NewMap(), rr), fields: names(st, rr)}
	if err := scanner.ScanAll(out, rows); err != nil {
		return fmt.Errorf("select: %w", err)
	}
	return nil
}

// namedRows are rows whose columns have other names than the statement gave.
type namedRows struct {
	pgx.Rows
	fields []pgconn.FieldDescription
}

func (r namedRows) FieldDescriptions() []pgconn.FieldDescription { return r.fields }

// names calls each column as the resource's members are called.
func names(st *sqlgen.Statement, rr *pgconn.ResultReader) []pgconn.FieldDescription {
	fields := append([]pgconn.FieldDescription(nil), rr.FieldDescriptions()...)
	for i := range fields {
		fields[i].Name = "." + fields[i].Name // no attribute's name: passed over
	}
	for _, l := range st.Linkages {
		for i, c := range l.Columns {
			fields[c].Name = strings.Join([]string{l.Relationship.Name, l.Relationship.Target.Key[i].Name}, ".")
		}
	}
	for i, c := range st.ID {
		fields[c].Name = st.Model.Key[i].Name
	}
	if len(st.ID) == 1 {
		fields[st.ID[0]].Name = "id"
	}
	for i, c := range st.Attributes {
		fields[c].Name = st.Fields[i].Name
	}
	return fields
}
