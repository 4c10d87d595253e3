// Calls: the methods and handlers generated for methods, and the reducers for channels.

package goapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// face is a Go declaration through which programs use a method or channel.
type face struct{ owner, name, signature string }

func (f face) String() string { return f.owner + "." + f.name }

// faces returns the declarations for a table row.
func faces(pkg *golang.Package, row change.Row) []face {
	var out []face
	switch row := row.(type) {
	case *protocol.Method:
		if pkg.RPC == nil {
			return nil
		}
		for _, side := range pkg.RPC.Sides {
			for _, c := range side.Sends {
				if c.Wire == row.Name && c.Notification == row.Notification {
					out = append(out, face{side.Name, c.Name, signature(c)})
				}
			}
			for _, c := range side.Receives {
				if c.Wire == row.Name && c.Notification == row.Notification {
					out = append(out, face{side.Handlers, c.Name, signature(c) + notification(c)})
				}
			}
		}
		for _, h := range pkg.Handles {
			for _, c := range h.Calls {
				if c.Wire == row.Name && c.Notification == row.Notification {
					out = append(out, face{h.Name, c.Own, signature(c.Call)})
				}
			}
		}
		if broadcaster := kept(pkg)["Broadcaster"]; broadcaster != "" {
			for _, c := range pkg.Session.Broadcasts() {
				if c.Wire == row.Name {
					out = append(out, face{broadcaster, c.Name, signature(c)})
				}
			}
		}
	case *protocol.Channel:
		if pkg.Reducers == nil {
			return nil
		}
		for _, c := range pkg.Reducers.Channels {
			if c.Channel == row.Name {
				out = append(out, face{pkg.Own("Reducer"), c.Method, c.State.Name + c.Union.Name})
				if store := kept(pkg)["Store"]; store != "" {
					out = append(out, face{store, c.Method, c.State.Name})
				}
			}
		}
	}
	return out
}

// signature identifies the parameter and result types of a method.
func signature(c *golang.Call) string {
	of := func(t golang.Type) string { return fmt.Sprintf("%T %s", t, typeName(t)) } // an inline type may be named after its use
	out := fmt.Sprintf("(%s) (%s)", of(c.Params), of(c.Result))
	if c.ByPointer() {
		out += " by pointer"
	}
	if c.Stream {
		out += " several"
	}
	return out
}

// envelope is what a change of the messages means: packages with an envelope make connections with a function of their own.
func (j *judge) envelope() result {
	has := func(pkg *golang.Package) bool { return pkg.RPC != nil && pkg.RPC.Envelope != nil }
	was, is := j.oldPackage.Own("NewPeer"), j.newPackage.Own("NewPeer")
	return turned(has(j.oldPackage), has(j.newPackage),
		sourceBreak("make connections with rpc.NewPeer", was), additive("make connections with "+is+" instead of rpc.NewPeer", is))
}

// helper is what a change of a handle or a constructor means.
func (j *judge) helper(c change.Change) result {
	of := func(pkg *golang.Package) (names []string) {
		for _, f := range pkg.Constructors {
			if "constructor "+f.Of.Name == c.Subject {
				names = append(names, f.Name)
			}
		}
		for _, h := range pkg.Handles {
			if "handle "+h.Of.Name == c.Subject {
				names = append(names, each.Without([]string{h.Name, h.Router, h.New, h.Open}, []string{"", "Open"})...)
			}
		}
		if c.Subject == "metadata of requests" && pkg.RPC != nil && pkg.RPC.Calls != nil && pkg.RPC.Calls.Metadata != "" {
			names = append(names, each.Map(pkg.RPC.Sides, func(p *golang.Party) string { return p.Name })...)
		}
		return names
	}
	before, after := of(j.oldPackage), of(j.newPackage)
	switch {
	case len(before) == 0 && len(after) == 0: // the package has no helpers
		return none("")
	case len(before) == 0:
		return additive("", after...)
	case len(after) == 0:
		return sourceBreak("stop using "+strings.Join(before, ", "), before...)
	}
	return sourceBreak(before[0]+" has or takes something else", append(before, after...)...)
}

// notification distinguishes handlers that return nothing from those that return an error.
func notification(c *golang.Call) string {
	if c.Notification {
		return " notification"
	}
	return ""
}

