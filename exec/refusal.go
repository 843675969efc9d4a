package exec

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/jsonapi"
)

// disconnects reports whether the error ended the connection, or never let it
// begin.
func disconnects(e *pgconn.PgError) bool {
	return strings.HasPrefix(e.Code, "08") || strings.HasPrefix(e.Code, "57P0") && e.Code != "57P04"
}

// refused turns what Postgres refused into an error for the client, by the
// table of the contract's section 8. Postgres's own message stays in the cause:
// it may hold SQL or values of rows.
func refused(e *pgconn.PgError, source jsonapi.Source) *jsonapi.Error {
	code, detail := byState(e.Code)
	return &jsonapi.Error{Code: code, Detail: detail, Source: source, ORMCode: e.Code, Cause: e}
}

func byState(state string) (jsonapi.Code, string) {
	switch state {
	case "22P02", "22003", "22007", "22008", "22001", "22021", "22026":
		return jsonapi.InvalidValue, "The database does not take the value for its type; check its form and its range."
	case "2201B", "42P21", "42P22":
		return jsonapi.QueryError, "The database refused to evaluate the query."
	case "P0001":
		return jsonapi.QueryError, "A function of the database, or a trigger, refused this."
	case "42501":
		return jsonapi.Forbidden, "You may not do this."
	case "40001", "40P01", "55P03":
		return jsonapi.DatabaseUnavailable, "The database was too busy with other transactions; try again."
	case "57014":
		return jsonapi.QueryTimeout, "The database did not answer in time; ask for less."
	}
	switch state[:2] {
	case "22":
		return jsonapi.QueryError, "The database refused to evaluate the query with these values."
	case "54":
		return jsonapi.QueryError, "The query goes past a limit of the database; ask for less."
	case "53":
		return jsonapi.DatabaseUnavailable, "The database is out of resources; try again later."
	default:
		return jsonapi.UnknownError, "The server met a fault of its own."
	}
}

// parameterNumber finds the parameter in the context of an error: Postgres says
// `unnamed portal parameter $2`, or `... $2 = 'value'`, in whatever language, as
// its last line. That of an error inside a policy is of another form.
var parameterNumber = regexp.MustCompile(`(?s)(?:^|\n)[^"$\n]*\$(\d+)(?: = '.*)?$`)

// source finds the place in the request of the value that Postgres refused.
func (x *exchange) source(f *failure) (source jsonapi.Source, ok bool) {
	pgErr, isPg := errors.AsType[*pgconn.PgError](f.err)
	if !isPg || f.at.kind != rows {
		return jsonapi.Source{}, false
	}
	params := x.form(f.at.part).Params
	if m := parameterNumber.FindStringSubmatch(pgErr.Where); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n >= 1 && n <= len(params) && params[n-1].Key == 0 {
			return x.planOf(f.at.part).Sources[params[n-1].Slot], true
		}
	}
	return jsonapi.Source{}, false
}

// refused answers what Postgres refused. Where it names a parameter that it
// could not read, the value is wrong, whatever the SQLSTATE: input functions of
// types such as ltree and regclass have their own. A value without a source is
// the path's id.
func (x *exchange) refused(e *pgconn.PgError, f *failure) error {
	source, found := x.source(f)
	refusal := refused(e, source)
	if !found {
		return refusal
	}
	refusal.Code, refusal.Detail = byState("22P02")
	if source == (jsonapi.Source{}) {
		refusal.Code = jsonapi.InvalidID
		refusal.Detail = "The database does not take the id for its type; check its form and its range."
	}
	return refusal
}

// sessionRefused judges an error of the statement that sets the session. With
// a role in it, the role is what fails: it does not exist, or may not be taken.
func (c Client) sessionRefused(e *pgconn.PgError) error {
	if c.session.Role != "" && (e.Code == "22023" || e.Code == "42501" || e.Code == "42704") {
		return roleRefused(e)
	}
	return refused(e, jsonapi.Source{})
}

// roleRefused says no more than that: which roles exist is not for callers.
func roleRefused(cause error) *jsonapi.Error {
	return &jsonapi.Error{Code: jsonapi.Forbidden, Detail: "The role of this session may not be used.", ORMCode: "42501", Cause: cause}
}

// unavailable is the answer where no connection is to be had, or one was lost.
func unavailable(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return &jsonapi.Error{Code: jsonapi.DatabaseUnavailable, Detail: "The database cannot be reached; try again later.", Cause: cause}
}

// outcomeUnknown is the answer to a write that was sent whole and not answered
// whole: Postgres may have committed it.
func outcomeUnknown(cause error) error {
	return &jsonapi.Error{Code: jsonapi.OutcomeUnknown, Detail: "The connection to the database was lost on the way; whether the write was done is not known. Fetch the resource before you try again.", Cause: cause}
}

// WriteDone says of an answer that could not be had, to a write that was not in
// question itself, that the write was done: what err holds, with that added.
func WriteDone(err error) error {
	errs := jsonapi.AsErrors(err)
	for _, e := range errs {
		e.Detail += " The write itself was done; fetch the resource with a request of its own."
	}
	return errs
}

// interrupted is the answer where the request's context ended: nobody hears it
// where the client has left.
func interrupted(ctx context.Context) error {
	return &jsonapi.Error{Code: jsonapi.QueryTimeout, Detail: "The request did not finish in time; ask for less.", Cause: context.Cause(ctx)}
}
