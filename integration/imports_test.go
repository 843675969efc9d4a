package integration

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/resourcery/resourcery"

// What packages import of others, by the path up to the version. Every arrow
// between two stages, and from a stage to a library, is a line here.
const (
	pgx      = "github.com/jackc/pgx/v5"
	scany    = "github.com/georgysavva/scany/v2"
	squirrel = "github.com/Masterminds/squirrel"
	lru      = "github.com/hashicorp/golang-lru/v2"
	rate     = "golang.org/x/time/rate"
	jsonText = "github.com/go-json-experiment/json"
	flect    = "github.com/gobuffalo/flect"
	yaml     = "github.com/goccy/go-yaml"
	schemas  = "github.com/santhosh-tekuri/jsonschema/v6"
	netHTTP  = "net/http"
)

// stages are the packages that make the library, each with all that its
// non-test files may import beside the standard library.
var stages = map[string][]string{
	"":                  {},
	"jsonapi":           {},
	"schema":            {flect, jsonText},
	"schema/overlay":    {"schema", yaml},
	"schema/introspect": {"schema", pgx, scany},
	"schema/validation": {"jsonapi", "schema", schemas},
	"parse":             {"jsonapi", jsonText},
	"plan":              {"jsonapi", "schema", "parse", jsonText},
	"sqlgen":            {"schema", "plan", squirrel, lru},
	"exec":              {"jsonapi", "schema", "schema/introspect", "plan", "sqlgen", pgx, scany, lru},
	"encode":            {"jsonapi", "schema", "plan", "sqlgen", "exec", lru},
	"httpapi":           {"jsonapi", "schema", "schema/validation", "parse", "plan", "sqlgen", "exec", "encode", netHTTP, jsonText, lru, rate},
}

// above are the folders whose packages use the stages as they like; what they
// may import is no concern of the architecture, but for the libraries in
// confined.
var above = []string{"cmd", "internal", "integration", "benchmarks"}

// confined libraries are imported by the packages under these folders alone.
var confined = map[string][]string{
	squirrel: {"sqlgen"},
	netHTTP:  {"httpapi", "cmd", "internal/pgtest", "integration", "benchmarks"},
	scany:    {"schema/introspect", "exec"},
}

// A source is one non-test file: which package it is in, what it imports, and
// the string literals in it.
type source struct {
	file, pkg string
	imports   []string
	literals  []string
}

func TestImports(t *testing.T) {
	sources := readSources(t, "..")
	seen := make(map[string]bool)
	for _, s := range sources {
		seen[s.pkg] = true
		for _, fault := range s.faults() {
			t.Error(fault)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(stages)) {
		if !seen[pkg] {
			t.Errorf("package %q is in the table of arrows but has no files", pkg)
		}
	}
}

// A check that cannot fail shows nothing, so it is shown what it must refuse.
func TestImportFaults(t *testing.T) {
	for _, c := range []struct {
		source source
		want   string // "" means that nothing is wrong
	}{
		{source{pkg: "plan", imports: []string{"strings", module + "/parse"}}, ""},
		{source{pkg: "exec", imports: []string{pgx + "/pgxpool", lru + "/simplelru"}}, ""},
		{source{pkg: "cmd/resourcery", imports: []string{module + "/httpapi", netHTTP}}, ""},
		{source{pkg: "plan", imports: []string{module + "/sqlgen"}}, "plan -> sqlgen"},
		{source{pkg: "schema", imports: []string{module + "/schema/introspect"}}, "schema -> schema/introspect"},
		{source{pkg: "encode", imports: []string{pgx}}, "encode -> " + pgx},
		{source{pkg: "exec", imports: []string{netHTTP}}, "exec -> net/http"},
		{source{pkg: "exec", imports: []string{netHTTP + "/httptest"}}, "exec -> net/http"},
		{source{pkg: "httpapi", imports: []string{module + "/internal/pgtest"}}, "httpapi -> internal/pgtest"},
		{source{pkg: "internal/sample", imports: []string{squirrel}}, "internal/sample -> " + squirrel},
		{source{pkg: "internal/sample", imports: []string{netHTTP}}, "internal/sample -> net/http"},
		{source{pkg: "surprise"}, `package "surprise"`},
		{source{pkg: "schema/introspect", literals: []string{"SELECT 1 FROM pg_catalog.pg_class"}}, ""},
		{source{pkg: "schema", literals: []string{"pg_catalog"}}, ""},
		{source{pkg: "exec", literals: []string{"SELECT 1 FROM pg_catalog.pg_roles"}}, "exec reads the catalogue"},
		{source{pkg: "exec", literals: []string{"SELECT rolname FROM pg_roles"}}, "exec reads the catalogue"},
	} {
		got := strings.Join(c.source.faults(), "\n")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: got %q, want %q", c.source, got, c.want)
		}
	}
}

