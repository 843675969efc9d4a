package parse

// A tally counts how often names come. The first few are looked through, which is
// faster than a map; a query of thousands has one for the others.
type tally struct {
	few    [8]counted
	used   int
	others map[string]int
}

type counted struct {
	name  string
	count int
}

// add counts the name and returns how often it has come by now.
func (t *tally) add(name string) int {
	for i := range t.few[:t.used] {
		if c := &t.few[i]; c.name == name {
			c.count++
			return c.count
		}
	}
	if t.used < len(t.few) {
		t.few[t.used] = counted{name, 1}
		t.used++
		return 1
	}
	if t.others == nil {
		t.others = make(map[string]int)
	}
	t.others[name]++
	return t.others[name]
}