// met adds the effect of a change on the declarations of a row.
func (j *judge) met(r result, c change.Change) result {
	before, after := faces(j.oldPackage, c.Place.OldRow), faces(j.newPackage, c.Place.NewRow)
	if ch, ok := c.Place.OldRow.(*protocol.Channel); ok && len(before) > 0 && len(after) == 0 && c.Place.NewRow != nil {
		r.names = append(r.names, j.old.typ(ch.State))
	}
	for _, b := range before {
		i := slices.IndexFunc(after, func(a face) bool { return a.owner == b.owner })
		switch {
		case i < 0:
			r.worse("stop using " + b.String())
		case after[i].name != b.name:
			r.worse(fmt.Sprintf("%s is called %s", b, after[i].name))
		case after[i].signature != b.signature:
			r.worse(fmt.Sprintf("%s takes or returns something else", b))
		default:
			continue
		}
		r.names = append(r.names, b.owner)
	}
	for _, a := range after {
		if r.effect == verdict.GoNone && !slices.ContainsFunc(before, func(b face) bool { return b.owner == a.owner }) {
			r.effect = verdict.GoAdditive
			r.todo = strings.TrimPrefix(r.todo+"; "+a.String()+" is there", "; ")
		}
	}
	if m, ok := c.Place.OldRow.(*protocol.Method); ok && toldBy(j.oldPackage) == m.Name && toldBy(j.newPackage) == "" {
		name := j.oldPackage.Own("WithProgress")
		r.worse("stop using " + name)
		r.names = append(r.names, name)
	}
	if j.oldPackage.Reducers != nil && j.newPackage.Reducers == nil {
		r.names = append(r.names, j.oldPackage.Own("Reducer"), j.oldPackage.Own("ChannelState"))
	}
	return r
}

// toldBy returns the method that reports progress, or "".
func toldBy(pkg *golang.Package) string {
	if pkg.RPC == nil || pkg.RPC.Calls == nil || pkg.RPC.Calls.Progress == nil {
		return ""
	}
	return pkg.RPC.Calls.Progress.Name
}

// asks returns the handlers that can check whether the peer is alive.
func asks(r *golang.RPC) []string {
	if r == nil {
		return nil
	}
	return each.Map(each.Where(r.Sides, r.AsksForLife), func(p *golang.Party) string { return p.Handlers })
}

// asking compares the handlers that can check whether the peer is alive.
func asking(had, has []string) result {
	if gone := each.Without(had, has); len(gone) > 0 {
		return sourceBreak("stop using AskRPC of "+strings.Join(gone, " and "), gone...)
	}
	if came := each.Without(has, had); len(came) > 0 {
		return additive("there is AskRPC of "+strings.Join(came, " and "), came...)
	}
	return none("")
}

// conversation compares what is generated for the handshake and extensions.
func (j *judge) conversation(c change.Change) result {
	had, has := j.oldPackage.RPC, j.newPackage.RPC
	switch c.Rule {
	case change.EnvelopeChanged:
		return j.envelope()
	case change.ExtensionMetaChanged:
		return turned(j.oldPackage.Meta, j.newPackage.Meta,
			sourceBreak("the helpers for metadata are gone", "TraceContext", "GetTraceContext", "WithTraceContext", "WithMeta"), additive("there are helpers for metadata"))
	case change.HandshakeChanged:
		return turned(had != nil && had.Handshake != nil, has != nil && has.Handshake != nil,
			sourceBreak("stop using NegotiateVersion", "NegotiateVersion"), additive("NegotiateVersion is there"))
	case change.ProgressChanged:
		was, is := j.oldPackage.Own("WithProgress"), j.newPackage.Own("WithProgress")
		return turned(toldBy(j.oldPackage) != "", toldBy(j.newPackage) != "", sourceBreak("stop using "+was, was), additive(is+" is there", is))
	case change.PingChanged:
		return asking(asks(had), asks(has))
	case change.ExtensionPrefixChanged:
		if had == nil || has == nil {
			break
		}
		names := each.Map(had.Sides, func(p *golang.Party) string { return p.Name })
		names = append(names, each.Map(had.Sides, func(p *golang.Party) string { return p.Handlers })...)
		names = append(names, kept(j.oldPackage)["Broadcaster"])
		return turned(had.Extension != "", has.Extension != "", sourceBreak("stop using extension methods", names...), additive("there are extension methods"))
	}
	return none("")
}

// gate compares what is refused before sending.
func (j *judge) gate(c change.Change) result {
	refused := none("sending it may end in gate.ErrNotAdvertised; the receiver states the capability")
	had, has := introduction(j.oldPackage), introduction(j.newPackage)
	switch {
	case had && !has:
		return sourceBreak("stop using Supports and Introduced, and the names of methods", gatedNames(j.oldPackage)...)
	case has && !had:
		refused.effect, refused.names = verdict.GoAdditive, gatedNames(j.newPackage)
	case c.Rule == change.GateRemoved:
		return none("")
	}
	return refused
}

// introduction reports whether a package exchanges capabilities.
func introduction(pkg *golang.Package) bool { return pkg.RPC != nil && pkg.RPC.Introduction != nil }

// gatedNames returns the declarations generated for capabilities.
func gatedNames(pkg *golang.Package) []string {
	out := each.Map(pkg.RPC.Sides, func(p *golang.Party) string { return p.Name })
	for _, m := range pkg.Methods {
		if m.Const != "" {
			out = append(out, m.Const)
		}
	}
	return out
}
