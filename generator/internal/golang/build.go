// Build: protocol → Go declarations.

package golang

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Options are the choices a user has about the emitted package.
type Options struct {
	Package     string   // package name
	Wire        string   // import path of what does not depend on the protocol
	WireDir     string   // its folder, relative to the package's, with slashes
	Initialisms []string // beyond the common ones
	InSchemas   bool     // names are set in the schemas: there is no profile to pin them in
	InConfig    string   // file to state names in where neither schemas nor profile are the user's; "" if they are

	NoReducers bool // leave reducers out
	Own        []Own
	// Finished reports whether a reducer was written for a type of actions, so that it can be taken
	// over. Nil means none.
	Finished func(action string) bool

	// HostSkeleton asks for what wires a type that the user writes into the handlers of a host.
	HostSkeleton   bool
	HostSkeletonAt diag.Pos // where that is said

	// Transports are those that the package is to have beside it, by name.
	Transports   []string
	TransportsAt diag.Pos // where that is said

	// Logs are what a server is to be able to keep its log in, by name.
	Logs   []string
	LogsAt diag.Pos // where that is said

	// Names are those that an earlier run chose. They stay, whatever the rules say by now.
	Names Names
	// Pins are names that come before all others.
	Pins []Pin
}

// Own is an action whose reducer the user writes although there is one.
type Own struct {
	Type string
	Pos  diag.Pos // where that is said
}

// Build decides on all declarations. The result is nil when diags holds errors.
func Build(p *protocol.Protocol, opts Options, diags *diag.List) *Package {
	if opts.Wire == "" {
		opts.Wire, opts.WireDir = opts.Package+"/wire", "wire"
	}
	b := &builder{
		in: p, opts: opts, diags: diags, namer: newNamer(opts.Initialisms),
		out: &Package{
			Name: opts.Package, Wire: opts.Wire, WireDir: opts.WireDir, Protocol: gotext.Clean(p.Name), Version: gotext.Clean(p.Version), Sides: p.Sides, Spoken: p.Spoken(), Supported: p.Supported,
			Order: p.SpokenOrder(),
		},
		scope:   newScope(opts),
		names:   map[protocol.Type]string{},
		structs: map[*protocol.Struct]*Struct{},
		unions:  map[*protocol.Union]*Union{},
		enums:   map[*protocol.Enum]*Enum{},
		aliases: map[*protocol.Alias]*Alias{},
		members: map[*protocol.Enum][]string{},
		fieldOf: map[*protocol.Field]*Field{},
		locked:  opts.Names,
		pins:    pinsOf(opts.Pins),

		constants: map[*Enum]map[protocol.Value]string{},
		named:     map[*protocol.Enum]map[string]bool{},
	}
	b.scope.had = opts.Names.all()
	b.refuseNames()
	b.out.prefix = b.namer.exported(cmp.Or(p.Name, "protocol"))
	b.same()
	b.name()
	b.shells()
	b.alias()
	b.enumsAndAliases()
	settle(b.out.Aliases)
	b.fields()
	b.aliasMembers()
	b.unionsAndMarkers()
	b.decoders()
	b.accessors()
	b.diags.Working(diag.Pos{})
	b.tables()
	if !opts.NoReducers {
		b.reducers(opts.Own)
		b.store()
	}
	b.rpc()
	b.session()
	if opts.HostSkeleton {
		b.skeleton(opts.HostSkeletonAt)
	}
	b.transports()
	b.logs()
	b.out.taken = b.scope.taken()
	b.order()
	b.docs()
	b.scope.report(diags)
	b.out.declared = &declaredTypes{b.structs, b.unions, b.enums, b.aliases}
	if diags.HasErrors() {
		return nil
	}
	return b.out
}

