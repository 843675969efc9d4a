package plan

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/schema"
)

// A drawer draws values by chance.
type drawer struct{ *rand.Rand }

func pick[T any](d drawer, from ...T) T { return from[d.IntN(len(from))] }

// value draws a value that is not null: as a request may send it, and as
// Postgres's to_jsonb has it, but for spelling.
func (d drawer) value(t *schema.Type) (sent, want string) {
	switch t = t.Base(); t.Kind {
	case schema.Bool:
		sent = pick(d, "true", "false")
		return sent, sent
	case schema.Int2:
		return d.number(d.whole(16))
	case schema.Int4:
		return d.number(d.whole(32))
	case schema.Int8:
		return d.number(d.whole(64))
	case schema.Float4:
		return d.float(float64(math.Float32frombits(d.Uint32())), 32)
	case schema.Float8:
		return d.float(math.Float64frombits(d.Uint64()), 64)
	case schema.Numeric:
		return d.numeric()
	case schema.JSON, schema.JSONB:
		sent = d.json(3)
		return sent, sent
	case schema.Array:
		if sent = "[]"; d.IntN(8) == 0 {
			return sent, sent
		}
		return d.array(t, d.lengths(t))
	case schema.Composite:
		return d.composite(t)
	default:
		s, w := d.text(t)
		return d.quote(s), quote(w)
	}
}

// part draws what stands in an array or an object.
func (d drawer) part(t *schema.Type) (sent, want string) {
	if d.IntN(6) == 0 {
		return "null", "null"
	}
	for {
		// JSON's own null is NULL.
		if sent, want = d.value(t); sent != "null" {
			return sent, want
		}
	}
}

func (d drawer) whole(bits int) string {
	shift := 64 - bits + d.IntN(bits)
	return strconv.FormatInt(int64(d.Uint64())>>shift, 10)
}

// number draws whether digits come in a string.
func (d drawer) number(digits string) (sent, want string) {
	return pick(d, digits, quote(digits)), digits
}

func (d drawer) float(f float64, bits int) (sent, want string) {
	if math.IsNaN(f) || math.IsInf(f, 0) || d.IntN(10) == 0 {
		sent = quote(pick(d, "NaN", "Infinity", "-Infinity"))
		return sent, sent
	}
	return d.number(strconv.FormatFloat(f, 'g', -1, bits))
}

func (d drawer) numeric() (sent, want string) {
	if d.IntN(20) == 0 {
		sent = quote("NaN")
		return sent, sent
	}
	text := strconv.FormatUint(d.Uint64()>>d.IntN(64), 10) + pick(d, "", "."+strings.Repeat("0", d.IntN(30))+strconv.FormatUint(d.Uint64(), 10))
	return d.number(pick(d, "", "-") + text + pick(d, "", "", "e7", "E-12", "e+100"))
}

// text draws the text of kinds that JSON has as strings.
func (d drawer) text(t *schema.Type) (sent, want string) {
	at := time.Date(1+d.IntN(9998), time.January, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(d.Int64N(365*24*3600*1e6)) * time.Microsecond)
	switch t.Kind {
	case schema.UUID:
		b := make([]byte, 16)
		for i := range b {
			b[i] = byte(d.Uint32())
		}
		sent = fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		return pick(d, sent, strings.ToUpper(sent)), sent
	case schema.Enum:
		sent = pick(d, t.Labels...)
	case schema.Range:
		sent = pick(d, "empty", "[1,5)", "(,)", "[-3,)")
	case schema.Bytea:
		b := []byte(d.words())
		return base64.StdEncoding.EncodeToString(b), `\x` + hex.EncodeToString(b)
	case schema.Timestamptz:
		east := time.FixedZone("", 60*(d.IntN(1800)-900))
		if local := at.In(east); local.Year() >= 1 && local.Year() <= 9999 {
			sent = local.Format("2006-01-02T15:04:05.999999Z07:00")
		} else {
			sent = at.Format(time.RFC3339Nano)
		}
		return sent, at.Format("2006-01-02T15:04:05.999999-07:00")
	case schema.Timestamp:
		return at.Format(time.RFC3339Nano), at.Format("2006-01-02T15:04:05.999999")
	case schema.Date:
		sent = at.Format(time.DateOnly)
	case schema.Time:
		sent = pick(d, at.Format("15:04:05.999999"), "24:00:00")
	case schema.Timetz:
		sent = at.Format("15:04:05.999999")
		return sent + pick(d, "+02:00", "+02"), sent + "+02"
	case schema.Interval:
		sent = d.interval()
	default:
		switch t.Name {
		case "inet":
			sent = pick(d, "10.0.0.1", "10.0.0.0/8", "::1", "fe80::1/64")
		case "box":
			sent = pick(d, "(3,4),(1,2)", "(0,0),(-1,-1)")
		default:
			sent = d.words()
		}
	}
	return sent, sent
}

