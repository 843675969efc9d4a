package integration

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/sample"
)

// contrary are settings that a server, a database, a role or a client may have,
// each of which changes how Postgres reads or writes values.
var contrary = map[string]string{
	"DateStyle":                     "SQL, DMY",
	"IntervalStyle":                 "postgres_verbose",
	"TimeZone":                      "Asia/Kathmandu",
	"extra_float_digits":            "-3",
	"bytea_output":                  "escape",
	"client_encoding":               "LATIN1",
	"array_nulls":                   "off",
	"standard_conforming_strings":   "off",
	"search_path":                   "",
	"default_transaction_isolation": "serializable",
	"default_transaction_read_only": "on",
}

// documents are requests whose answers hold, or look for, values of every kind.
var documents = []string{
	"/post?include=author.profile,comments.author,tags,likes,revisions",
	"/post?sort=-createdAt&filter[createdAt]=2024-07-07T07:07:07.777777Z",
	"/post?filter[embargoUntil]=2024-04-01T09:00:00Z",
	"/post?filter[featuredDuring]=[2024-04-01T00:00:00Z\\,)",
	"/post?filter[trend]=-0.25,Infinity",
	"/post?filter[title]=Z%C3%BCrich%20%E2%86%92%20%E6%9D%B1%E4%BA%AC%20by%20train%20%F0%9F%9A%B2%20and%20na%C3%AFve%20caf%C3%A9%20%C3%85ngstr%C3%B6m",
	"/comment?include=parent,post&filter[spamScore]=0.125,0.99",
	"/comment/1/relationships/comments",
	"/profile?filter[birthday]=1985-02-28",
	"/profile?include=user.posts",
	"/revision?include=post,editor",
	"/revision?filter[timeSpent]=PT1H",
	"/like?include=user,post",
}

// TestSettings asks for the same documents of servers that are set up in
// different ways. Every byte is the same.
func TestSettings(t *testing.T) {
	want := answers(t, newSite(t, siteOptions{}))
	plain := func(*pgxpool.Config) {}
	clients := func(configure func(*pgxpool.Config)) func(*pgxpool.Config) {
		return func(c *pgxpool.Config) {
			maps.Copy(c.ConnConfig.RuntimeParams, contrary)
			configure(c)
		}
	}
	for name, c := range map[string]struct {
		config func(*pgxpool.Config)
		alter  string
	}{
		"plain pool":                     {config: plain},
		"of the database":                {config: exec.Configure, alter: "ALTER DATABASE %I SET %I = %L"},
		"of the database, plain pool":    {config: plain, alter: "ALTER DATABASE %I SET %I = %L"},
		"of the login role":              {config: exec.Configure, alter: "ALTER ROLE " + sample.LoginRole + " IN DATABASE %I SET %I = %L"},
		"of the login role, plain pool":  {config: plain, alter: "ALTER ROLE " + sample.LoginRole + " IN DATABASE %I SET %I = %L"},
		"of the connections":             {config: clients(exec.Configure)},
		"of the connections, plain pool": {config: clients(plain)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, siteOptions{config: c.config})
			if c.alter != "" {
				s.alter(t, c.alter)
			}
			for path, got := range answers(t, s) {
				if !bytes.Equal(got, want[path]) {
					t.Errorf("%s:\n%s\nwant\n%s", path, got, want[path])
				}
			}
		})
	}
}

// alter changes settings for connections to come, by a format of the database's
// name, the setting and its value. All at once: one makes them read-only.
func (s *site) alter(t *testing.T, format string) {
	t.Helper()
	var statements strings.Builder
	for setting, value := range contrary {
		fmt.Fprintf(&statements, "EXECUTE format('%s', current_database(), '%s', '%s');\n", format, setting, value)
	}
	s.asOwner(t, "DO $$ BEGIN\n"+statements.String()+"END $$")
	s.pool.Reset()
}

// answers asks for all documents, as a caller whose claims are not in ASCII.
func answers(t *testing.T, s *site) map[string][]byte {
	t.Helper()
	who := caller{role: sample.MemberRole, claims: map[string]any{"sub": "1", "name": "Åsa 東京"}}
	out := make(map[string][]byte)
	for _, path := range documents {
		resp, body := s.request(t, who, path)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d\n%s", path, resp.StatusCode, body)
		}
		out[path] = body
	}
	return out
}
