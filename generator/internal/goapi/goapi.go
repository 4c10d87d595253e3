// Package goapi determines what a change of the protocol does to Go programs. It compares the Go declarations on both
// sides of the change: a member that became optional breaks source code because its field became a pointer.
package goapi

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Side is one version as protocol and Go declarations.
type Side struct {
	Protocol *protocol.Protocol
	Package  *golang.Package
}

// Judge adds the effect on Go programs to all findings.
func Judge(old, new Side, findings []verdict.Finding) {
	j := &judge{called: map[string]string{}, old: pair(old), new: pair(new), oldPackage: old.Package, newPackage: new.Package}
	j.grouping = grouping(old, new, j.old, j.new)
	results := make([]result, len(findings))
	for i, f := range findings {
		results[i] = j.effect(f.Change)
	}
	for _, n := range regrouping(old, new, j.old, j.new) {
		if i := j.nearest(findings, n); i >= 0 {
			results[i].worse(n.todo)
			results[i].names = append(results[i].names, n.names...)
		}
	}
	for i := range findings {
		f, r := &findings[i], results[i]
		f.Go, f.Else, f.Todo, f.Unequal = r.effect, r.effect, r.todo, r.unequal
		for _, name := range r.names {
			if name != "" {
				f.GoNames = each.With(f.GoNames, name)
			}
		}
		if f.Unequal != "" {
			f.Go = verdict.GoBreak
		}
	}
}

// result is the effect of a change on Go programs.
type result struct {
	effect verdict.GoEffect
	todo   string
	names  []string // affected identifiers

	unequal string // struct that is no longer comparable, or ""
}

func none(todo string, names ...string) result {
	return result{effect: verdict.GoNone, todo: todo, names: names}
}

func additive(todo string, names ...string) result {
	return result{effect: verdict.GoAdditive, todo: todo, names: names}
}

func sourceBreak(todo string, names ...string) result {
	return result{effect: verdict.GoBreak, todo: todo, names: names}
}

// turned returns what a change means by which the package lost or gained something, and nothing if it did neither.
func turned(had, has bool, lost, gained result) result {
	switch {
	case had && !has:
		return lost
	case has && !had:
		return gained
	}
	return none("")
}

type judge struct {
	called                 map[string]string // what types are called now, as far as it is reported
	old, new               *names
	oldPackage, newPackage *golang.Package
	grouping               result // what the unions made from the action table lose
}

// keepName says how a type keeps the name that it had in Go.
func keepName(t protocol.Type, was string) string {
	if t == nil || was == "" {
		return "to keep the Go name, state it under names in ahpgen.json"
	}
	return fmt.Sprintf("to keep the Go name, state \"names\": {%q: %q} in ahpgen.json", t.Head().Name, was)
}

func (j *judge) effect(c change.Change) result {
	p := c.Place
	switch c.Rule {
	case change.VariantAdded, change.VariantRemoved:
		return j.variant(c)
	case change.TypeAdded:
		name := j.new.typ(p.NewType)
		return additive("", name)
	case change.TypeRemoved:
		name := j.old.typ(p.OldType)
		return sourceBreak(fmt.Sprintf("stop using %s", name), j.old.declared(p.OldType)...)
	case change.EnumValueAdded:
		name, constant := j.new.typ(p.NewType), j.new.constant(p.NewType, c.To)
		return additive(fmt.Sprintf("exhaustive switches over %s notice %s", name, constant), name, constant)
	case change.EnumValueRemoved:
		name := j.old.constant(p.OldType, c.From)
		return sourceBreak(fmt.Sprintf("stop using %s", name), name, j.old.typ(p.OldType))
	case change.UnionOpened, change.UnionClosed:
		return j.openness(c)
	case change.EnumOpened, change.EnumClosed, change.SinceMissing, change.LifecycleAdded, change.LifecycleRemoved,
		change.LimitTightened, change.LimitLoosened, change.LimitChanged, change.RawChanged, change.CancellingChanged, change.OwnGateChanged, change.RequestIDsChanged, change.BatchesAdded, change.BatchesRemoved, change.HTTPChanged:
		return none("")
	case change.HelperAdded, change.HelperRemoved, change.HelperChanged:
		return j.helper(c)
	case change.Deprecated:
		return none("linters report uses of it")
	case change.TypeRenamed:
		return j.renamed(p)
	case change.RenameCandidate:
		return none(keepName(p.NewType, j.old.typ(p.OldType)))
	case change.ExtraAllowed, change.ExtraDropped:
		return j.extra(c)
	case change.HandshakeChanged, change.ProgressChanged, change.PingChanged, change.ExtensionPrefixChanged, change.ExtensionMetaChanged,
		change.EnvelopeChanged:
		return j.conversation(c)
	case change.RuleAdded, change.RuleRemoved, change.RuleChanged, change.RuleRestated, change.LifecycleChanged:
		return j.reducer(c)
	case change.GateAdded, change.GateRemoved, change.GateChanged:
		return j.gate(c)
	case change.ReplicationAdded, change.ReplicationRemoved, change.ReplicationChanged,
		change.SessionAdded, change.SessionRemoved, change.SessionChanged:
		return j.replicated(c)
	}
	if p.OldRow != nil || p.NewRow != nil {
		return j.met(j.row(c), c)
	}
	if p.OldField != nil || p.NewField != nil {
		return j.field(c)
	}
	if c.Rule == change.TypeRestated && p.OldVariant != nil && p.NewVariant != nil {
		return j.restatedVariant(p)
	}
	switch c.Rule {
	case change.DeprecationTaken, change.SinceChanged, change.VersionTooSmall:
		return none("")
	}
	return j.anew(p)
}