type builder struct {
	in    *protocol.Protocol
	opts  Options
	out   *Package
	diags *diag.List
	namer *namer
	scope *scope

	types    []protocol.Type                   // those that are declared
	together map[protocol.Type][]protocol.Type // types that are equal, by the first of them
	first    map[protocol.Type]protocol.Type   // the type that stands for an equal one

	names   map[protocol.Type]string
	structs map[*protocol.Struct]*Struct
	unions  map[*protocol.Union]*Union
	enums   map[*protocol.Enum]*Enum
	aliases map[*protocol.Alias]*Alias
	members map[*protocol.Enum][]string // constant names, in member order
	fieldOf map[*protocol.Field]*Field
	locked  Names // of an earlier run
	pins    pins
	byName  map[string]protocol.Type

	constants map[*Enum]map[protocol.Value]string // by value, if one has been asked for
	named     map[*protocol.Enum]map[string]bool  // names of constants, likewise
	carriers  map[*protocol.Struct]int            // actions by the struct that carries them
	inside    map[*protocol.Union][]*protocol.Union
}

// declared is one identifier of the package and what asked for it.
type declared struct {
	what   string
	pos    diag.Pos
	hint   string   // how to give it another name, "" if that is not possible
	locked bool     // it has had the name before
	stated diag.Pos // where ahpgen.json gives it the name, if it does
}

// rank is lower for what has more of a right to its name.
func (d declared) rank() int {
	switch {
	case d.pos.IsZero():
		return 0
	case d.locked:
		return 1
	}
	return 2
}

// scope finds identifiers that two things ask for.
type scope struct {
	names     map[string][]declared
	order     []string
	inSchemas bool            // see Options
	inConfig  string          // likewise
	had       map[string]bool // what has its name from an earlier run, by definition or definition.member
	pins      pins
}

func newScope(o Options) *scope {
	return &scope{names: map[string][]declared{}, inSchemas: o.InSchemas, inConfig: o.InConfig, pins: pinsOf(o.Pins)}
}

// add claims a name for something that a profile can pin another name for; pin is "" if it cannot.
func (s *scope) add(name, what, pin string, pos diag.Pos) {
	hint := ""
	if pin != "" {
		suggestion := name + "2"
		if !gotext.IsExported(suggestion) { // a method that is named after the type
			suggestion = pin + "2"
		}
		hint = fmt.Sprintf(`pin another name under naming.names in the profile: {"at": %q, "name": %q}`, pin, suggestion)
		if s.inSchemas && !strings.HasSuffix(pin, "()") && strings.Count(pin, ".") < 2 {
			hint = fmt.Sprintf(`write "x-go-name": %q beside it`, suggestion)
		}
		if s.inConfig != "" {
			hint = fmt.Sprintf(`state another name in %s: "names": {%q: %q}`, s.inConfig, pin, suggestion)
		}
	}
	s.addHint(name, what, hint, pos)
	list := s.names[name]
	list[len(list)-1].locked = pin != "" && s.had[pin]
	s.state(name, pin)
}

func (s *scope) addHint(name, what, hint string, pos diag.Pos) {
	if len(s.names[name]) == 0 {
		s.order = append(s.order, name)
	}
	s.names[name] = append(s.names[name], declared{what: what, pos: pos, hint: hint})
}

// method claims a name for a method if nothing else has it; "" otherwise, and for "".
func (s *scope) method(name string) string {
	if name == "" || len(s.names[name]) > 0 {
		return ""
	}
	s.addHint(name, "a method", "", diag.Pos{})
	return name
}

// taken is the set of the identifiers.
func (s *scope) taken() map[string]bool {
	out := make(map[string]bool, len(s.names))
	for name := range s.names {
		out[name] = true
	}
	return out
}

func (s *scope) report(diags *diag.List) {
	for _, name := range s.order {
		list := slices.Clone(s.names[name])
		// What every package has stays, then a name that was there before; what is new has to give way.
		slices.SortStableFunc(list, func(a, b declared) int { return cmp.Compare(a.rank(), b.rank()) })
		for _, d := range list[1:] {
			first := list[0]
			where := ""
			if !first.pos.IsZero() {
				where = " at " + first.pos.String()
			}
			hint := cmp.Or(d.hint, first.hint, "rename one of them in the schema")
			pos := d.pos
			if at := cmp.Or(d.stated, first.stated); !at.IsZero() {
				pos, hint = at, statedHint
			}
			diags.Errorf(pos, "name-collision", hint, "%s and %s%s would both be called %s in Go", d.what, first.what, where, name)
		}
	}
}

