package validation

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"
)

func TestBoundedNumber(t *testing.T) {
	zeros := strings.Repeat("0", 2000)
	for given, want := range map[string]string{
		"5": "5", "-0.25": "-0.25", "1e3": "1000", "-12.5e-1": "-1.25", "0.00e99999999999999999999": "0", "0e5": "0",
		"1e400": "1e400", "1e399": "1e399", "-1e999999999": "-1e400", "1e99999999999999999999": "1e400", "1e-99999999999999999999": "1e-400",
		"1e-500": "1e-400", "1" + zeros: "1e400", "0." + zeros + "1": "1e-400", "1" + zeros + "e-2000": "1", "0." + zeros + "1e2001": "1",
	} {
		got := boundedNumber(json.Number(given))
		g, ok := new(big.Rat).SetString(string(got))
		w, _ := new(big.Rat).SetString(want)
		if !ok || g.Cmp(w) != 0 {
			t.Errorf("%.30s: %.30s, want %s", given, got, want)
		}
	}
	short := boundedNumber(json.Number("5." + zeros + "1"))
	if g, _ := new(big.Rat).SetString(string(short)); g.Cmp(big.NewRat(5, 1)) <= 0 || len(short) > 1100 {
		t.Errorf("cut short to %s", short)
	}
}

// A body full of numbers whose digits would fill the memory is checked in no time.
func TestCheckIsCheap(t *testing.T) {
	set, err := Compile(&File{Version: FormatVersion, Models: map[string]Model{
		"a": {Create: json.RawMessage(`{"items": {"type": "integer", "minimum": 3, "multipleOf": 7}}`)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	body := "[" + strings.Repeat("1e999999,-1e-999999,", 50_000) + strings.Repeat("9", 100_000) + "]"
	start := time.Now()
	if es := set.Check("a", Create, []byte(body)); len(es) != 100 {
		t.Errorf("%d errors", len(es))
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}
