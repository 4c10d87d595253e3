// Build: from protocol to Go declarations.

package golang

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/translation/table"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Options configures the emitted package.
type Options struct {
	Package     string   // package name
	ImportPath  string   // import path of the package; the default is its name
	Wire        string   // import path of the runtime
	WireDir     string   // its folder relative to the package, slash-separated
	Initialisms []string // in addition to the common ones
	InSchemas   bool     // names are pinned in schemas: there is no profile
	InConfig    string   // file for pinning names if neither schemas nor profile are the user's, or ""

	// Parts are the parts to emit by name, with those that they need; nil means all.
	Parts   []string
	PartsAt diag.Pos // position of the setting

	TakesMissing bool // decoders report required members that are missing, and go on

	NoReducers bool // omit reducers
	Own        []Own
	// Finished reports whether an action type has a finished reducer, which the user could replace. Nil means none.
	Finished func(action string) bool

	// HostSkeleton requests the wiring of a user-defined type into a host's handlers.
	HostSkeleton   bool
	HostSkeletonAt diag.Pos // position of the setting

	// Transports are the requested transports by name.
	Transports   []string
	TransportsAt diag.Pos // position of the setting

	// Logs are the requested server logs by name.
	Logs   []string
	LogsAt diag.Pos // position of the setting

	// Observers are the requested observers by name.
	Observers   []string
	ObserversAt diag.Pos // position of the setting

	// Custom are the types of the user's for values that the configuration names, and Tags struct tags.
	Custom []CustomRule
	Tags   []TagRule
	// Matches reports whether a place matches a pattern of one of these.
	Matches func(pattern, place string) bool
	// Compared reports that the declarations are only compared with others, so that several things may have one name.
	Compared bool
	// LenientCustom reports that they need not be for something.
	LenientCustom bool

	// Speaks are translators for older versions, newest first. Those of versions that need none are empty.
	Speaks []*table.Version
	// OwnTranslations are the functions of these that the user writes.
	OwnTranslations []string

	// Names are the names chosen by earlier runs, which stay.
	Names Names
	// Pins are names that take precedence.
	Pins []Pin
}

// Own is an action whose reducer the user replaces.
type Own struct {
	Type string
	Pos  diag.Pos // position of the setting
}

// Build decides on all declarations, and returns what is wrong. There is no package if something is an error.
func Build(p *protocol.Protocol, opts Options) (*Package, []diag.Diagnostic) {
	b := newBuilder(p, opts)
	defer b.Mark()
	b.refuseNames()
	b.customs()
	b.sameTypes = b.same()
	b.name()
	b.shells()
	b.alias()
	b.enumsAndAliases()
	settle(b.out.Aliases)
	b.fields()
	b.uris()
	b.aliasMembers()
	b.checkCustoms()
	b.unionsAndMarkers()
	b.decoders()
	b.accessors()
	b.Working(diag.Pos{})
	b.tables()
	want := wantedParts(opts.Parts)
	if !opts.NoReducers && want[PartReducers] {
		b.reducers(opts.Own)
		b.store()
	}
	b.rpc()
	b.session()
	b.parts(want)
	b.handles()
	b.constructors()
	b.limits()
	if opts.HostSkeleton {
		b.skeleton(opts.HostSkeletonAt)
	}
	b.transports()
	b.logs()
	b.observers()
	b.out.taken = b.scope.taken()
	b.order()
	b.docs()
	b.Add(b.scope.clashes()...)
	found := diag.List{}
	for _, d := range b.Items() {
		if !opts.Compared || d.Code != collision {
			found.Add(d)
		}
	}
	if found.HasErrors() {
		return nil, found.Items()
	}
	return b.out, found.Items()
}

// collision is the code of findings about things that would have one name.
const collision = "name-collision"