func (d drawer) interval() string {
	date, clock := "", ""
	for _, unit := range []string{"Y", "M", "D"} {
		if n := d.IntN(4); n > 0 {
			date += strconv.Itoa(n) + unit
		}
	}
	for _, unit := range []string{"H", "M", ".25S"} {
		if n := d.IntN(4); n > 0 {
			clock += strconv.Itoa(n) + unit
		}
	}
	if clock != "" {
		clock = "T" + clock
	}
	if date+clock == "" {
		return "PT0S"
	}
	return "P" + date + clock
}

// words draws text of all that has a meaning in some text form.
func (d drawer) words() string {
	var b strings.Builder
	for range d.IntN(7) {
		b.WriteString(pick(d, "a", "é", "😀", " ", `"`, `\`, `'`, `{`, `}`, `(`, `)`, `,`, `;`, `:`, `[`, `]`, `%`, `/`, "\n", "\t", "\x01", "\x7f",
			"NULL", "null", "\u2028", `\x`, `""`, `\\`))
	}
	return b.String()
}

// quote draws how a JSON string escapes.
func (d drawer) quote(s string) string {
	if d.IntN(4) > 0 {
		return quote(s)
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, `\u%04x`, unit)
	}
	b.WriteByte('"')
	return b.String()
}

func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (d drawer) json(depth int) string {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	var parts []string
	switch d.IntN(kinds) {
	case 0:
		return pick(d, "true", "false")
	case 1:
		return d.quote(d.words())
	case 2:
		return d.whole(64)
	case 3:
		return pick(d, "1.50", "-0.1e-7", "1e30", `""`)
	case 4:
		for range d.IntN(4) {
			parts = append(parts, pick(d, "null", d.json(depth-1)))
		}
		return "[" + strings.Join(parts, pick(d, ",", " , ")) + "]"
	default:
		for i := range d.IntN(4) {
			parts = append(parts, quote(fmt.Sprint(i, d.words()))+pick(d, ":", " : ")+d.json(depth-1))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
}

// lengths draws the dimensions of an array: one where elements are arrays
// themselves.
func (d drawer) lengths(t *schema.Type) []int {
	k := t.Elem.Base().Kind
	lengths := []int{1 + d.IntN(4)}
	for k != schema.JSON && k != schema.JSONB && k != schema.Array && len(lengths) < 3 && d.IntN(3) == 0 {
		lengths = append(lengths, 1+d.IntN(3))
	}
	return lengths
}

func (d drawer) array(t *schema.Type, lengths []int) (sent, want string) {
	var sents, wants []string
	for range lengths[0] {
		var s, w string
		if len(lengths) > 1 {
			s, w = d.array(t, lengths[1:])
		} else {
			s, w = d.part(t.Elem)
		}
		sents, wants = append(sents, s), append(wants, w)
	}
	return "[" + strings.Join(sents, pick(d, ",", " ,\n")) + "]", "[" + strings.Join(wants, ",") + "]"
}

func (d drawer) composite(t *schema.Type) (sent, want string) {
	var sents, wants []string
	for _, m := range t.Members {
		s, w := d.part(m.Type)
		wants = append(wants, quote(m.Name)+":"+w)
		if s != "null" || d.IntN(2) == 0 {
			sents = append(sents, d.quote(m.Name)+pick(d, ":", " : ")+s)
		}
	}
	d.Shuffle(len(sents), func(i, j int) { sents[i], sents[j] = sents[j], sents[i] })
	return "{" + strings.Join(sents, ",") + "}", "{" + strings.Join(wants, ",") + "}"
}

// nearLimit draws a string or a number, in a string, that just about fits.
func (d drawer) nearLimit(f *schema.Field) string {
	var b strings.Builder
	if f.Length > 0 {
		for range f.Length - 1 {
			b.WriteString(pick(d, "a", "é", "😀", " "))
		}
		for range d.IntN(4) {
			b.WriteString(pick(d, " ", " ", "b", "\t"))
		}
		return quote(b.String())
	}
	b.WriteString(pick(d, "", "-", "0", "000"))
	for range d.IntN(max(f.Precision, f.Precision-f.Scale) + 1) {
		b.WriteString(pick(d, "9", "9", "9", "4", "0"))
	}
	b.WriteString(pick(d, "", ".", ".0"))
	for range 1 + d.IntN(f.Precision+2) {
		b.WriteString(pick(d, "9", "9", "5", "4", "0"))
	}
	b.WriteString(pick(d, "", "", fmt.Sprint("e", d.IntN(9)-4)))
	return quote(b.String())
}
