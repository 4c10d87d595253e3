// Codec: decoding and encoding of structs.

package emit

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// wire refers to an identifier of package wire.
func (e *emitter) wire(name string) *Statement { return Id("wire." + name) }

// codec refers to an identifier of package codec.
func (e *emitter) codec(name string) *Statement { return Id("codec." + name) }

func (e *emitter) decoderParam() *Statement { return Id("d").Op("*").Add(e.wire("Decoder")) }

// encodeParams are the parameters of every encoder.
func (e *emitter) encodeParams() []Code {
	return []Code{Id("dst").Index().Byte(), Id("e").Op("*").Add(e.wire("Encoder"))}
}

func (e *emitter) codecs(f *jenFile) {
	if len(e.pkg.Structs) > 0 {
		e.template(f, "decode", view{Package: e.pkg})
	}
	for _, s := range e.pkg.Structs {
		f.at = s.Pos
		e.structDecoder(f, s)
		e.structEncoder(f, s)
	}
}

// jsonType is a type with methods for encoding/json.
type jsonType struct {
	Name    string `go:"identifier"`
	Decodes bool
	Scalar  bool
}

// jsonMethods prints the methods for encoding/json.
func (e *emitter) jsonMethods(f *jenFile) {
	types := each.Map(e.pkg.Structs, func(s *golang.Struct) jsonType { return jsonType{Name: s.Name, Decodes: true} })
	for _, u := range e.pkg.Unions {
		if u.Unknown != nil && u.Unknown.Owner == u {
			types = append(types, jsonType{Name: u.Unknown.Name})
		}
		for _, s := range u.Scalars {
			types = append(types, jsonType{Name: s.Name, Scalar: true})
		}
	}
	for part := range slices.Chunk(types, pieceLength) {
		e.template(f, "codec_json", view{Package: e.pkg, Of: part})
	}
}

// seenBits is the number of required members tracked by one variable.
const seenBits = 64

func seenName(i int) string {
	if i < seenBits {
		return "seen"
	}
	return "seen" + strconv.Itoa(i/seenBits+1)
}

// required assigns bits to the members that must be present.
type required []string

// next returns the variable and bit of the next required member.
func (r *required) next(name string) (variable, bit *Statement) {
	i := len(*r)
	*r = append(*r, name)
	return Id(seenName(i)), Id(hex(1 << (i % seenBits)))
}

func (e *emitter) structDecoder(f *jenFile, s *golang.Struct) {
	var seen required
	var cases []Code
	for _, c := range s.Consts {
		if !e.deciding[s][c.Wire] {
			// It carries no information, so it may be missing.
			cases = append(cases, Case(text(c.Wire)).Block(expect(c.Value, Lit(0))))
			continue
		}
		variable, bit := seen.next(c.Wire)
		cases = append(cases, Case(text(c.Wire)).Block(variable.Op("|=").Add(expect(c.Value, bit))))
	}
	for _, field := range s.Fields {
		cases = append(cases, Case(text(field.Wire)).BlockFunc(func(g *Group) { e.decodeField(g, s, field, &seen) }))
	}
	if other := e.undeclared(s); other != nil {
		cases = append(cases, Default().Block(other))
	}
	f.Line()
	if s.Keeps || len(s.Choices) > 0 || slices.ContainsFunc(s.Fields, func(f *golang.Field) bool { return f.Lenient }) {
		e.keepingDecoder(f, s, cases, seen)
		return
	}
	if c := s.Consts; len(cases) == 1 && len(seen) == 1 && len(c) == 1 && c[0].Value.Kind == protocol.String {
		f.Func().Params(Op("*").Id(s.Name)).Id("DecodeJSON").Params(e.decoderParam()).
			Add(inline(Id("d").Dot("ExpectOnly").Call(text(c[0].Wire), text(c[0].Value.Str))))
		return
	}
	if len(cases) == 0 {
		f.Func().Params(Op("*").Id(s.Name)).Id("DecodeJSON").Params(e.decoderParam()).Add(inline(Id("d").Dot("SkipMembers").Call()))
		return
	}
	f.Func().Params(Id("v").Op("*").Id(s.Name)).Id("DecodeJSON").Params(e.decoderParam()).BlockFunc(func(g *Group) {
		e.eachMember(g, s, seen, Switch(String().Call(Id("k"))).Block(cases...))
		e.need(g, s, seen)
	})
}