// derive claims a name for something that the package has because of a definition. Definitions keep
// theirs.
func (b *builder) derive(name, what string, pos diag.Pos) string {
	taken := map[string]bool{}
	for n := name; len(b.scope.names[n]) > 0; n = free(name, b.out.prefix, taken) {
		taken[n] = true
	}
	name = free(name, b.out.prefix, taken)
	b.scope.add(name, what, "", pos)
	return name
}

// name spells every type.
func (b *builder) name() {
	pinned := map[string]string{} // definition → stated Go name, for the paths of inline types
	for _, t := range b.in.Types {
		b.diags.Working(t.Head().Pos)
		if h := t.Head(); b.stated(t) != "" {
			pinned[h.Name] = b.stated(t)
		}
	}
	taken := map[string]bool{}
	given := map[string]bool{}
	for _, t := range b.types {
		if len(b.together[t]) < 2 {
			taken[cmp.Or(b.claim(t), b.path(t.Head().Name, pinned))] = true
		}
	}
	for _, t := range b.types {
		b.diags.Working(t.Head().Pos)
		h := t.Head()
		name := b.claim(t)
		if name == "" || b.stated(t) == "" && h.Inline && given[name] { // what shared a name has grown apart
			name = b.nameShared(t, pinned, taken)
		}
		given[name] = true
		b.recordType(h.Name, name)
		if !gotext.IsExported(name) {
			b.diags.Errorf(h.Pos, "bad-name", "names start with an upper-case letter and hold letters and digits only", "%q cannot be a Go type name", name)
		}
		b.names[t] = name
		for _, other := range b.together[t][min(1, len(b.together[t])):] {
			b.names[other] = name
			b.recordType(other.Head().Name, name)
		}
		b.scope.add(name, describe(t), h.Name, h.Pos)
	}
}

// path spells the path of an inline type, beginning with the longest part that has a stated name.
func (b *builder) path(name string, pinned map[string]string) string {
	for end := len(name); end > 0; end = strings.LastIndex(name[:end], ".") {
		if stated := pinned[name[:end]]; stated != "" {
			if end == len(name) {
				return stated
			}
			return stated + strings.TrimPrefix(b.namer.exported("X."+name[end+1:]), "X")
		}
	}
	return b.namer.exported(name)
}

func describe(t protocol.Type) string {
	kind := "type"
	switch t.(type) {
	case *protocol.Struct:
		kind = "object"
	case *protocol.Union:
		kind = "union"
	case *protocol.Enum:
		kind = "enum"
	}
	return kind + " " + t.Head().Name
}

// shells makes every declaration, so that uses have something to point at.
func (b *builder) shells() {
	for _, t := range b.types {
		b.diags.Working(t.Head().Pos)
		name := b.names[t]
		switch t := t.(type) {
		case *protocol.Struct:
			b.structs[t] = &Struct{Pos: t.Pos, Name: name}
			b.out.Structs = append(b.out.Structs, b.structs[t])
		case *protocol.Union:
			b.unions[t] = &Union{Pos: t.Pos, Name: name, Kind: t.Kind}
			b.out.Unions = append(b.out.Unions, b.unions[t])
		case *protocol.Enum:
			b.enums[t] = &Enum{Pos: t.Pos, Name: name}
			b.out.Enums = append(b.out.Enums, b.enums[t])
		case *protocol.Alias:
			b.aliases[t] = &Alias{Pos: t.Pos, Name: name}
			b.out.Aliases = append(b.out.Aliases, b.aliases[t])
		}
	}
}

