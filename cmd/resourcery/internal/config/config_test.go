package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// settings are flags of each type that a command may have.
type settings struct {
	dsn     string
	size    int
	unsafe  bool
	timeout time.Duration
	schemas []string
	set     Pairs
}

func (s *settings) flags() *pflag.FlagSet {
	s.set = Pairs{}
	f := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.StringVar(&s.dsn, "dsn", "", "")
	f.IntVar(&s.size, "page-size", 100, "")
	f.BoolVar(&s.unsafe, "allow-unsafe-role", false, "")
	f.DurationVar(&s.timeout, "request-timeout", time.Minute, "")
	f.StringSliceVar(&s.schemas, "schemas", []string{"public"}, "")
	f.Var(s.set, "set", "")
	return f
}

func (s settings) String() string {
	set := make([]string, 0, len(s.set))
	for _, name := range strings.FieldsFunc(s.set.String(), func(r rune) bool { return r == ',' }) {
		set = append(set, name+"="+s.set[name])
	}
	return fmt.Sprintf("dsn=%s size=%d unsafe=%t timeout=%s schemas=%v set=%v", s.dsn, s.size, s.unsafe, s.timeout, s.schemas, set)
}

var names = []string{"dsn", "page-size", "allow-unsafe-role", "request-timeout", "schemas", "set", "addr"}

