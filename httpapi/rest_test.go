package httpapi

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
)

const endpoint = "https://example.org/api"

func TestRESTRefusesOptions(t *testing.T) {
	for _, c := range []struct {
		name    string
		options RESTOptions
		want    string // part of what the error says to write
	}{
		{"no endpoint", RESTOptions{}, "write the absolute URL"},
		{"a path alone", RESTOptions{Endpoint: "/api"}, "with http or https and its host"},
		{"no scheme", RESTOptions{Endpoint: "example.org/api"}, "with http or https"},
		{"another scheme", RESTOptions{Endpoint: "ftp://example.org/api"}, "with http or https"},
		{"no host", RESTOptions{Endpoint: "https:///api"}, "its host"},
		{"a port alone", RESTOptions{Endpoint: "http://:8080/api"}, "no host"},
		{"a quote in the host", RESTOptions{Endpoint: `https://exa"mple.org/api`}, "odd characters"},
		{"an umlaut in the host", RESTOptions{Endpoint: "https://bücher.example/api"}, "`xn--`"},
		{"opaque", RESTOptions{Endpoint: "http:api"}, "with http or https"},
		{"no URL", RESTOptions{Endpoint: "https://exa mple.org"}, "is no URL"},
		{"a query", RESTOptions{Endpoint: endpoint + "?a=b"}, "leave it out"},
		{"an empty query", RESTOptions{Endpoint: endpoint + "?"}, "leave it out"},
		{"a fragment", RESTOptions{Endpoint: endpoint + "#"}, "leave it out"},
		{"a password", RESTOptions{Endpoint: "https://ann:secret@example.org/api"}, "leave it out"},
		{"an empty segment", RESTOptions{Endpoint: "https://example.org/a//b"}, "write the path without it"},
		{"dots", RESTOptions{Endpoint: "https://example.org/a/%2e%2E/b"}, "write the path without it"},

		{"page size", RESTOptions{Endpoint: endpoint, PageSize: -2}, "or httpapi.Unlimited"},
		{"largest page", RESTOptions{Endpoint: endpoint, MaxPageSize: -1}, "0 for 1000"},
		{"largest page under page", RESTOptions{Endpoint: endpoint, PageSize: 50, MaxPageSize: 49}, "at least as large"},
		{"largest page under default page", RESTOptions{Endpoint: endpoint, MaxPageSize: 99}, "at least as large"},
		{"a cap on no pages", RESTOptions{Endpoint: endpoint, PageSize: Unlimited, MaxPageSize: 10}, "leave MaxPageSize out"},

		{"divider slash", RESTOptions{Endpoint: endpoint, IDDivider: "/"}, "write one of"},
		{"divider percent", RESTOptions{Endpoint: endpoint, IDDivider: "%"}, "write one of"},
		{"divider comma", RESTOptions{Endpoint: endpoint, IDDivider: ","}, "write one of"},
		{"divider space", RESTOptions{Endpoint: endpoint, IDDivider: "_ "}, "write one of"},
		{"divider digit", RESTOptions{Endpoint: endpoint, IDDivider: "2"}, "write one of"},
		{"divider letter", RESTOptions{Endpoint: endpoint, IDDivider: "-x-"}, "write one of"},
		{"divider umlaut", RESTOptions{Endpoint: endpoint, IDDivider: "ä"}, "write one of"},

		{"a limit", RESTOptions{Endpoint: endpoint, Limits: Limits{MaxValues: -1}}, "Limits.MaxValues is -1: write"},
		{"the URL's limit", RESTOptions{Endpoint: endpoint, Limits: Limits{MaxURLBytes: -1}}, "Limits.MaxURLBytes is -1: write"},
		{"the body's limit", RESTOptions{Endpoint: endpoint, Limits: Limits{MaxBodyBytes: -1}}, "Limits.MaxBodyBytes is -1: write"},
		{"the operations' limit", RESTOptions{Endpoint: endpoint, Limits: Limits{MaxOperations: -1}}, "Limits.MaxOperations is -1: write"},
		{"an empty parameter", RESTOptions{Endpoint: endpoint, AllowParameters: []string{""}}, "leave it out"},
		{"a parameter of ours", RESTOptions{Endpoint: endpoint, AllowParameters: []string{"sort"}}, "leave it out"},
		{"no total", RESTOptions{Endpoint: endpoint, Totals: "many"}, "httpapi.TotalsExact"},
		{"a total of nothing", RESTOptions{Endpoint: endpoint, Totals: "0"}, "a positive number"},
		{"estimates that are not allowed", RESTOptions{Endpoint: endpoint, Totals: TotalsEstimate}, "AllowEstimates is not set: set it"},
		{"a language that is none", RESTOptions{Endpoint: endpoint, SearchLanguage: "english'"}, `write one such as "english"`},
		{"a language in three parts", RESTOptions{Endpoint: endpoint, SearchLanguage: "a.b.c"}, `write one such as "english"`},
		{"a language in half a schema", RESTOptions{Endpoint: endpoint, SearchLanguage: "pg_catalog."}, `write one such as "english"`},
		{"a timeout before the start", RESTOptions{Endpoint: endpoint, Timeout: -1}, "write a positive duration"},
		{"a piece before the start", RESTOptions{Endpoint: endpoint, StreamTimeout: -1}, "StreamTimeout is -1ns: write a positive duration, or 0 for 30s"},
		{"a family of ours", RESTOptions{Endpoint: endpoint, AllowParameters: []string{"page[cursor]"}}, "leave it out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := REST(c.options)
			if err == nil {
				t.Fatalf("REST(%+v) = %+v, want an error", c.options, s)
			}
			if !strings.HasPrefix(err.Error(), "httpapi: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("REST(%+v): %v\nwant it to say %q", c.options, err, c.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
}

func TestRESTNamesEveryFault(t *testing.T) {
	_, err := REST(RESTOptions{Endpoint: endpoint, PageSize: -3, IDDivider: "/", Limits: Limits{MaxIncludes: -1, MaxSortKeys: -1}})
	for _, name := range []string{"PageSize", "IDDivider", "MaxIncludes", "MaxSortKeys"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("REST: %v\nwant it to name %s", err, name)
		}
	}
}

func TestRESTEndpoint(t *testing.T) {
	for _, c := range []struct {
		endpoint, links string
		mount           []string
	}{
		{"https://example.org/api", "https://example.org/api", []string{"api"}},
		{"https://example.org/api/", "https://example.org/api", []string{"api"}},
		{"HTTP://localhost:8080", "http://localhost:8080", nil},
		{"http://localhost:8080/", "http://localhost:8080", nil},
		{"http://[::1]:8080/v1/api", "http://[::1]:8080/v1/api", []string{"v1", "api"}},
		{`https://example.org/"quoted\"`, "https://example.org/%22quoted%5C%22", []string{`"quoted\"`}},
		{"https://example.org/my%20api/a%2Fb", "https://example.org/my%20api/a%2Fb", []string{"my api", "a/b"}},
	} {
		s, err := REST(RESTOptions{Endpoint: c.endpoint})
		if err != nil {
			t.Errorf("REST(%q): %v", c.endpoint, err)
			continue
		}
		got := s.(*rest)
		if got.endpoint != c.links || !slices.Equal(got.mount, c.mount) {
			t.Errorf("REST(%q) has the endpoint %q at %q, want %q at %q", c.endpoint, got.endpoint, got.mount, c.links, c.mount)
		}
	}
}

func TestRESTDefaults(t *testing.T) {
	s, err := REST(RESTOptions{Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	got := s.(*rest)
	if got.maxURLBytes != 16384 || got.maxBodyBytes != 1048576 || got.plan.PageSize != 100 || got.plan.Divider != "_" {
		t.Errorf("defaults are %+v", got)
	}
	for _, o := range []RESTOptions{
		{Endpoint: endpoint, PageSize: Unlimited},
		{Endpoint: endpoint, PageSize: 5000},
		{Endpoint: endpoint, PageSize: 5, MaxPageSize: 5, IDDivider: "~~", AllowParameters: []string{"trace", "x-y[z]"}},
		{Endpoint: endpoint, SearchLanguage: "pg_catalog.simple", Totals: "1000", Timeout: time.Second},
		{Endpoint: endpoint, SearchLanguage: "german", Totals: TotalsEstimate, AllowEstimates: true},
	} {
		if _, err := REST(o); err != nil {
			t.Errorf("REST(%+v): %v", o, err)
		}
	}
}

// What plans are told of the options.
func TestRESTTellsPlans(t *testing.T) {
	for _, c := range []struct {
		totals Totals
		want   plan.Total
	}{
		{"", plan.Total{Kind: plan.ExactTotal}},
		{TotalsExact, plan.Total{Kind: plan.ExactTotal}},
		{TotalsNone, plan.Total{Kind: plan.NoTotal}},
		{TotalsEstimate, plan.Total{Kind: plan.EstimateTotal}},
		{"250", plan.Total{Kind: plan.BoundedTotal, Limit: 250}},
	} {
		s, err := REST(RESTOptions{Endpoint: endpoint, Totals: c.totals, AllowEstimates: true, AllowRegexp: true, SearchLanguage: "english"})
		if err != nil {
			t.Errorf("Totals %q: %v", c.totals, err)
			continue
		}
		got := s.(*rest).plan
		if *got.Total != c.want || !got.AllowEstimates || !got.AllowRegexp || got.SearchLanguage != "english" || !got.Digests {
			t.Errorf("Totals %q: %+v, total %+v, want %+v", c.totals, got, *got.Total, c.want)
		}
	}
}

func TestBelow(t *testing.T) {
	s, err := REST(RESTOptions{Endpoint: "https://example.org/my%20api/v1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, below string
		ok          bool
	}{
		{"/my%20api/v1/post/1", "/post/1", true},
		{"/my%20api/%761/post", "/post", true},
		{"/my%20api/v1/a%2Fb", "/a%2Fb", true},
		{"/my%20api/v1/", "/", true},
		{"/my%20api/v1", "", true},
		{"/my%20api/v1x/post", "", false},
		{"/my%20api", "", false},
		{"/my%20api%2Fv1/post", "", false},
		{"//my%20api/v1/post", "", false},
		{"/post", "", false},
		{"", "", false},
		{"*", "", false},
	} {
		if below, ok := s.(*rest).below(c.path); below != c.below || ok != c.ok {
			t.Errorf("below(%q) = %q, %v, want %q, %v", c.path, below, ok, c.below, c.ok)
		}
	}
}

func TestGroups(t *testing.T) {
	params := []parse.Param{
		{Group: parse.IncludeGroup, Name: "include", Value: "author"},
		{Group: parse.FilterGroup, Name: "filter[b]", Value: "1"},
		{Group: parse.OtherGroup, Name: "trace", Value: "on"},
		{Group: parse.PageGroup, Name: "page[limit]", Value: "5"},
		{Group: parse.SortGroup, Name: "sort", Value: "-a"},
		{Group: parse.FilterGroup, Name: "filter[a]", Value: "2"},
		{Group: parse.FieldsGroup, Name: "fields[post]", Value: "title"},
	}
	names := func(ps []parse.Param) string {
		var out []string
		for _, p := range ps {
			out = append(out, p.Name)
		}
		return strings.Join(out, " ")
	}
	if got, want := names(groups(params, parse.FilterGroup, parse.SortGroup)), "filter[b] filter[a] sort"; got != want {
		t.Errorf("before the page: %s, want %s", got, want)
	}
	if got, want := names(groups(params, parse.IncludeGroup, parse.FieldsGroup, parse.OtherGroup)), "include fields[post] trace"; got != want {
		t.Errorf("after the page: %s, want %s", got, want)
	}
}