// restatedVariant says what a switch takes for a variant that has another type.
func (j *judge) restatedVariant(p change.Place) result {
	was, is := j.old.variant(p.OldType, p.OldVariant, ""), j.new.variant(p.NewType, p.NewVariant, "")
	switch {
	case was == "" || is == "":
		return j.anew(p)
	case was == is:
		return none("")
	}
	return sourceBreak(fmt.Sprintf("cases for %s are for %s", was, is), bare(was), bare(is))
}

// renamed says what a type is called, once: inline types that are alike are one in Go.
func (j *judge) renamed(p change.Place) result {
	was, is := j.old.typ(p.OldType), j.new.typ(p.NewType)
	if was == is || j.called[was] == is {
		return none("")
	}
	j.called[was] = is
	names := append(j.old.declared(p.OldType), j.old.users(was)...)
	return sourceBreak(fmt.Sprintf("%s is called %s; %s", was, is, keepName(p.NewType, was)), names...)
}

// anew returns the result for a definition whose kind has changed.
func (j *judge) anew(p change.Place) result {
	if s := j.new.structOf(p.NewType); s != nil && j.old.structOf(p.OldType) != nil {
		return sourceBreak(fmt.Sprintf("%s.Extra holds values of another type", s.Name), s.Name)
	}
	// Another kind of type under the same name, or other variants: nothing of it stays the same.
	name := j.new.typ(p.NewType)
	return sourceBreak(fmt.Sprintf("%s is declared anew: go through its uses", name), append(j.old.declared(p.OldType), name)...)
}

// field compares the field of a struct on both sides.
func (j *judge) field(c change.Change) result {
	os, ns := j.old.structOf(c.Place.OldType), j.new.structOf(c.Place.NewType)
	if os == nil || ns == nil {
		return none("")
	}
	of, nf := find(os, c.Place.OldField), find(ns, c.Place.NewField)
	r := result{names: []string{os.Name, ns.Name}}
	is := func(effect verdict.GoEffect, format string, args ...any) {
		r.effect, r.todo = effect, fmt.Sprintf(format, args...)
	}
	switch {
	case of == nil && nf == nil:
		r.todo = "nothing to do: the codec writes constants"
	case of == nil:
		if nf.Presence == golang.Required {
			// Literals with field names compile as they are, and send an empty value: that is worse.
			is(verdict.GoBreak, "set %s.%s wherever you make one; literals compile without it", ns.Name, nf.Name)
		} else {
			is(verdict.GoAdditive, "%s.%s may be nil", ns.Name, nf.Name)
		}
	case nf == nil:
		is(verdict.GoBreak, "stop using %s.%s", os.Name, of.Name)
	case c.Rule.IsDefault():
		r = defaulted(r, os, ns, of, nf)
	case c.Rule == change.ReadingChanged && of.ReadingName != "" && of.ReadingName != nf.ReadingName:
		is(verdict.GoBreak, "stop using %s.%s", os.Name, of.ReadingName)
	case c.Rule == change.ReadingChanged:
		is(verdict.GoAdditive, "%s.%s reads it", ns.Name, nf.ReadingName)
	case of.Name != nf.Name:
		is(verdict.GoBreak, "%s.%s is called %s", os.Name, of.Name, nf.Name)
	case fieldText(of) != fieldText(nf):
		is(verdict.GoBreak, "%s.%s changes from %s to %s", ns.Name, nf.Name, fieldText(of), fieldText(nf))
		r.names = append(r.names, typeName(of.Type))
	}
	if of != nil {
		r.names = append(r.names, j.old.inline(c.Place.OldField.Type)...)
	}
	for _, u := range os.Markers {
		for _, nu := range ns.Markers {
			if of != nil && u.Name == nu.Name {
				r = accessors(r, u, nu, of.Wire)
			}
		}
	}
	if nf != nil && j.old.canCompare(os) && !j.new.fieldComparable(nf) {
		r.unequal = ns.Name
		r.names = append(r.names, j.new.holders(ns)...)
	}
	return r
}