// faults names every arrow of the file that the architecture does not have.
func (s source) faults() []string {
	var out []string
	fault := func(format string, args ...any) {
		out = append(out, s.file+": "+fmt.Sprintf(format, args...))
	}
	allowed, isStage := stages[s.pkg]
	if !isStage && !under(s.pkg, above) {
		fault("package %q has no line in the table of arrows", s.pkg)
	}
	for _, imported := range s.imports {
		target := strings.TrimPrefix(imported, module+"/")
		switch library := confinedLibrary(imported); {
		case isStage && (target != imported || !standard(imported)) && !imports(allowed, target):
			fault("%s -> %s is no arrow of the architecture; it may import %s", s.pkg, target, strings.Join(allowed, ", "))
		case library != "" && !under(s.pkg, confined[library]):
			fault("%s -> %s: that stays in %s", s.pkg, library, strings.Join(confined[library], ", "))
		}
	}
	for _, literal := range s.literals {
		if s.pkg != catalogReader && catalogName.MatchString(literal) {
			fault("%s reads the catalogue, which %s alone does: %q", s.pkg, catalogReader, literal)
		}
	}
	return out
}

// catalogReader is the one package that reads the catalogue. The name of the
// namespace, by which built-in types, operators and functions are told, is no
// reading.
const catalogReader = "schema/introspect"

var catalogName = regexp.MustCompile(`\bpg_catalog\.pg_|\bpg_(class|attribute|attrdef|type|enum|range|namespace|constraint|index|proc|inherits|depend|roles|authid|auth_members|policy|policies|extension|description|tables|views)\b|\binformation_schema\b`)

// imports reports whether the list has the package itself, or, for libraries of
// others, its module.
func imports(allowed []string, target string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		return target == a || !isOurs(a) && strings.HasPrefix(target, a+"/")
	})
}

func isOurs(name string) bool { _, ok := stages[name]; return ok }

// standard reports whether the package is of the standard library and free to
// use: no domain in its path, and not confined.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".") && confinedLibrary(imported) == ""
}

func confinedLibrary(imported string) string {
	for library := range confined {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			return library
		}
	}
	return ""
}

func under(pkg string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return pkg == f || strings.HasPrefix(pkg, f+"/") })
}

// readSources reads the non-test files below root. Modules of their own, and
// the folders that the go command passes over, are none of it.
func readSources(t *testing.T, root string) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && file != root && passedOver(file) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		s, err := readSource(root, file)
		out = append(out, s)
		return err
	})
	if err != nil {
		t.Fatalf("read the sources: %v", err)
	}
	return out
}

func passedOver(folder string) bool {
	name := filepath.Base(folder)
	if name == "testdata" || name == "vendor" || name[0] == '.' || name[0] == '_' {
		return true
	}
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

func readSource(root, file string) (source, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	relative, err := filepath.Rel(root, file)
	if err != nil {
		return source{}, err
	}
	s := source{file: filepath.ToSlash(relative)}
	if s.pkg = path.Dir(s.file); s.pkg == "." {
		s.pkg = ""
	}
	imported := make(map[*ast.BasicLit]bool)
	for _, spec := range parsed.Imports {
		imported[spec.Path] = true
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return source{}, fmt.Errorf("%s: an import: %w", file, err)
		}
		s.imports = append(s.imports, name)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING && !imported[literal] {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				s.literals = append(s.literals, text)
			}
		}
		return true
	})
	return s, nil
}