func (b *builder) enumsAndAliases() {
	for _, t := range b.types {
		b.diags.Working(t.Head().Pos)
		switch t := t.(type) {
		case *protocol.Enum:
			e := b.enums[t]
			e.Bitset = t.Bitset
			if x := b.in.Extensions; x != nil && x.Values && t.Open && t.Kind == protocol.String {
				e.Extension = x.Prefix
			}
			e.Base = "string"
			if t.Kind == protocol.Integer {
				e.Base = "int64"
			}
			if t.Bitset {
				e.Base = "uint64"
			}
			for _, m := range t.Members {
				if m.Name == "" && m.Value.Kind == protocol.Integer && m.Value.Int < 0 {
					m = &protocol.EnumMember{Name: "minus " + m.Value.String(), Value: m.Value, Pos: m.Pos}
				}
				computed := e.Name + b.namer.part(cmp.Or(m.Name, m.Value.String()))
				name := computed
				if m.Name == "" && b.locked.typeName(t.Name) == e.Name {
					name = cmp.Or(b.locked.member(t.Name, m.Value.String()), computed)
				}
				name = cmp.Or(b.pins.name(t.Name+"."+m.Value.String()), name)
				b.recordMember(t.Name, m.Value.String(), name)
				if !gotext.IsExported(name) {
					b.diags.Errorf(m.Pos, "bad-name", "names start with an upper-case letter and hold letters and digits only", "%q cannot be the name of a Go constant", name)
				}
				hint := fmt.Sprintf(`name the value under enums.rules in the profile: {"enum": %q, "names": {%q: "…"}}`, t.Name, m.Value.String())
				b.scope.addHint(name, fmt.Sprintf("value %q of %s", m.Value.String(), t.Name), hint, m.Pos)
				b.scope.state(name, t.Name+"."+m.Value.String())
				e.Members = append(e.Members, EnumMember{Name: name, Value: m.Value})
				b.members[t] = append(b.members[t], name)
			}
		case *protocol.Alias:
			b.aliases[t].Target = b.typ(t.Target)
		}
	}
}

// typ is the Go type of an expression.
func (b *builder) typ(e protocol.Expr) Type {
	switch e := e.(type) {
	case protocol.Scalar:
		switch e {
		case protocol.String:
			return String
		case protocol.Bool:
			return Bool
		case protocol.Integer:
			return Int64
		case protocol.Int8, protocol.Int16, protocol.Int32, protocol.Uint8, protocol.Uint16, protocol.Uint32, protocol.Uint64:
			return Basic(e.String())
		case protocol.Float:
			return Float64
		case protocol.Number:
			return Number
		}
		return Raw
	case protocol.List:
		return Slice{b.item(e.Elem)}
	case protocol.Map:
		return Map{b.item(e.Elem)}
	case protocol.Ref:
		switch t := e.Type.(type) {
		case *protocol.Struct:
			return StructType{b.structs[t]}
		case *protocol.Union:
			return UnionType{b.unions[t]}
		case *protocol.Enum:
			return EnumType{b.enums[t]}
		case *protocol.Alias:
			return AliasType{b.aliases[t]}
		}
	}
	return Raw
}

// item is the Go type of an item of a list or map.
func (b *builder) item(e protocol.Expr) Type {
	t := b.typ(e)
	if m, ok := t.(Map); ok && m.Elem == Raw {
		return RawObject
	}
	return t
}

// hasNil reports whether the Go type has a nil that can say "absent".
func hasNil(t Type) bool {
	switch t := Underlying(t).(type) {
	case Slice, Map, UnionType:
		return true
	case Basic:
		return t == Raw || t == RawObject
	}
	return false
}

func (b *builder) fields() {
	for _, t := range b.types {
		b.diags.Working(t.Head().Pos)
		in, ok := t.(*protocol.Struct)
		if !ok {
			continue
		}
		s := b.structs[in]
		own := newScope(b.opts)
		own.had = b.scope.had
		for _, method := range typeMethods {
			own.add(method, "a method of every type", "", diag.Pos{})
		}
		for _, f := range in.Fields {
			if f.Const != nil {
				s.Consts = append(s.Consts, Const{f.Name, *f.Const})
				continue
			}
			field := &Field{Name: b.fieldName(in, f), Wire: f.Name, Type: b.typ(f.Type)}
			b.recordMember(in.Name, f.Name, field.Name)
			if !gotext.IsExported(field.Name) {
				b.diags.Errorf(f.Pos, "bad-name", "names start with an upper-case letter and hold letters and digits only", "%q cannot be a Go field name", field.Name)
			}
			field.Param = b.namer.local(field.Name)
			field.Presence, field.Pointer = presence(f, field.Type)
			field.beLenient(f.Lenience)
			for _, v := range f.Values {
				field.Values = append(field.Values, v.Str)
			}
			own.add(field.Name, "member "+f.Name+" of "+in.Name, in.Name+"."+f.Name, f.Pos)
			b.readings(field, f)
			s.Fields = append(s.Fields, field)
			b.fieldOf[f] = field
		}
		for _, f := range s.Fields { // a member may be called so
			f.DefaultName, f.TextName = own.method(f.DefaultName), own.method(f.TextName)
		}
		for _, c := range in.Choices {
			choice := &Choice{Name: cmp.Or(c.GoName, b.namer.exported(c.Name)), Key: c.Key(), Union: b.unions[c.Type]}
			choice.Union.Beside = true
			own.add(choice.Name, "the alternatives of "+in.Name, in.Name+"."+c.Name, c.Pos)
			s.Choices = append(s.Choices, choice)
		}
		if s.Keeps = b.in.Keeps; s.Keeps {
			own.add("Undeclared", "the undeclared members of "+in.Name, "", in.Pos)
		}
		if in.Extra != nil {
			s.Extra = b.typ(in.Extra)
			own.add("Extra", "the undeclared members of "+in.Name, "", in.Pos)
		}
		own.report(b.diags)
	}
}

