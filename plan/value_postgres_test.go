package plan

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/schema"
)

// storedTypes are the columns of the table that values are written to, each as
// itself and as an array.
var storedTypes = []string{
	"bool", "int2", "int4", "int8", "float4", "float8", "numeric", "text", "varchar", "uuid", "inet", "int4range",
	"timestamptz", "timestamp", "date", "time", "timetz", "interval", "bytea", "json", "jsonb",
	"box", "mood", "score", "email", "triple", "address", "route", "single",
}

// What is sent is what is stored: random values of every type, read back by
// Postgres as JSON of its own.
func TestJSONValueInPostgres(t *testing.T) {
	conn := connectTo(t, valueSchema)
	var columns []string
	for _, name := range storedTypes {
		columns = append(columns, fmt.Sprintf("%[1]s %[1]s, %[1]ss %[1]s[]", name))
	}
	execute(t, conn, "CREATE TABLE stored ("+strings.Join(columns, ", ")+"); SET TimeZone = 'UTC'; SET IntervalStyle = 'iso_8601'")
	const rounds = 40
	d := drawer{rand.New(rand.NewPCG(1, 2))}
	for _, name := range storedTypes {
		for _, suffix := range []string{"", "[]"} {
			typ := valueType(name + suffix)
			column := name + strings.Repeat("s", len(suffix)/2)
			statement := fmt.Sprintf(`INSERT INTO stored (%s) SELECT $1::%s RETURNING to_jsonb(%[1]s)::text, $2::jsonb::text`, column, name+suffix)
			for range rounds {
				sent, want := d.value(typ)
				value, problems := jsonValue(&schema.Field{Name: column, Type: typ}, jsontext.Value(sent), nil)
				if len(problems) > 0 {
					t.Fatalf("%s: %s is refused: %v", column, sent, problems)
				}
				got, want, err := storeValue(t, conn, statement, value, want)
				if err != nil {
					t.Errorf("%s: %s as %v: %v", column, sent, value, err)
				} else if got != want {
					t.Errorf("%s: %s is stored as %s", column, sent, got)
				}
			}
		}
	}
}

// storeValue returns what was stored and what it should be, in the one form
// that jsonb has for it.
func storeValue(t *testing.T, conn *pgx.Conn, statement string, value any, want string) (string, string, error) {
	t.Helper()
	result := conn.PgConn().ExecParams(t.Context(), statement, [][]byte{appendScalar([]byte{}, value), []byte(want)}, nil, nil, nil).Read()
	if result.Err != nil {
		return "", "", result.Err
	}
	return string(result.Rows[0][0]), string(result.Rows[0][1]), nil
}

// Columns' limits are those that Postgres has: what one takes, so does the other.
func TestJSONValueLimitsInPostgres(t *testing.T) {
	conn := connectTo(t, "")
	fields := []*schema.Field{
		{Name: "varchar(3)", Type: valueType("varchar"), Length: 3},
		{Name: "bpchar(2)", Type: valueType("bpchar"), Length: 2},
		{Name: "numeric(5,2)", Type: valueType("numeric"), Precision: 5, Scale: 2},
		{Name: "numeric(4)", Type: valueType("numeric"), Precision: 4},
		{Name: "numeric(3,3)", Type: valueType("numeric"), Precision: 3, Scale: 3},
	}
	var version int
	if err := conn.QueryRow(t.Context(), "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		t.Fatal(err)
	}
	if version >= 150000 { // older ones have no scale beyond the precision, and none below 0
		fields = append(fields,
			&schema.Field{Name: "numeric(2,4)", Type: valueType("numeric"), Precision: 2, Scale: 4},
			&schema.Field{Name: "numeric(2,-3)", Type: valueType("numeric"), Precision: 2, Scale: -3},
		)
	}
	d := drawer{rand.New(rand.NewPCG(3, 4))}
	for _, f := range fields {
		execute(t, conn, "CREATE TEMP TABLE stored (v "+f.Name+")")
		statement := "INSERT INTO stored SELECT $1::" + f.Type.Name
		taken := 0
		for range 300 {
			sent := d.nearLimit(f)
			value, problems := jsonValue(f, jsontext.Value(sent), nil)
			text := value
			if len(problems) > 0 {
				text = string(unquoted(jsontext.Value(sent)))
			}
			_, err := conn.Exec(t.Context(), statement, text)
			if (err == nil) != (len(problems) == 0) {
				t.Errorf("%s: %s: Postgres says %v, the plan %v", f.Name, sent, err, problems)
			}
			if err == nil {
				taken++
			}
		}
		if taken < 30 || taken > 270 {
			t.Errorf("%s: %d values of 300 were taken, which proves little", f.Name, taken)
		}
		execute(t, conn, "DROP TABLE stored")
	}
}

func connectTo(t *testing.T, schemaSQL string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, schemaSQL))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Errorf("close the connection: %v", err)
		}
	})
	return conn
}
