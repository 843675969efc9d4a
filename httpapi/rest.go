package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// Unlimited as RESTOptions.PageSize means no pages (contract 4.10).
const Unlimited = plan.Unlimited

// The defaults of Limits; the others are those of parse and plan.
const (
	defaultURLBytes  = 16 << 10
	defaultBodyBytes = 1 << 20
)

// RESTOptions say how the REST style serves (contract 10.3). The zero value of
// each member but Endpoint means its default.
type RESTOptions struct {
	// Endpoint is the absolute http or https URL of the API. Links start with
	// it, and its path is where the handler expects its requests. Required.
	Endpoint string
	// PageSize is the page limit of requests that have none: 100 by default,
	// Unlimited for no pages.
	PageSize int
	// MaxPageSize is what larger limits of requests are trimmed to: by default
	// 1000, or PageSize where that is more.
	MaxPageSize int
	// IDDivider joins the parts of compound ids, `_` by default. It is made of
	// characters that stand in a path as they are: `_`, `-`, `.`, `~`, `:`, `@`,
	// `+`, `=`, `&`, `$`.
	IDDivider string
	// Limits bound what one request may ask.
	Limits Limits
	// Strict keeps to the letter of JSON:API where the service departs from it
	// for the comfort of its own clients (contract 10.6): ids and the status of
	// error objects are strings, PUT is refused, bodies must have JSON:API's
	// media type, what is well-formed but wrong is 422. A schema that has an
	// attribute called type is refused by NewHost, with what to write instead.
	Strict bool
	// AllowParameters names query parameters that are the host's own. They pass
	// unread and stay in links; all others that are unknown are refused.
	AllowParameters []string
	// Totals says how rows are counted where a request does not. The default,
	// TotalsExact, counts every row.
	Totals Totals
	// SearchLanguage is the text search configuration of the operator search,
	// as in `english` or `pg_catalog.simple`; empty: the database's default.
	SearchLanguage string
	// AllowRegexp admits the operator matches. Regular expressions may take very
	// long; set Timeout, or Postgres's statement_timeout, with it.
	AllowRegexp bool
	// AllowEstimates admits page[total]=estimate.
	AllowEstimates bool
	// Timeout bounds the time that a request may take, HostOptions.Client
	// included; past it the answer is 503 query-timeout. 0: no bound but that of
	// the request's context. A body that comes in slowly is bounded by
	// http.Server.ReadTimeout alone.
	Timeout time.Duration
	// StreamTimeout bounds the time that a client may take to read a piece, some
	// 64 kB, of an answer that is sent while its rows come: where pages are
	// Unlimited, lists without includes. Past it the connection is cut, as it holds
	// one to the database. 30 seconds by default. Meanwhile it stands in for
	// http.Server.WriteTimeout, which bounds an answer as a whole.
	StreamTimeout time.Duration
}

// Limits bound what one request may ask (contract 4.14, 4.16, 5.1, 5.10); 0
// means the default.
type Limits struct {
	MaxURLBytes     int // bytes of path and query; default 16,384
	MaxConditions   int // filter conditions, and the relationships on the way to them; default 64
	MaxFilterDepth  int // calls and relationships around a condition; default 8
	MaxValues       int // values in one list; default 1000
	MaxSortKeys     int // default 8
	MaxIncludeDepth int // relationships in an include path; default 6
	MaxIncludes     int // include paths; default 32
	MaxIncluded     int // included resources; default 10,000
	MaxBodyBytes    int // bytes of a body; default 1,048,576
	MaxOperations   int // operations of one atomic request; default 100
}

// rest is the REST style: JSON:API v1.1. It is immutable.
type rest struct {
	endpoint      string   // without a trailing slash
	mount         []string // the segments of its path, unescaped
	maxURLBytes   int
	maxBodyBytes  int64
	maxOperations int // 0: the default
	strict        bool
	timeout       time.Duration
	streamTimeout time.Duration
	parse         parse.Options
	plan          plan.Options
	encoder       *encode.Encoder
}

