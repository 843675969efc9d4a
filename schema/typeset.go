package schema

import "fmt"

// A typeSet resolves the types of a catalogue, each once.
type typeSet struct {
	defs     map[TypeRef]*TypeDef
	resolved map[TypeRef]*Type
	open     map[TypeRef]bool // being resolved: a second visit is a cycle
}

func newTypeSet(defs []TypeDef) *typeSet {
	s := &typeSet{defs: map[TypeRef]*TypeDef{}, resolved: map[TypeRef]*Type{}, open: map[TypeRef]bool{}}
	for i := range defs {
		s.defs[defs[i].TypeRef] = &defs[i]
	}
	return s
}

// resolve returns the type that ref names, with everything it is made of.
func (s *typeSet) resolve(ref TypeRef) (*Type, error) {
	if t, ok := s.resolved[ref]; ok {
		return t, nil
	}
	def, ok := s.defs[ref]
	if !ok {
		def, ok = builtIn(ref)
	}
	switch {
	case !ok:
		return nil, fmt.Errorf("type %s.%s is not in the catalogue", ref.Schema, ref.Name)
	case s.open[ref]:
		return nil, fmt.Errorf("type %s.%s contains itself", ref.Schema, ref.Name)
	}
	s.open[ref] = true
	defer delete(s.open, ref)
	t, err := s.compose(def)
	if err != nil {
		return nil, err
	}
	s.resolved[ref] = t
	return t, nil
}

func (s *typeSet) compose(def *TypeDef) (*Type, error) {
	t := &Type{Kind: def.Kind, Schema: def.Schema, Name: def.Name, Multi: def.Multi, Labels: def.Labels, Equal: def.Equal, Ordered: def.Ordered, Operators: def.Operators}
	switch def.Kind {
	case Array, Range, Domain:
		elem, err := s.resolve(def.Elem)
		if err != nil {
			return nil, fmt.Errorf("type %s.%s: %w", def.Schema, def.Name, err)
		}
		t.Elem = elem
	case Composite:
		for _, m := range def.Members {
			mt, err := s.resolve(m.Type)
			if err != nil {
				return nil, fmt.Errorf("type %s.%s: member %q: %w", def.Schema, def.Name, m.Name, err)
			}
			t.Members = append(t.Members, Member{Name: m.Name, Type: mt})
		}
	default:
		if int(def.Kind) >= len(kindNames) || def.Kind == 0 {
			return nil, fmt.Errorf("type %s.%s has no kind", def.Schema, def.Name)
		}
	}
	return t, nil
}

// BuiltIn returns the reference to one of Postgres's own types, by the name it
// has in pg_type: int4, timestamptz, _text for text[]. A catalogue need not
// list the common ones in Types.
func BuiltIn(name string) TypeRef { return TypeRef{Schema: catalogSchema, Name: name} }

// builtInKinds are the types that a catalogue need not define.
var builtInKinds = map[string]Kind{
	"text": Text, "varchar": Text, "bpchar": Text, "name": Text, "inet": Text, "cidr": Text, "tsvector": Text,
	"bool": Bool, "int2": Int2, "int4": Int4, "int8": Int8, "float4": Float4, "float8": Float8, "numeric": Numeric,
	"uuid": UUID, "timestamptz": Timestamptz, "timestamp": Timestamp, "date": Date, "time": Time, "timetz": Timetz,
	"interval": Interval, "bytea": Bytea, "json": JSON, "jsonb": JSONB,
}

// builtInRanges are Postgres's ranges and what they range over.
var builtInRanges = map[string]string{
	"int4range": "int4", "int8range": "int8", "numrange": "numeric",
	"tsrange": "timestamp", "tstzrange": "timestamptz", "daterange": "date",
}

// builtInMultiranges are the sets of these.
var builtInMultiranges = map[string]string{
	"int4multirange": "int4", "int8multirange": "int8", "nummultirange": "numeric",
	"tsmultirange": "timestamp", "tstzmultirange": "timestamptz", "datemultirange": "date",
}

func builtIn(ref TypeRef) (*TypeDef, bool) {
	if ref.Schema != catalogSchema {
		return nil, false
	}
	def := &TypeDef{TypeRef: ref, Equal: true, Ordered: true}
	if kind, ok := builtInKinds[ref.Name]; ok {
		def.Kind = kind
		def.Equal, def.Ordered = kind != JSON, kind != JSON
		return def, true
	}
	if elem, ok := builtInRanges[ref.Name]; ok {
		def.Kind, def.Elem = Range, BuiltIn(elem)
		return def, true
	}
	if elem, ok := builtInMultiranges[ref.Name]; ok {
		def.Kind, def.Elem, def.Multi = Range, BuiltIn(elem), true
		return def, true
	}
	if len(ref.Name) < 2 || ref.Name[0] != '_' {
		return nil, false
	}
	elem, ok := builtIn(BuiltIn(ref.Name[1:]))
	if !ok || elem.Kind == Array {
		return nil, false
	}
	def.Kind, def.Elem = Array, elem.TypeRef
	def.Equal, def.Ordered = elem.Equal, elem.Ordered
	return def, true
}