// eachMember prints the variables that note which required members there are, and the loop over the members of an object. A
// constant that tells variants apart most often stands in front, and is then read together with the brace.
func (e *emitter) eachMember(g *Group, s *golang.Struct, seen required, body ...Code) {
	for _, f := range s.Fields {
		if f.Filled != "" {
			g.Id("v").Dot(f.Name).Op("=").Id(f.Filled)
		}
	}
	first := Id("k").Op(":=").Id("d").Dot("Object").Call()
	from := 0
	if open := e.opening(s); open != "" {
		bit := hex(1 << slices.Index(seen, s.Consts[0].Wire))
		g.List(Id("k"), Id("seen")).Op(":=").Id("d").Dot("Variant").Call(raw(open), Id(bit))
		first, from = Empty(), seenBits
	}
	for i := from; i < len(seen); i += seenBits {
		g.Var().Id(seenName(i)).Uint64()
	}
	g.For(first, Id("k").Op("!=").Nil(), Id("k").Op("=").Id("d").Dot("NextKey").Call()).Block(body...)
}

// opening returns the beginning of objects without white space whose first member is the constant that distinguishes
// them from other variants, or "".
func (e *emitter) opening(s *golang.Struct) string {
	if len(s.Consts) == 0 || s.Consts[0].Value.Kind != protocol.String || !e.deciding[s][s.Consts[0].Wire] {
		return ""
	}
	c := s.Consts[0]
	if needsEscapes(c.Wire) || needsEscapes(c.Value.Str) {
		return ""
	}
	return `{"` + c.Wire + `":"` + c.Value.Str + `"`
}

// needsEscapes reports whether a text may be written in several ways that are all usual.
func needsEscapes(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r >= utf8.RuneSelf })
}

// need prints the check for missing members.
func (e *emitter) need(g *Group, s *golang.Struct, r required) {
	for i := 0; i < len(r); i += seenBits {
		chunk := r[i:min(i+seenBits, len(r))]
		all := ^uint64(0) >> (seenBits - len(chunk))
		must := all
		if e.pkg.TakesMissing {
			must = e.must(s, chunk)
		}
		if must == all {
			g.Id("d").Dot("Need").Call(Id(seenName(i)), Id(hex(all)), text(listed(chunk)))
		} else {
			g.Id("d").Dot("NeedOrReport").Call(Id(seenName(i)), Id(hex(all)), Id(hex(must)), text(listed(chunk)))
		}
	}
}

// must returns the bits of members that tell variants apart.
func (e *emitter) must(s *golang.Struct, names []string) uint64 {
	var bits uint64
	for i, name := range names {
		if f := s.Field(name); f == nil || e.tags[s][name] || len(f.Values) > 0 {
			bits |= 1 << i
		}
	}
	return bits
}

// listed joins names, each behind a character that none of them has. No names are no text, and one that is empty is the
// character alone.
func listed(names []string) string {
	if len(names) == 0 {
		return ""
	}
	separator := ","
	for _, s := range []string{",", " ", "\n", "\x00"} {
		if separator = s; !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, s) }) {
			break
		}
	}
	return separator + strings.Join(names, separator)
}

func hex(bits uint64) string { return "0x" + strconv.FormatUint(bits, 16) }

// expect prints the check of a constant member.
func expect(v protocol.Value, bit Code) *Statement {
	switch v.Kind {
	case protocol.Integer:
		return Id("d").Dot("ExpectInt").Call(Lit(int(v.Int)), bit)
	case protocol.Bool:
		return Id("d").Dot("ExpectBool").Call(Lit(v.Bool), bit)
	}
	if needsEscapes(v.Str) {
		return Id("d").Dot("ExpectText").Call(text(v.Str), bit)
	}
	return Id("d").Dot("Expect").Call(text(v.Str), bit)
}

