// Package table has translators between two versions as data: for emitted code, and for use in this process.
package table

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// Version is a translator between the version of a package and an older one, as package translate has it. Functions are
// named.
type Version struct {
	Name        string `go:"text"` // the version that peers agree on
	Lower, Lift Direction
}

// Direction is one direction of a translator. It is empty if nothing differs.
type Direction struct {
	Types              []Type
	Methods            []Method
	Codes              []Code
	Snapshot, Envelope Number
	// The members of an envelope: the action, its number, and who sent it.
	Action, Sequence, Origin string `go:"text"`
}

// Number is the index of a type in a table; 0 stands for values that are the same in both versions.
type Number int

// Method has the types of a method's parameters and result.
type Method struct {
	Name           string `go:"text"`
	To             string `go:"text"`
	Params, Result Number
}

// Code is the code of an error in both versions.
type Code struct {
	From, To int64
	Data     Number // the type of what comes with the error
}

// Type says how values are converted.
type Type struct {
	Of       string `go:"comment"` // path of the type in the version that values come from
	Kind     translate.Kind
	Funcs    []string `go:"identifier"`
	Members  []Member
	Add      []Added
	Channel  string `go:"text"`
	Item     Number
	Tag      string `go:"text"`
	Variants []Variant
	Values   []Value
}

// Member is a member that differs.
type Member struct {
	Name         string `go:"text"`
	To           string `go:"text"`
	Type         Number
	Drop, Needed bool
}

// Added is a member that the other version requires.
type Added struct {
	Name string `go:"text"`
	JSON string `go:"text"`
}

// Variant is a variant of a union that differs.
type Variant struct {
	Tag  string   `go:"text"`
	Has  []string `go:"text"`
	Sole string   `go:"text"`
	Type Number
	Drop bool
}

// Value is a string in both versions.
type Value struct {
	From string `go:"text"`
	To   string `go:"text"`
}

// Empty reports whether messages are the same in both versions.
func (v *Version) Empty() bool { return v.Lower.Empty() && v.Lift.Empty() }

// Empty reports whether nothing differs.
func (t *Direction) Empty() bool {
	return len(t.Types) == 0 && len(t.Methods) == 0 && len(t.Codes) == 0
}

// Funcs returns the names of the functions that the tables use, in alphabetical order.
func (v *Version) Funcs() []string {
	var out []string
	for _, t := range []*Direction{&v.Lower, &v.Lift} {
		for i := range t.Types {
			out = append(out, t.Types[i].Funcs...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Translator returns the translator with these functions, for use in this process.
func (v *Version) Translator(funcs map[string]translate.Func) (*translate.Version, error) {
	for _, name := range v.Funcs() {
		if funcs[name] == nil {
			return nil, fmt.Errorf("there is no function %s", name)
		}
	}
	return &translate.Version{Name: v.Name, Lower: v.Lower.direction(funcs), Lift: v.Lift.direction(funcs)}, nil
}

func (t *Direction) direction(funcs map[string]translate.Func) translate.Direction {
	return translate.Direction{
		Types: each.Map(t.Types, func(t Type) translate.Type { return t.with(funcs) }),
		Methods: each.Map(t.Methods, func(m Method) translate.Method {
			return translate.Method{Name: m.Name, To: m.To, Params: number(m.Params), Result: number(m.Result)}
		}),
		Codes: each.Map(t.Codes, func(c Code) translate.Code {
			return translate.Code{From: c.From, To: c.To, Data: number(c.Data)}
		}),
		Snapshot: number(t.Snapshot), Envelope: number(t.Envelope),
		Action: t.Action, Sequence: t.Sequence, Origin: t.Origin,
	}
}

func (t *Type) with(funcs map[string]translate.Func) translate.Type {
	return translate.Type{
		Kind: t.Kind, Channel: t.Channel, Item: number(t.Item), Tag: t.Tag,
		Funcs: each.Map(t.Funcs, func(name string) translate.Func { return funcs[name] }),
		Members: each.Map(t.Members, func(m Member) translate.Member {
			return translate.Member{Name: m.Name, To: m.To, Type: number(m.Type), Drop: m.Drop, Needed: m.Needed}
		}),
		Add: each.Map(t.Add, func(a Added) translate.Added { return translate.Added(a) }),
		Variants: each.Map(t.Variants, func(v Variant) translate.Variant {
			return translate.Variant{Tag: v.Tag, Has: v.Has, Sole: v.Sole, Type: number(v.Type), Drop: v.Drop}
		}),
		Values: each.Map(t.Values, func(v Value) translate.Value { return translate.Value(v) }),
	}
}

func number(n Number) translate.Number {
	return translate.Number(n) //nolint:gosec // no protocol has that many types
}