// REST returns the style that serves JSON:API v1.1, for HostOptions.Handler.
func REST(o RESTOptions) (Style, error) {
	endpoint, err := parseEndpoint(o.Endpoint)
	if err != nil {
		return nil, err
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	total, err := o.Totals.total()
	if err != nil {
		return nil, err
	}
	s := &rest{
		endpoint:      endpoint.String(),
		maxURLBytes:   cmp.Or(o.Limits.MaxURLBytes, defaultURLBytes),
		maxBodyBytes:  int64(cmp.Or(o.Limits.MaxBodyBytes, defaultBodyBytes)),
		maxOperations: o.Limits.MaxOperations,
		strict:        o.Strict,
		timeout:       o.Timeout,
		streamTimeout: cmp.Or(o.StreamTimeout, defaultStreamTimeout),
		parse:         parse.Options{Allow: append([]string(nil), o.AllowParameters...)},
		plan: plan.Options{
			PageSize: o.PageSize, MaxPageSize: o.MaxPageSize, Divider: o.IDDivider,
			Limits: plan.Limits{
				Conditions: o.Limits.MaxConditions, FilterDepth: o.Limits.MaxFilterDepth,
				Values: o.Limits.MaxValues, SortKeys: o.Limits.MaxSortKeys,
				IncludeDepth: o.Limits.MaxIncludeDepth, Includes: o.Limits.MaxIncludes,
				Included: o.Limits.MaxIncluded,
			},
			AllowRegexp: o.AllowRegexp, AllowEstimates: o.AllowEstimates, SearchLanguage: o.SearchLanguage,
			Total: total, Digests: true,
		},
	}
	if s.mount, err = segments(endpoint.EscapedPath()); err != nil {
		return nil, fmt.Errorf("httpapi: RESTOptions.Endpoint %q: %w", o.Endpoint, err)
	}
	if s.plan.PageSize == 0 {
		s.plan.PageSize = plan.DefaultPageSize
	}
	if s.plan.Divider == "" {
		s.plan.Divider = plan.DefaultDivider
	}
	s.encoder = s.newEncoder()
	return s, nil
}

// newEncoder returns what makes the style's documents, once its options are
// complete.
func (s *rest) newEncoder() *encode.Encoder {
	o := encode.Options{Endpoint: s.endpoint, Divider: s.plan.Divider, StringIDs: s.strict}
	if s.plan.PageSize != Unlimited {
		o.PageSize = s.plan.PageSize
	}
	return encode.NewEncoder(o)
}

// serve does what a request asks. The order of the checks is that of the
// contract, 2.5, so that one who must log in first learns no names.
func (s *rest) serve(h *host, r *http.Request, out *response) error {
	target, err := s.target(r.URL)
	if err != nil {
		return err
	}
	v := visit{target: target, methods: s.methods(target.Shape)}
	if r.Method == http.MethodOptions {
		out.status = http.StatusNoContent
		out.addHeader("Allow", allow(v.methods))
		return nil
	}
	m, ok := findMethod(v.methods, r.Method)
	if !ok {
		return methodNotAllowed(r.Method, v.methods)
	}
	v.verb = m.verb
	if v.profiles, err = s.negotiate(r, target.Shape, out); err != nil {
		return err
	}
	return s.timely(r, func(r *http.Request) error { return s.answer(h, r, v, out) })
}

// negotiate refuses what cannot be understood or answered, and returns the
// profiles that the request asks for. Operations are the extension's own, and
// are answered under it.
func (s *rest) negotiate(r *http.Request, shape parse.Shape, out *response) (profiles []string, err error) {
	var extensions []string
	if shape == parse.Atomic {
		extensions = []string{jsonapi.AtomicExtension}
	}
	if err := s.understood(r, extensions); err != nil {
		return nil, err
	}
	if profiles, err = acceptable(r.Header["Accept"], extensions); err != nil {
		return nil, err
	}
	out.extensions = extensions
	return profiles, nil
}

// answer does it, once the host has said who is calling.
func (s *rest) answer(h *host, r *http.Request, v visit, out *response) error {
	c, err := h.caller(r)
	switch {
	case err != nil:
		return err
	case v.target.Shape == parse.Atomic:
		return s.operate(c, r, v, out)
	case v.verb == parse.Fetch:
		return s.read(c, r, v, out)
	default:
		return s.write(c, r, v, out)
	}
}

// timely answers the request within the style's timeout.
func (s *rest) timely(r *http.Request, answer func(*http.Request) error) error {
	if s.timeout == 0 {
		return answer(r)
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	err := answer(r.WithContext(ctx))
	if errors.Is(err, context.DeadlineExceeded) && jsonapi.AsErrors(err)[0].Code == jsonapi.UnknownError {
		return &jsonapi.Error{Code: jsonapi.QueryTimeout, Detail: "The request did not finish in time.", Cause: err}
	}
	return err
}

// admits refuses a schema that cannot be served to the letter where it has to be.
func (s *rest) admits(served *schema.Schema) error {
	if !s.strict {
		return nil
	}
	return served.CheckStrict()
}

// parseEndpoint checks an endpoint and returns it without its trailing slashes.
func parseEndpoint(endpoint string) (*url.URL, error) {
	const example = "https://example.org/api"
	if endpoint == "" {
		return nil, fmt.Errorf("httpapi: RESTOptions.Endpoint is missing: write the absolute URL of the API, such as %s", example)
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("httpapi: RESTOptions.Endpoint is no URL: write one such as %s: %w", example, err)
	}
	refuse := func(fault string) (*url.URL, error) {
		return nil, fmt.Errorf("httpapi: RESTOptions.Endpoint %q %s", u.Redacted(), fault)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.Opaque != "":
		return refuse("is not absolute: write it with http or https and its host, such as " + example)
	case u.Hostname() == "", strings.ContainsFunc(u.Host, foreignToHosts):
		return refuse("has no host, or one with odd characters: write letters, digits, dots and dashes (`xn--` for others), such as " + example)
	case u.User != nil:
		return refuse("holds a user, which links would tell everybody: leave it out")
	case strings.ContainsAny(endpoint, "?#"):
		return refuse("has a query or a fragment: leave it out, as paths are put behind the endpoint")
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
	u.Path, err = url.PathUnescape(u.RawPath)
	if err != nil {
		return refuse("has a path that cannot be unescaped: write it with valid percent-encodings")
	}
	return u, nil
}

// foreignToHosts reports whether c stands in no host, port or bracketed address.
// url.Parse is laxer, but links carry the host as it is.
func foreignToHosts(c rune) bool {
	return !isAlphanumeric(c) && !strings.ContainsRune("-._~:[]%", c)
}
