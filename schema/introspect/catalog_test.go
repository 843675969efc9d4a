package introspect

import "testing"

// Scales that are negative or over the precision are those of Postgres 15 and newer.
func TestDigits(t *testing.T) {
	for _, c := range []struct {
		modifier         int32
		precision, scale int
	}{
		{8<<16 | 3, 8, 3},
		{5 << 16, 5, 0},
		{1000<<16 | 1000, 1000, 1000},
		{2<<16 | 5, 2, 5},
		{3<<16 | 0x7fe, 3, -2},
		{1<<16 | 0x418, 1, -1000},
	} {
		if precision, scale := digits(c.modifier); precision != c.precision || scale != c.scale {
			t.Errorf("digits(%#x) = %d, %d, want %d, %d", c.modifier, precision, scale, c.precision, c.scale)
		}
	}
}