// readings names the methods that return what a field stands for: a default, or what a text says.
func (b *builder) readings(field *Field, f *protocol.Field) {
	if f.Default != "" && field.Presence == Optional {
		field.Default, field.DefaultName = f.Default, field.Name+"OrDefault"
	}
	switch field.Text = f.Text; f.Text {
	case protocol.Base64:
		field.TextName = field.Name + "Bytes"
	case protocol.DateTime:
		field.TextName = field.Name + "Time"
	}
}

func presence(f *protocol.Field, t Type) (Presence, bool) {
	raw := Underlying(t) == Raw // any JSON value: null is one of them, absent is nil
	switch {
	case f.Required && f.Nullable && !raw:
		return Nullable, !hasNil(t)
	case f.Required:
		return Required, false
	case f.Nullable && !raw:
		return Maybe, false
	}
	return Optional, !hasNil(t)
}

// unionsAndMarkers settles which types implement which interfaces.
func (b *builder) unionsAndMarkers() {
	for _, t := range b.in.Types {
		b.diags.Working(t.Head().Pos)
		if in, ok := t.(*protocol.Union); ok {
			b.union(in)
		}
	}
	for _, t := range b.in.Types {
		b.diags.Working(t.Head().Pos)
		if in, ok := t.(*protocol.Union); ok && in.Open {
			b.unknown(in)
		}
	}
	marked := map[*Struct]map[*Union]bool{}
	for _, t := range b.in.Types {
		b.diags.Working(t.Head().Pos)
		in, ok := t.(*protocol.Union)
		if !ok {
			continue
		}
		u := b.unions[in]
		for _, s := range u.Structs {
			if marked[s] == nil {
				marked[s] = map[*Union]bool{}
			}
			if marked[s][u] {
				continue // so are those that contain it
			}
			for _, m := range family(u) {
				if !marked[s][m] {
					marked[s][m] = true
					s.Markers = append(s.Markers, m)
				}
			}
		}
		for _, sc := range u.Scalars {
			sc.Markers = addUnion(sc.Markers, u)
		}
	}
	for _, u := range b.out.Unions {
		b.diags.Working(u.Pos)
		for _, token := range u.Tokens {
			// What a union inside keeps is a variant of the one around it as well.
			if token.Union != nil && token.Union.Unknown != nil {
				token.Union.Unknown.Markers = addUnion(token.Union.Unknown.Markers, u)
			}
		}
	}
	keeps := map[*Union]bool{} // an unknown variant, which may be that of a union inside
	for _, u := range b.out.Unions {
		if u.Unknown != nil {
			for _, m := range u.Unknown.Markers {
				keeps[m] = true
			}
		}
	}
	for _, u := range b.out.Unions {
		b.diags.Working(u.Pos)
		if u.Unknown != nil && u.Unknown.Owner == u {
			b.unknownTags(u.Unknown)
		}
		b.tagMethods(u, keeps[u])
	}
}