// newBuilder returns a builder without declarations.
func newBuilder(p *protocol.Protocol, opts Options) *builder {
	if opts.Wire == "" {
		opts.Wire, opts.WireDir = opts.Package+"/wire", "wire"
	}
	opts.Names = opts.Names.kept(p)
	declared := declaredTypes{}
	b := &builder{
		in: p, opts: opts, declaredTypes: declared, fieldOf: map[*protocol.Field]*Field{},
		naming: naming{
			namer: newNamer(opts.Initialisms), scope: newScope(opts), names: map[protocol.Type]string{}, locked: opts.Names, pins: pinsOf(opts.Pins),
		},
		constantNames: constantNames{
			members: map[*protocol.Enum][]string{}, constants: map[*Enum]map[protocol.Value]string{}, named: map[*protocol.Enum]map[string]bool{},
		},
		out: &Package{
			Name: opts.Package, ImportPath: cmp.Or(opts.ImportPath, opts.Package), Random: RandomFolder(opts.Package), Wire: opts.Wire, WireDir: opts.WireDir, Protocol: gotext.Clean(p.Name), Version: gotext.Clean(p.Version), Sides: p.Sides, Spoken: p.Spoken(), Supported: p.Supported,
			Order: p.SpokenOrder(), Names: Names{}, declaredTypes: declared,
		},
	}
	b.out.TakesMissing = opts.TakesMissing
	b.speaks()
	b.scope.had = opts.Names.all()
	b.out.prefix = b.namer.exported(cmp.Or(p.Name, "protocol"))
	return b
}

// builder is a package under construction. Its maps lead from protocol to Go.
type builder struct {
	diag.List // what is wrong

	in   *protocol.Protocol
	opts Options
	out  *Package

	sameTypes
	naming
	declaredTypes
	constantNames
	custom  customs
	fieldOf map[*protocol.Field]*Field

	carriers map[*protocol.Struct]int              // number of actions by struct
	inside   map[*protocol.Union][]*protocol.Union // what is in each union, once asked for
}

// sameTypes are the types that are declared, and those that are equal to one of them.
type sameTypes struct {
	types    []protocol.Type
	together map[protocol.Type][]protocol.Type // equal types by the first of them
	first    map[protocol.Type]protocol.Type   // the first of equal types
}

// naming decides what Go calls things.
type naming struct {
	namer  *namer
	scope  *scope
	names  map[protocol.Type]string
	locked Names // names of an earlier run
	pins   pins
}

// constantNames are what the values of enums are called.
type constantNames struct {
	members   map[*protocol.Enum][]string         // in the order of the members
	constants map[*Enum]map[protocol.Value]string // by value, built on demand
	named     map[*protocol.Enum]map[string]bool  // all of an enum, likewise
}

// shells creates empty declarations, so that references have a target.
func (b *builder) shells() {
	for _, t := range b.types {
		b.Working(t.Head().Pos)
		name := b.names[t]
		switch t := t.(type) {
		case *protocol.Struct:
			s := &Struct{Pos: t.Pos, Name: name}
			b.declaredTypes[t], b.out.Structs = StructType{s}, append(b.out.Structs, s)
		case *protocol.Union:
			u := &Union{Pos: t.Pos, Name: name, Kind: t.Kind, Apart: len(t.Apart) > 0}
			b.declaredTypes[t], b.out.Unions = UnionType{u}, append(b.out.Unions, u)
		case *protocol.Enum:
			e := &Enum{Name: name}
			b.declaredTypes[t], b.out.Enums = EnumType{e}, append(b.out.Enums, e)
		case *protocol.Alias:
			a := &Alias{Pos: t.Pos, Name: name}
			b.declaredTypes[t], b.out.Aliases = AliasType{a}, append(b.out.Aliases, a)
		}
	}
}

// speaks adds the older versions that are translated to those that a package offers.
func (b *builder) speaks() {
	order := version.Order(b.out.Order)
	b.out.OwnTranslations = b.opts.OwnTranslations
	var translated []string
	for _, v := range b.opts.Speaks {
		translated = append(translated, v.Name)
		if !v.Empty() {
			b.out.Speaks = append(b.out.Speaks, v)
		}
	}
	b.out.Supported = order.NewestFirst(append(slices.Clone(b.out.Supported), translated...))
}