// decodeField prints the statement that decodes a member into its field.
func (e *emitter) decodeField(g *Group, s *golang.Struct, f *golang.Field, seen *required) {
	v := Id("v").Dot(f.Name)
	if _, list := golang.Underlying(f.Type).(golang.Slice); list && f.Lenient && !f.Fitting {
		g.Id("d").Dot("Undivided").Call() // it is dropped as a whole
	}
	if f.Presence != golang.Required && f.Presence != golang.Nullable || f.Filled != "" {
		g.Add(v).Op("=").Add(e.readField(f, s.Keeps))
		return
	}
	variable, bit := seen.next(f.Wire)
	if _, ok := golang.Underlying(f.Type).(golang.StructType); ok && f.Presence == golang.Required {
		g.Add(v).Op("=").Add(e.goType(f.Type)).Values() // a repeated member replaces the earlier value
		g.Id("v").Dot(f.Name).Dot("DecodeJSON").Call(Id("d"))
		g.Add(variable).Op("|=").Add(bit)
		if f.Lenient {
			g.If(Id("d").Dot("Failed").Call()).Block(Id("v").Dot(f.Name).Op("=").Add(e.goType(f.Type)).Values())
		}
	} else if e.tags[s][f.Wire] {
		before := Id("v").Dot(f.Name)
		g.List(v, variable).Op("=").Add(e.codec("SameTag")).Call(Id("d"), text(f.Wire), before, e.readField(f, s.Keeps), Add(variable), bit)
	} else {
		g.List(v, variable).Op("=").List(e.readField(f, s.Keeps), Add(variable).Op("|").Add(bit))
	}
	if len(f.Values) > 0 {
		g.Id("d").Dot("OneOf").Call(text(f.Wire), String().Call(Id("v").Dot(f.Name)), text(listed(f.Values)))
	}
}

// filled prints a field, or the constant that stands for nothing in it.
func filled(f *golang.Field) *Statement {
	if f.Filled == "" {
		return Id("v").Dot(f.Name)
	}
	return Id("cmp.Or").Call(Id("v").Dot(f.Name), Id(f.Filled))
}

// readField prints an expression that reads a member, of a struct that keeps what it does not know or not.
func (e *emitter) readField(f *golang.Field, keeps bool) *Statement {
	switch {
	case f.Fitting:
		return e.readFitting(f, keeps)
	case f.Presence == golang.Maybe:
		if t, ok := golang.Underlying(f.Type).(golang.StructType); ok {
			return e.codec("MaybeStruct").Types(e.structName(t.Struct)).Call(Id("d"))
		}
		return e.codec("Maybe").Call(Id("d"), e.readFunc(f.Type))
	case f.Presence == golang.Required && !f.NullEmpty, golang.HasNull(f.Type):
		return e.readValue(f.Type)
	}
	return e.readOptional(f.Type)
}