// accessors adds to a result the changes of the methods of a union that return members common to all its variants:
// of the one for a member, or of all if the member is "".
func accessors(r result, ou, nu *golang.Union, wire string) result {
	for _, a := range ou.Accessors {
		if wire != "" && a.Field.Wire != wire {
			continue
		}
		i := slices.IndexFunc(nu.Accessors, func(b golang.Accessor) bool { return b.Name == a.Name })
		switch {
		case i < 0:
			r.worse(fmt.Sprintf("%s.%s is gone: not every variant has it", ou.Name, a.Name))
		case fieldText(a.Field) != fieldText(nu.Accessors[i].Field):
			r.worse(fmt.Sprintf("%s.%s returns something else", ou.Name, a.Name))
		default:
			continue
		}
		r.names = append(r.names, ou.Name)
		if ou.Unknown != nil {
			r.names = append(r.names, ou.Unknown.Name)
		}
		for _, s := range ou.Structs {
			r.names = append(r.names, s.Name)
		}
	}
	return r
}

func (r *result) worse(todo string) {
	r.effect = verdict.GoBreak
	if r.todo != "" {
		todo = r.todo + "; " + todo
	}
	r.todo = todo
}

func (j *judge) extra(c change.Change) result {
	os, ns := j.old.structOf(c.Place.OldType), j.new.structOf(c.Place.NewType)
	if os == nil || ns == nil {
		return none("")
	}
	if c.Rule == change.ExtraDropped {
		return sourceBreak(fmt.Sprintf("stop using %s.Extra", os.Name), os.Name)
	}
	r := additive(fmt.Sprintf("%s.Extra holds them", ns.Name), ns.Name)
	if os.Name == ns.Name && j.old.canCompare(os) {
		r.unequal = ns.Name
		r.names = append(r.names, j.new.holders(ns)...)
	}
	return r
}

func (j *judge) openness(c change.Change) result {
	ou, nu := j.old.unionOf(c.Place.OldType), j.new.unionOf(c.Place.NewType)
	if ou == nil || nu == nil {
		return none("")
	}
	switch {
	case nu.Unknown != nil && ou.Unknown == nil:
		return additive(fmt.Sprintf("exhaustive switches over %s notice *%s", nu.Name, nu.Unknown.Name), nu.Name, nu.Unknown.Name)
	case ou.Unknown != nil && nu.Unknown == nil:
		return sourceBreak(fmt.Sprintf("drop the cases for *%s", ou.Unknown.Name), ou.Name, ou.Unknown.Name)
	}
	return none("")
}

// variant: what a switch over the union sees.
func (j *judge) variant(c change.Change) result {
	if c.Rule == change.VariantRemoved {
		union, name := j.old.typ(c.Place.OldType), j.old.variant(c.Place.OldType, c.Place.OldVariant, c.From)
		names := append(j.old.inline(c.Place.OldVariant), union, bare(name), j.old.tag(c.Place.OldType, c.From))
		r := sourceBreak(fmt.Sprintf("drop the cases for %s", name), names...)
		if j.new.isVariant(c.Place.NewType, name) && !isPlaced(c.Place.OldType, c.Place.OldVariant) {
			r = none(retagged(name), names...)
			if tag := j.old.tag(c.Place.OldType, c.From); tag != "" {
				r.worse("stop using " + tag)
			}
		}
		return j.sharedBy(r, c)
	}
	union, name := j.new.typ(c.Place.NewType), j.new.variant(c.Place.NewType, c.Place.NewVariant, c.To)
	r := additive(fmt.Sprintf("exhaustive switches over %s notice %s", union, name), union, bare(name))
	if j.old.isVariant(c.Place.OldType, name) && !isPlaced(c.Place.NewType, c.Place.NewVariant) {
		r = none(retagged(name), union, bare(name))
	}
	return j.sharedBy(r, c)
}

// isPlaced reports whether a variant without a tag is called after its place, so that another one may have had the name.
func isPlaced(union protocol.Type, variant protocol.Expr) bool {
	u, ok := union.(*protocol.Union)
	t := protocol.Held(variant)
	return ok && u.Kind == protocol.Shaped && t != nil && t.Head().Inline
}

