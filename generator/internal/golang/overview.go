// Overview: the package documentation, written for newcomers.

package golang

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// overview writes the package comment, with a section for each task.
func (b *builder) overview() {
	title := cmp.Or(b.in.Title, b.in.Name, "protocol")
	first := fmt.Sprintf("Package %s holds the types of the %s", b.out.Name, title)
	if b.in.Version != "" {
		first += ", version " + b.in.Version
	}
	b.out.Doc = comment(first+".", b.link)
	b.paragraph("Objects are structs, unions are sealed interfaces with pointers to structs as variants, and enums keep values" +
		" that they do not know. An optional member is a pointer, or a list or map that may be nil: nil is left out, an empty list is not.")
	b.section("Decode and encode")
	b.paragraph(b.decoding())
	if u := b.exampleUnion(); u != nil {
		b.section("Switch")
		text := fmt.Sprintf("A type switch tells the variants of a union apart: case *%s: and so on.", u.Structs[0].Name)
		if u.Unknown != nil {
			text += fmt.Sprintf(" What a newer peer sends is %s; it encodes to the bytes that it came in.", gotext.A(u.Unknown.Name))
		}
		if u := each.First(b.out.Unions, func(u *Union) bool { return len(u.Accessors) > 0 }); u != nil {
			text += fmt.Sprintf(" What all variants have is there without a switch, such as %s of %s.", u.Accessors[0].Name, gotext.A(u.Name))
		}
		b.paragraph(text + " Linters that know of sum types find the cases that are missing.")
	}
	if b.out.Parts.RPC() {
		b.section("Connect")
		b.paragraph(b.connecting())
		b.keeping()
	}
	if b.out.Reducers != nil {
		b.section("Keep state")
		text := fmt.Sprintf("A [%s] applies actions to states, which never change: it returns new ones.", b.out.Own("Reducer"))
		if b.out.Parts[PartStore] {
			text += fmt.Sprintf(b.in.Sides.In(" A [%s] does so for a client: it holds what the client has subscribed to, with the client's own"+
				" actions in it before the host has answered."), b.out.Own("Store"))
		}
		b.paragraph(text)
	}
	b.byChannel()
}

func (b *builder) section(title string) { b.out.Doc = append(b.out.Doc, "", "# "+title) }

func (b *builder) paragraph(text string) { b.out.Doc = append(append(b.out.Doc, ""), Wrap(text)...) }

// exampleUnion returns a union with object variants.
func (b *builder) exampleUnion() *Union {
	return each.First(b.out.Unions, func(u *Union) bool { return u.Decode != "" && len(u.Structs) > 0 })
}

func (b *builder) decoding() string {
	var ways []string
	if len(b.out.Structs) > 0 {
		ways = append(ways, fmt.Sprintf("[%s] decodes a struct: %[1]s[%s](data)", b.out.Own("Decode"), b.out.Structs[0].Name))
	}
	if u := b.exampleUnion(); u != nil {
		ways = append(ways, fmt.Sprintf("unions have functions of their own, such as [%s]", u.Decode))
	}
	text := strings.Join(ways, "; ")
	if text != "" {
		text += ". "
	}
	return text + "The method AppendJSON encodes. Errors lead to what is wrong. The methods for encoding/json do the same more slowly," +
		" and cannot decode into the interface that a union is."
}

func (b *builder) connecting() string {
	var ways []string
	for _, p := range b.out.RPC.Sides {
		if !b.out.Parts.Side(p) {
			continue
		}
		ways = append(ways, fmt.Sprintf("%s sends to %s with %s, and handles what it receives with [%s].", strings.ToUpper(p.A[:1])+p.A[1:], p.PeerA, gotext.A(p.Name), p.Handlers))
	}
	text := strings.Join(ways, " ") + " They have a method or a field for each request and notification."
	if b.out.RPC.Handshake != nil {
		text += fmt.Sprintf(" [%s] picks the version that both sides speak.", b.out.Own("NegotiateVersion"))
	}
	return text
}

// keeping describes the connection of a client and the server.
func (b *builder) keeping() {
	var texts []string
	if b.out.Parts[PartConnection] {
		texts = append(texts, fmt.Sprintf(b.in.Sides.In("A [%s], which [%s] makes, does for a client what every client owes its host: it takes up a connection that was lost,"+
			" and has a [%s] of what the client has subscribed to."), b.out.Own("Conn"), b.out.Own("Connect"), b.out.Own("Store")))
	}
	if b.out.Parts[PartServer] {
		texts = append(texts, fmt.Sprintf(b.in.Sides.In("A [%s], which [%s] makes, is the host's side: it holds the states, numbers actions,"+
			" and sends them to all who have subscribed."), b.out.Own("Server"), b.out.Own("NewServer")))
	}
	if len(texts) > 0 {
		b.paragraph(strings.Join(texts, " "))
	}
}

// byChannel returns where the types of each channel begin.
func (b *builder) byChannel() {
	var lines []string
	actions := b.actionsByChannel()
	for _, c := range b.in.Channels {
		var parts []string
		if c.State != nil {
			parts = append(parts, "["+b.StructOf(c.State).Name+"]")
		}
		if u := actions[c]; u != nil {
			parts = append(parts, "["+b.UnionOf(u).Name+"]")
		}
		if len(parts) > 0 {
			lines = append(lines, comment("  - "+c.Name+": "+diag.Enumerate(parts, "and"), b.link)...)
		}
	}
	if len(lines) == 0 {
		return
	}
	b.section("Types by channel")
	b.paragraph("The state of each kind of channel, and the actions that change it:")
	b.out.Doc = append(append(b.out.Doc, ""), lines...)
}

// actionsByChannel returns the action union of each channel that has one.
func (b *builder) actionsByChannel() map[*protocol.Channel]*protocol.Union {
	if b.in.Actions == nil {
		return nil
	}
	unions := map[*protocol.Struct]*protocol.Union{}
	for _, u := range b.in.Actions.Channels {
		for _, s := range u.Leaves() {
			if unions[s] == nil {
				unions[s] = u
			}
		}
	}
	out := map[*protocol.Channel]*protocol.Union{}
	for _, a := range b.in.Actions.Actions {
		if u := unions[a.Struct]; u != nil && out[a.Channel] == nil {
			out[a.Channel] = u
		}
	}
	return out
}