func (e *emitter) structEncoder(f *jenFile, s *golang.Struct) {
	// If no member is certain to come first, each member begins with a comma, and the first comma is replaced by the
	// brace at the end.
	open := len(s.Consts) == 0 && (len(s.Fields) == 0 || !isSure(s, s.Fields[0]))
	f.Line()
	f.Func().Params(Id("v").Op("*").Id(s.Name)).Id("EncodeJSON").Params(e.encodeParams()...).Index().Byte().BlockFunc(func(g *Group) {
		if len(s.Consts) == 0 && len(s.Fields) == 0 && len(s.Choices) == 0 && s.Extra == nil && !s.Keeps {
			g.Return(Append(Id("dst"), Lit("{}").Op("...")))
			return
		}
		w := &writer{e: e, g: g}
		if open || s.Keeps {
			g.Id("start").Op(":=").Len(Id("dst"))
		}
		if !open {
			w.text, w.first = "{", true
		}
		for _, c := range s.Consts {
			w.text += w.key(c.Wire) + c.Value.JSON()
		}
		for _, field := range s.Fields {
			w.field(s, field)
		}
		if s.Extra != nil {
			w.flush()
			w.set(e.codec("AppendExtra").Call(Id("dst"), Id("e"), Id("v").Dot("Extra"), e.itemFunc(s.Extra), text(listed(wireNames(s)))))
		}
		e.appendBeyond(w, s)
		switch {
		case open:
			g.Return(e.codec("AppendClose").Call(w.last(), Id("start")))
		case w.text == "":
			g.Return(Append(w.last(), LitRune('}')))
		default:
			last := w.last()
			g.Return(Append(last, raw(w.text+"}").Op("...")))
		}
	})
}

// isSure reports whether a member is written whatever its field has.
func isSure(s *golang.Struct, f *golang.Field) bool {
	return f.Presence != golang.Optional && f.Presence != golang.Maybe && unlessKept(s, f) == nil
}

// writer prints an encoder and collects the constant text between values.
type writer struct {
	e     *emitter
	g     *Group
	text  string
	first bool // no member has been written yet

	pending *Statement // the pending value of dst
}

// set prints an assignment to dst once a later one is known to follow.
func (w *writer) set(value *Statement) {
	w.settle()
	w.pending = value
}

func (w *writer) settle() {
	if w.pending != nil {
		w.g.Id("dst").Op("=").Add(w.pending)
		w.pending = nil
	}
}

// last returns the final value of dst.
func (w *writer) last() *Statement {
	if w.pending != nil {
		return w.pending
	}
	return Id("dst")
}

// key returns the text before a value.
func (w *writer) key(wire string) string {
	k := "," + jsontext.Line(wire) + ":"
	if w.first {
		k, w.first = k[1:], false
	}
	return k
}

// flush prints the collected text.
func (w *writer) flush() {
	if w.text != "" {
		w.set(Append(Id("dst"), w.take().Op("...")))
	}
}

// take returns the collected text as the key of the next value.
func (w *writer) take() *Statement {
	text := w.text
	w.text = ""
	return raw(text)
}

func (w *writer) field(s *golang.Struct, f *golang.Field) {
	v := Id("v").Dot(f.Name)
	key := w.key(f.Wire)
	switch {
	case unlessKept(s, f) != nil:
		w.flush()
		w.settle()
		w.g.If(unlessKept(s, f)).Block(Id("dst").Op("=").Add(w.value(s, f, raw(key))))
	case f.Presence == golang.Required || f.Presence == golang.Nullable:
		w.text += key
		w.set(w.value(s, f, w.take()))
	case f.Presence == golang.Maybe:
		w.flush()
		w.set(w.e.call("PutMaybe", raw(key), v, w.e.maybeFunc(f.Type)))
	case f.Fitting && s.Keeps:
		w.flush()
		w.set(w.e.appendFitting("Put", f, raw(key)))
	default:
		w.flush()
		w.set(w.e.putValue(f, raw(key), v))
	}
}

// value prints an expression that appends a member that is always there.
func (w *writer) value(s *golang.Struct, f *golang.Field, key *Statement) *Statement {
	v := Id("v").Dot(f.Name)
	switch {
	case f.Fitting && s.Keeps && f.Presence == golang.Required:
		return w.e.appendFitting("Append", f, key)
	case f.Presence == golang.Nullable:
		return w.e.appendOrNull(f, key, v)
	case len(f.Values) > 0:
		return w.e.call("AppendTag", key, String().Call(v), text(listed(f.Values)))
	case f.URI:
		return w.e.call("AppendURI", key, v)
	case isNamed(f.Type):
		return w.e.call("AppendEnum", key, String().Call(filled(f)))
	}
	return w.e.appendValue(f.Type, key, v)
}