// retagged describes a variant that has another tag.
func retagged(name string) string { return name + " stays a variant, with another tag" }

// sharedBy adds to a result the changes of the methods that all variants of a union had.
func (j *judge) sharedBy(r result, c change.Change) result {
	if ou, nu := j.old.unionOf(c.Place.OldType), j.new.unionOf(c.Place.NewType); ou != nil && nu != nil {
		return accessors(r, ou, nu, "")
	}
	return r
}

// row: the tables' constants, and what the union of actions asks of a struct.
func (j *judge) row(c change.Change) result {
	oldConst, newConst := j.old.row(c.Place.OldRow), j.new.row(c.Place.NewRow)
	switch c.Rule {
	case change.MethodAdded, change.NotificationAdded, change.MethodRemoved, change.NotificationRemoved:
		return none("", oldConst+newConst) // where programs meet it says the rest
	case change.ChannelAdded, change.ErrorAdded:
		return additive(fmt.Sprintf("%s is there", newConst), newConst)
	case change.ActionAdded:
		name := j.new.typ(c.Place.NewRow.(*protocol.Action).Struct)
		return j.groups(additive(fmt.Sprintf("handle *%s", name), newConst, name))
	case change.ChannelRemoved, change.ErrorRemoved:
		return sourceBreak(fmt.Sprintf("stop using %s", oldConst), oldConst)
	case change.ActionRemoved:
		return j.groups(sourceBreak(fmt.Sprintf("stop using %s", oldConst), oldConst))
	case change.ErrorRenamed:
		if oldConst == newConst {
			return none("its text is another", newConst)
		}
		return sourceBreak(fmt.Sprintf("%s is called %s", oldConst, newConst), oldConst, newConst)
	case change.ActionDispatchGained, change.ActionDispatchLost, change.ActionChannelChanged:
		return j.interfaces(c)
	case change.ErrorDataRemoved:
		name := j.old.typ(c.Place.OldType)
		if data := c.Place.OldRow.(*protocol.ErrorCode).Data; data != nil {
			name = j.old.typ(data)
		}
		return sourceBreak(fmt.Sprintf("errors.As no longer finds *%s", name), name)
	case change.ParamsAdded, change.ParamsRemoved, change.TypeChanged, change.TypeRestated, change.TypeWidened, change.TypeNarrowed,
		change.ResultAdded, change.ResultRemoved, change.ErrorDataAdded:
		names := []string{newConst}
		if m, ok := c.Place.OldRow.(*protocol.Method); ok {
			for _, t := range []protocol.Type{m.Params, m.Result} {
				if t != nil {
					names = append(names, j.old.inline(protocol.Ref{Type: t})...)
				}
			}
		}
		return none("the decoder in its table row returns another type", names...)
	case change.MethodDirectionGained:
		return none("handle it where it arrives", newConst)
	}
	return none("")
}

// interfaces compares which unions the struct of an action belongs to.
func (j *judge) interfaces(c change.Change) result {
	os := j.old.structOf(c.Place.OldRow.(*protocol.Action).Struct)
	ns := j.new.structOf(c.Place.NewRow.(*protocol.Action).Struct)
	if os == nil || ns == nil {
		return none("")
	}
	r := result{names: []string{os.Name}}
	for _, u := range os.Markers {
		if !slices.ContainsFunc(ns.Markers, func(m *golang.Union) bool { return m.Name == u.Name }) {
			r.worse(fmt.Sprintf("*%s is no longer a %s", os.Name, u.Name))
			r.names = append(r.names, u.Name)
		}
	}
	r = j.groups(r)
	for _, u := range ns.Markers {
		if r.effect != verdict.GoBreak && !slices.ContainsFunc(os.Markers, func(m *golang.Union) bool { return m.Name == u.Name }) {
			r.effect, r.todo = verdict.GoAdditive, fmt.Sprintf("exhaustive switches over %s notice *%s", u.Name, ns.Name)
		}
	}
	return r
}

// defaulted adds to a result what a change of a default does to the method for it.
func defaulted(r result, os, ns *golang.Struct, of, nf *golang.Field) result {
	switch {
	case of.DefaultName == "" && nf.DefaultName == "":
	case of.DefaultName == "":
		r.effect = verdict.GoAdditive
		r.todo = fmt.Sprintf("%s.%s returns it", ns.Name, nf.DefaultName)
	case nf.DefaultName == "":
		r.effect = verdict.GoBreak
		r.todo = fmt.Sprintf("stop using %s.%s", os.Name, of.DefaultName)
	default:
		r.todo = fmt.Sprintf("%s.%s returns another value", ns.Name, nf.DefaultName)
	}
	return r
}
