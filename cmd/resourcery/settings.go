package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/bearer"
	"github.com/resourcery/resourcery/cmd/resourcery/internal/live"
	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/plan"
)

// A source is where a schema comes from.
type source struct {
	dsn       string
	config    string
	schemas   []string
	pgbouncer bool
}

func (s *source) flags(f *pflag.FlagSet) {
	f.StringVar(&s.dsn, "dsn", "", "the database, `postgres://user:password@host:5432/database`; a password is better kept in RESOURCERY_DSN")
	f.StringVar(&s.config, configFlag, "", "the configuration `file` (default resourcery.yaml, if it is there)")
	f.StringSliceVar(&s.schemas, "schemas", []string{"public"}, "the Postgres schemas that are exposed, the default one first")
	f.BoolVar(&s.pgbouncer, "pgbouncer", false, "the database is reached through PgBouncer in transaction mode; its notifications are not, so reload by SIGHUP")
}

// paging is how collections are cut and ids are spelled.
type paging struct {
	pageSize    pageSize
	maxPageSize int
	divider     string
}

func (p *paging) flags(f *pflag.FlagSet) {
	p.pageSize = plan.DefaultPageSize
	f.Var(&p.pageSize, "page-size", "page limit of requests that have none, a number or Infinity")
	f.IntVar(&p.maxPageSize, "max-page-size", 0, "larger limits are trimmed to it (default 1000, at least the page size)")
	f.StringVar(&p.divider, "id-divider", plan.DefaultDivider, "joins the parts of compound ids")
}

// dialect is how requests and answers are worded: how far the query language
// goes, and how close answers keep to the letter of JSON:API.
type dialect struct {
	strict         bool
	searchLanguage string
	regexp         bool
	estimates      bool
}

func (d *dialect) flags(f *pflag.FlagSet) {
	f.BoolVar(&d.strict, "strict", false, "keep to the letter of JSON:API: ids and the status of errors are strings, some of these 422")
	f.StringVar(&d.searchLanguage, "search-language", "", "the text search `configuration` of full text (default the database's)")
	f.BoolVar(&d.regexp, "allow-regexp", false, "allow filters by regular expressions")
	f.BoolVar(&d.estimates, "allow-estimates", false, "allow totals that are the planner's estimate")
}

// restOptions are the options of the API at an endpoint.
func restOptions(endpoint string, p paging, d dialect) httpapi.RESTOptions {
	return httpapi.RESTOptions{
		Endpoint: endpoint, PageSize: int(p.pageSize), MaxPageSize: p.maxPageSize, IDDivider: p.divider,
		Strict: d.strict, SearchLanguage: d.searchLanguage, AllowRegexp: d.regexp, AllowEstimates: d.estimates,
	}
}

// A pageSize is a flag: a positive number, or Infinity, which is
// httpapi.Unlimited.
type pageSize int

func (n *pageSize) Type() string { return "n" }

func (n *pageSize) String() string {
	if *n == httpapi.Unlimited {
		return "Infinity"
	}
	return strconv.Itoa(int(*n))
}

func (n *pageSize) Set(text string) error {
	if strings.EqualFold(text, "Infinity") {
		*n = httpapi.Unlimited
		return nil
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		return errors.New("write a positive number, or Infinity")
	}
	*n = pageSize(number)
	return nil
}

// access is in whose name requests run.
type access struct {
	anonRole  string
	secret    string
	keyFile   string
	audience  string
	roleClaim string
	unsafe    bool
	variables map[string]string // session variables and the claims behind them
}

func (a *access) flags(f *pflag.FlagSet) {
	f.StringVar(&a.anonRole, "anon-role", "", "the `role` of callers without a token (default the login role)")
	f.StringVar(&a.secret, "jwt-secret", "", fmt.Sprintf("the `secret` that tokens are signed with by HS256, at least %d bytes; better kept in RESOURCERY_JWT_SECRET", bearer.MinSecret))
	f.StringVar(&a.keyFile, "jwt-jwks-file", "", "the `file` with the public keys of tokens that are signed by RS256, PS256, ES256, EdDSA and the like, a JSON Web Key Set; it is read again when it changes")
	f.StringVar(&a.audience, "jwt-aud", "", "the `audience` that tokens must be meant for, in their claim aud (default any)")
	f.StringVar(&a.roleClaim, "jwt-role-claim", "role", "the path of the `claim` that names the role, as in app_metadata.role")
	f.BoolVar(&a.unsafe, "allow-unsafe-role", false, "serve also as a role that row-level security does not bind")
}

// sessions returns what makes sessions of tokens.
func (a *access) sessions(log *slog.Logger) (*bearer.Sessions, error) {
	return bearer.NewSessions(bearer.Options{
		Secret: a.secret, KeyFile: a.keyFile, Audience: a.audience, RoleClaim: a.roleClaim,
		AnonymousRole: a.anonRole, Variables: a.variables, Logger: log,
	})
}

// An endpoint is where the API is.
type endpoint struct {
	url  string // absolute, without a trailing slash
	path string // its path, escaped
}

// parseEndpoint checks the flag; empty means /api at the listener's address.
func parseEndpoint(flag string, listening net.Addr) (endpoint, error) {
	if flag == "" {
		flag = "http://" + reachable(listening) + "/api"
	}
	u, err := url.Parse(flag)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return endpoint{}, fmt.Errorf("--endpoint %q is no absolute URL; write one such as https://example.org/api", flag)
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	if path == "" {
		return endpoint{}, fmt.Errorf("--endpoint %q has no path; write one, such as %s://%s/api", flag, u.Scheme, u.Host)
	}
	if live.Reserved(path) {
		return endpoint{}, fmt.Errorf("--endpoint %q has the path of a check of the server itself; choose another", flag)
	}
	return endpoint{url: strings.TrimRight(flag, "/"), path: path}, nil
}

// reachable returns host and port to be used in URLs: a server that listens on
// all addresses is reached on this machine by its name.
func reachable(listening net.Addr) string {
	host, port, err := net.SplitHostPort(listening.String())
	if err != nil {
		return listening.String()
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}