// family is the union with all that contain it, each once. It is asked for once all parents are known.
func family(u *Union) []*Union {
	if u.family != nil {
		return u.family
	}
	out := []*Union{u}
	seen := map[*Union]bool{u: true}
	for _, p := range u.Parents {
		for _, f := range family(p) {
			if !seen[f] {
				seen[f] = true
				out = append(out, f)
			}
		}
	}
	u.family = out
	return out
}

func addUnion(list []*Union, u *Union) []*Union {
	if slices.Contains(list, u) {
		return list
	}
	return append(list, u)
}

func (b *builder) union(in *protocol.Union) {
	u := b.unions[in]
	u.Anything = in.Anything
	for _, p := range in.Parents {
		u.Parents = append(u.Parents, b.unions[p])
	}
	if in.Tag != nil {
		u.Tag = b.enums[in.Tag]
		u.Own = !slices.ContainsFunc(in.Parents, func(p *protocol.Union) bool { return p.Tag == in.Tag })
	}
	if in.Kind == protocol.Token {
		b.tokens(in, u)
		return
	}
	for _, s := range in.Leaves() {
		u.Structs = append(u.Structs, b.structs[s])
	}
	u.Cases = b.dispatch(in.Dispatch, "")
}

// dispatch copies a decision and labels the variants it leads to.
func (b *builder) dispatch(d *protocol.Dispatch, above string) *Dispatch {
	out := &Dispatch{Member: d.Member, Kind: d.Kind, Untagged: d.Untagged, Absent: d.Absent, Lenient: d.Lenient, Stated: d.Stated}
	for _, c := range d.Cases {
		label := above
		if label == "" && len(c.Values) > 0 && d.Kind == protocol.String {
			label = c.Values[0].Str
		}
		oc := &Case{Values: c.Values, Marker: c.Marker}
		for _, sign := range c.Signs {
			oc.Signs = append(oc.Signs, Sign{Path: strings.Split(sign.Member, "."), Is: sign.Is})
		}
		if c.Next != nil {
			oc.Next = b.dispatch(c.Next, label)
		} else {
			oc.Struct = b.structs[c.Struct]
			oc.Struct.Label = cmp.Or(oc.Struct.Label, label)
		}
		out.Cases = append(out.Cases, oc)
	}
	return out
}

var tokenKinds = map[string]byte{"string": '"', "number": '0', "boolean": 't', "null": 'n', "array": '[', "object": '{'}

func (b *builder) tokens(in *protocol.Union, u *Union) {
	for _, v := range in.Variants {
		token := &Token{Kind: tokenKinds[v.Name], Word: v.Name}
		typ := b.typ(v.Type)
		switch Underlying(typ).(type) {
		case StructType, UnionType: // another name for such a type makes no other variant
			typ = Underlying(typ)
		}
		switch t := typ.(type) {
		case StructType:
			token.Struct = t.Struct
			u.Structs = append(u.Structs, t.Struct)
		case UnionType:
			// The branch is a union itself; its variants belong to both.
			token.Union = t.Union
			inner, ok := protocol.Underlying(v.Type).(protocol.Ref).Type.(*protocol.Union)
			if ok {
				for _, s := range inner.Leaves() {
					u.Structs = append(u.Structs, b.structs[s])
				}
			}
		default:
			name := u.Name + b.namer.part(map[string]string{"boolean": "bool", "array": "list", "object": "map"}[v.Name])
			if v.Name == "string" || v.Name == "number" || v.Name == "null" {
				name = u.Name + b.namer.part(v.Name)
			}
			if v.Name == "array" && in.Elements != nil {
				b.list(in, u, v, t)
				continue
			}
			name = b.derive(name, fmt.Sprintf("the %s variant of %s", v.Name, in.Name), v.Pos)
			token.Scalar = &Scalar{Name: name, Type: t}
			if v.Type == protocol.Null {
				token.Scalar.Type = nil
			}
			token.Scalar.Doc = []string{fmt.Sprintf("%s is a [%s] that is a JSON %s.", name, u.Name, v.Name)}
			u.Scalars = append(u.Scalars, token.Scalar)
		}
		u.Tokens = append(u.Tokens, token)
	}
}