func TestLayers(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		env  map[string]string
		file string
		want string
	}{
		{name: "defaults", want: "dsn= size=100 unsafe=false timeout=1m0s schemas=[public] set=[]"},
		{
			name: "file",
			file: "dsn: postgres://x\npage-size: 20\nallow-unsafe-role: true\nrequest-timeout: 1m30s\nschemas: [public, app]\nset: {app.a: 'x,y=z', app.b: 2}\n",
			want: "dsn=postgres://x size=20 unsafe=true timeout=1m30s schemas=[public app] set=[app.a=x,y=z app.b=2]",
		},
		{
			name: "environment over file",
			env:  map[string]string{"RESOURCERY_PAGE_SIZE": "30", "RESOURCERY_SCHEMAS": "a,b", "RESOURCERY_REQUEST_TIMEOUT": "250ms"},
			file: "page-size: 20\nschemas: app\nallow-unsafe-role: true\n",
			want: "dsn= size=30 unsafe=true timeout=250ms schemas=[a b] set=[]",
		},
		{
			name: "flag over both",
			args: []string{"--page-size", "40", "--schemas=c", "--allow-unsafe-role=false", "--set", "a.b=1", "--set", "a.c=2"},
			env:  map[string]string{"RESOURCERY_PAGE_SIZE": "30", "RESOURCERY_ALLOW_UNSAFE_ROLE": "true"},
			file: "page-size: 20\nschemas: [x, y]\nset: {a.b: 9}\n",
			want: "dsn= size=40 unsafe=false timeout=1m0s schemas=[c] set=[a.b=1 a.c=2]",
		},
		{
			name: "empty variable is none",
			env:  map[string]string{"RESOURCERY_PAGE_SIZE": ""},
			file: "page-size: 20\n",
			want: "dsn= size=20 unsafe=false timeout=1m0s schemas=[public] set=[]",
		},
		{
			name: "unknown variables and keys of other commands are left alone",
			env:  map[string]string{"RESOURCERY_TEST_DSN": "x", "RESOURCERY_NONSENSE": "x"},
			file: "# a comment\naddr: 127.0.0.1:1\n",
			want: "dsn= size=100 unsafe=false timeout=1m0s schemas=[public] set=[]",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := parse("r.yaml", []byte(test.file), names)
			if err != nil {
				t.Fatal(err)
			}
			var s settings
			flags := s.flags()
			if err := flags.Parse(test.args); err != nil {
				t.Fatal(err)
			}
			if err := Apply(flags, environment(test.env), f); err != nil {
				t.Fatal(err)
			}
			if got := s.String(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestValueErrors(t *testing.T) {
	for _, test := range []struct {
		name, env, file, want string
	}{
		{name: "number", file: "\npage-size: many\n", want: `r.yaml:2:1: page-size: strconv.ParseInt: parsing "many": invalid syntax`},
		{name: "environment", env: "many", want: `RESOURCERY_PAGE_SIZE: page-size: strconv.ParseInt: parsing "many": invalid syntax`},
		{name: "duration", file: "request-timeout: 90\n", want: `r.yaml:1:1: request-timeout: time: missing unit in duration "90"`},
		{name: "list for a single value", file: "dsn: [hidden, hidden]\n", want: "r.yaml:1:1: dsn takes a single value"},
		{name: "no pair", file: "set: [x]\n", want: "r.yaml:1:1: set: write name=value"},
		{
			name: "all at once", file: "page-size: x\nallow-unsafe-role: maybe\n",
			want: "r.yaml:2:1: allow-unsafe-role: strconv.ParseBool: parsing \"maybe\": invalid syntax\n" +
				"r.yaml:1:1: page-size: strconv.ParseInt: parsing \"x\": invalid syntax",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := parse("r.yaml", []byte(test.file), names)
			if err != nil {
				t.Fatal(err)
			}
			var s settings
			err = Apply(s.flags(), environment(map[string]string{"RESOURCERY_PAGE_SIZE": test.env}), f)
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestFileErrors(t *testing.T) {
	for _, test := range []struct{ name, file, want string }{
		{"unknown key", "addr: x\npage-sise: 3\n", "r.yaml:2:1: unknown key page-sise; did you mean page-size?"},
		{"unknown keys", "aaaaaaaa: x\nbbbbbbbb: 3\n", "r.yaml:1:1: unknown key aaaaaaaa\nr.yaml:2:1: unknown key bbbbbbbb"},
		{"no mapping", "- a\n", "r.yaml:1:1: write `key: value` lines here"},
		{"null", "dsn:\n", "r.yaml:1:1: dsn needs a value; remove the key to leave it at its default"},
		{"nested", "schemas:\n  - [a]\n", "r.yaml:2:5: the elements of schemas must be single values"},
		{"session", "session:\n  app.user_id: [sub]\n", "r.yaml:2:3: session.app.user_id must be a single value"},
		{"two documents", "addr: x\n---\naddr: y\n", "r.yaml:2:1: more than one YAML document; keep the first and remove the `---` after it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse("r.yaml", []byte(test.file), names)
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// The library's own errors quote the lines around the mistake.
func TestErrorsShowNoSecret(t *testing.T) {
	for _, file := range []string{
		"dsn: postgres://u:s3cret@h/d\npage-size: [1\n",
		"dsn: postgres://u:s3cret@h/d\ndsn: again\n",
		"dsn: 'postgres://u:s3cret@h/d\n",
		"dsn: postgres://u:s3cret@h/d\nnonsense: 1\n",
		"dsn: {url: postgres://u:s3cret@h/d, x: [1]}\n",
		"dsn: [postgres://u:s3cret@h/d, b]\nnonsense: 1\n",
		"dsn: &a postgres://u:s3cret@h/d\n",
		"dsn: \"postgres://u:s3cret@h/d\"\nmodels:\n  Post: {tpye: x}\n",
	} {
		f, err := parse("r.yaml", []byte(file), names)
		if err == nil {
			var models map[string]struct{ Type string }
			err = f.DecodeModels(&models)
		}
		if err == nil {
			t.Errorf("%q was accepted", file)
			continue
		}
		if strings.Contains(err.Error(), "s3cret") || !strings.HasPrefix(err.Error(), "r.yaml:") {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestModelsAndSession(t *testing.T) {
	f, err := parse("r.yaml", []byte("session: {app.user_id: sub}\nmodels:\n  Post:\n    type: posts\n"), names)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.Session); got != "map[app.user_id:sub]" {
		t.Errorf("session is %s", got)
	}
	var models map[string]struct{ Type string }
	if err := f.DecodeModels(&models); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(models); got != "map[Post:{posts}]" {
		t.Errorf("models are %s", got)
	}
}

func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := Read("", names); err != nil {
		t.Errorf("without a file: %v", err)
	}
	if _, err := Read("absent.yaml", names); err == nil {
		t.Error("a named file that is absent was accepted")
	}
	if err := os.WriteFile(DefaultFile, []byte("nonsense: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read("", names); err == nil || !strings.HasPrefix(err.Error(), "resourcery.yaml:1:1: unknown key nonsense") {
		t.Errorf("the default file: %v", err)
	}
	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(other, names); err != nil {
		t.Errorf("an empty named file: %v", err)
	}
}

func environment(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { text, ok := vars[name]; return text, ok }
}