// list adds one of several variants that are lists.
func (b *builder) list(in *protocol.Union, u *Union, v *protocol.Variant, t Type) {
	i := slices.IndexFunc(u.Tokens, func(t *Token) bool { return t.Kind == '[' })
	if i < 0 {
		i = len(u.Tokens)
		u.Tokens = append(u.Tokens, &Token{Kind: '[', Word: v.Name, Items: b.dispatch(in.Elements, "")})
	}
	token := u.Tokens[i]
	name := u.Name + b.namer.part(cmp.Or(v.Title, fmt.Sprintf("list%d", len(token.Lists)+1)))
	name = b.derive(name, fmt.Sprintf("the list variant %q of %s", v.Title, in.Name), v.Pos)
	s := &Scalar{Name: name, Type: t, Doc: []string{fmt.Sprintf("%s is a [%s] that is a list.", name, u.Name)}}
	if len(token.Lists) == 0 {
		s.Doc = []string{fmt.Sprintf("%s is a [%s] that is a list. An empty list is one.", name, u.Name)}
	}
	token.Lists = append(token.Lists, List{s, b.structs[v.Item()]})
	u.Scalars = append(u.Scalars, s)
}

// unknown gives an open union the type for variants it does not know. Inside another open union
// it is the other's, so that a value is unknown in one way only.
func (b *builder) unknown(in *protocol.Union) {
	u := b.unions[in]
	if u.Unknown != nil {
		return
	}
	var open []*protocol.Union
	for _, p := range in.Parents {
		if p.Open && p.Dispatch.Member == in.Dispatch.Member {
			open = append(open, p)
		}
	}
	if len(open) == 1 {
		b.unknown(open[0])
		u.Unknown = b.unions[open[0]].Unknown
	} else {
		u.Unknown = &Unknown{Name: "Unknown" + u.Name, Owner: u, Tag: u.Tag}
		u.Unknown.Name = b.derive(u.Unknown.Name, "unknown variants of "+in.Name, in.Pos)
	}
	if len(u.Unknown.Markers) == 0 {
		u.Unknown.Markers = slices.Clone(family(u))
		return
	}
	for _, m := range family(u) {
		u.Unknown.Markers = addUnion(u.Unknown.Markers, m)
	}
}

// unknownTags gives the type of unknown variants the methods that return tags: its own, and those of
// every other union that it is in.
func (b *builder) unknownTags(x *Unknown) {
	taken := map[string]bool{"Raw": true, "AppendJSON": true, "MarshalJSON": true, "EncodeJSON": true}
	if x.Tag != nil {
		taken[x.Tag.Name] = true
	}
	for _, u := range x.Markers {
		known := slices.ContainsFunc(x.Others, func(t OtherTag) bool { return t.Enum == u.Tag })
		if u.Tag == nil || u.Tag == x.Tag || known {
			continue
		}
		x.Others = append(x.Others, OtherTag{u.Tag, u.Cases.Member})
		taken[u.Tag.Name] = true
	}
	if x.Owner.Kind != protocol.Tagged {
		return
	}
	// The field may be called neither like the other one nor like a method.
	for _, name := range []string{b.namer.exported(x.Owner.Cases.Member), "Tag", "Kind", "Name", "TagValue", "KindValue", "NameValue"} {
		if !taken[name] {
			x.Field = name
			return
		}
	}
	for i := 2; x.Field == "" || taken[x.Field]; i++ {
		x.Field = "Tag" + strconv.Itoa(i)
	}
}

// tagMethods gives each variant the methods that return its tag. One that is not known may be among them.
func (b *builder) tagMethods(u *Union, keeps bool) {
	if u.Tag == nil || u.Cases == nil {
		return
	}
	if u.Own { // else it is another's, of which it is said
		b.tagName(u, keeps)
	}
	var walk func(d *Dispatch, values []protocol.Value)
	walk = func(d *Dispatch, values []protocol.Value) {
		for _, c := range d.Cases {
			v := values
			if v == nil {
				v = c.Values
			}
			if c.Next != nil {
				walk(c.Next, v)
				continue
			}
			s := c.Struct
			tag := Tag{Enum: u.Tag}
			switch {
			case d.Absent && len(v) == 1 && v[0].Str == "":
			case len(v) == 1:
				tag.Const = b.constant(u.Tag, v[0])
			default:
				i := slices.IndexFunc(s.Fields, func(f *Field) bool { return f.Wire == u.Cases.Member })
				tag.Field = s.Fields[i].Name
				tag.Convert = s.Fields[i].Type != Type(EnumType{u.Tag})
			}
			if i := slices.IndexFunc(s.Tags, func(t Tag) bool { return t.Enum == u.Tag }); i >= 0 {
				if s.Tags[i] != tag {
					b.diags.Errorf(u.Pos, "shared-tag", fmt.Sprintf("give the tag type another name with tag in a union rule for %s", u.Name),
						"%s is told apart by %q, but %s of another union, by which %s has another tag", u.Name, u.Cases.Member, u.Tag.Name, s.Name)
				}
				continue
			}
			if i := slices.IndexFunc(s.Fields, func(f *Field) bool { return f.Name == u.Tag.Name }); i >= 0 {
				b.diags.Errorf(s.Pos, "name-collision", fmt.Sprintf("give the tag type another name with tag in a union rule for %s", u.Name),
					"member %s of %s and the method that returns its tag would both be called %s in Go", s.Fields[i].Wire, s.Name, u.Tag.Name)
			}
			s.Tags = append(s.Tags, tag)
		}
	}
	walk(u.Cases, nil)
}

// constant is the name of an enum's value.
func (b *builder) constant(e *Enum, v protocol.Value) string {
	if b.constants[e] == nil {
		b.constants[e] = map[protocol.Value]string{}
		for _, m := range slices.Backward(e.Members) {
			b.constants[e][m.Value] = m.Name
		}
	}
	return b.constants[e][v]
}

// tagName refuses a name for the method that returns tags that the variants need for something else.
func (b *builder) tagName(u *Union, keeps bool) {
	what := ""
	switch name := u.Tag.Name; {
	case slices.Contains(typeMethods, name):
		what = "a method of every type"
	case name == "Raw" && keeps:
		what = "what holds an unknown variant"
	case name == "Extra" && slices.ContainsFunc(u.Structs, func(s *Struct) bool { return s.Extra != nil }):
		what = "the undeclared members of a variant"
	default:
		return
	}
	b.diags.Errorf(u.Pos, "name-collision", fmt.Sprintf("give the tag type another name with tag in a union rule for %s, or with x-tag", u.Name),
		"the method that returns the tag of %s and %s would both be called %s in Go", u.Name, what, u.Tag.Name)
}

// typeMethods are the methods of every struct.
var typeMethods = []string{"AppendJSON", "MarshalJSON", "UnmarshalJSON", "DecodeJSON", "EncodeJSON"}

// decoders names the functions that decode unions. Those that were made from the action table have none:
// whoever receives an action decodes any, and asserts the one it is.
func (b *builder) decoders() {
	for _, t := range b.in.Types {
		if in, ok := t.(*protocol.Union); ok && in.Scope == protocol.Declared {
			u := b.unions[in]
			u.Decode, u.Read = b.derive("Decode"+b.names[t], "the decoder of "+in.Name, in.Pos), true
		}
	}
	for _, s := range b.out.Structs {
		for _, f := range s.Fields {
			reads(f.Type)
		}
		reads(s.Extra)
		for _, c := range s.Choices {
			c.Union.Read = true
		}
	}
	for _, u := range b.out.Unions {
		for _, token := range u.Tokens {
			if token.Scalar != nil {
				reads(token.Scalar.Type)
			}
			if token.Union != nil {
				token.Union.Read = true
			}
		}
	}
}

// reads notes that a decoder comes by a type.
func reads(t Type) {
	switch t := Underlying(t).(type) {
	case UnionType:
		t.Read = true
	case Slice:
		reads(t.Elem)
	case Map:
		reads(t.Elem)
	}
}

// Whole is the union around one that no schema declares, if it decodes whatever that one is and tells
// its variants apart in the same way; nil if there is none.
func (u *Union) Whole() *Union {
	if u.Decode != "" || u.Cases == nil || u.Tag == nil {
		return nil
	}
	for _, p := range u.Parents {
		if p.Decode != "" && p.Cases != nil && p.Cases.Member == u.Cases.Member && p.Tag == u.Tag && p.Unknown == u.Unknown {
			return p
		}
	}
	return nil
}
