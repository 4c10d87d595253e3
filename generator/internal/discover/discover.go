// Package discover finds in published schemas what a profile has to state: the messages, what they look like, who sends
// them and what answers them. It goes by what schemas declare and by how definitions are called alike, and by no protocol.
package discover

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// The kinds of messages.
const (
	request      = "request"
	notification = "notification"
)

// found is what there is in parsed schemas.
type found struct {
	set      *schema.Set
	messages []*message
	envelope *envelope  // nil for JSON-RPC 2.0, or where there are no messages
	unfilled string     // member of notifications that is required, and that ahpgen cannot fill, or ""
	whole    []*message // whole messages of which nothing says how answers belong to requests
	teller   string     // the member that tells those apart
	payloads bool       // messages are parameters alone, and nothing says what carries them

	requests, notifications []string // what names of messages end with
	responses, results      []string // what names of whole responses and of results end with
	regular                 bool     // these words tell the messages
	answers                 map[*message]answer

	calls      []methodText // that documents of OpenRPC list
	byPosition []string     // those whose parameters are lists
	errors     []codeText   // that these documents list

	marks marks // keywords that state methods, or none

	sides  [2]string // the one that opens a connection, and the other one
	told   bool      // sides were told by the schemas
	phrase string    // where they stand, in words
	lists  []listing // unions of messages by sides
}

// message is a request or a notification.
type message struct {
	name  string
	kind  string
	def   *schema.Definition // nil for one that stands in a union
	in    *schema.Definition // the union that lists it, or nil
	alone *schema.Schema     // of one without a definition
	from  string             // side that sends it
}

// schema returns the schema of a message.
func (m *message) schema() *schema.Schema {
	if m.def != nil {
		return m.def.Schema
	}
	return m.alone
}

// called returns the name of a message's definition, or its title.
func (m *message) called() string {
	if m.def != nil {
		return m.def.Name
	}
	return m.alone.Title
}

// answer is the result of a request.
type answer struct {
	def   *schema.Definition
	whole bool // it is a response, whose member has the result
}

// find looks for messages in the shapes that there are, the most telling first.
func find(set *schema.Set) *found {
	f := &found{set: set, answers: map[*message]answer{}, sides: [2]string{"client", "server"}}
	switch {
	case f.described(), f.marked():
		return f
	case f.jsonRPC():
	case f.enveloped():
	case f.pairs():
	default:
		return f
	}
	f.setWords()
	f.setAnswers()
	f.setSides()
	return f
}

// jsonRPC finds messages of JSON-RPC: the method is a constant.
func (f *found) jsonRPC() bool {
	versioned := false
	for _, def := range f.set.Definitions() {
		if def.Schema == nil {
			continue
		}
		if name := def.Schema.Own("method").OnlyText(); name != "" {
			f.messages = append(f.messages, &message{name: name, kind: callKind(def.Name, def.Schema), def: def})
		}
		for _, choice := range def.Schema.Choices() {
			if name := choice.Own("method").OnlyText(); name != "" {
				f.messages = append(f.messages, &message{name: name, kind: callKind(choice.Title, choice), in: def, alone: choice})
			}
		}
		versioned = versioned || member(def.Schema, "jsonrpc") != nil
	}
	if !versioned {
		f.envelope = bare
		if !slices.ContainsFunc(f.messages, isCall) { // such as requests of HTTP
			f.messages = nil
		}
	}
	if len(f.messages) == 0 {
		f.envelope = nil
	}
	return len(f.messages) > 0
}

// isCall reports whether a message has something of JSON-RPC besides a method.
func isCall(m *message) bool {
	return member(m.schema(), "params") != nil || member(m.schema(), "id") != nil || lastWord(m.called()) == "Notification"
}

// callKind returns whether a message of JSON-RPC is a request, which its name may say, and otherwise its id does.
func callKind(name string, s *schema.Schema) string {
	switch {
	case strings.HasSuffix(name, "Request"):
		return request
	case strings.HasSuffix(name, "Notification"), member(s, "id") == nil:
		return notification
	}
	return request
}

// owns returns the members that a schema declares itself.
func owns(s *schema.Schema) (out []schema.Property) {
	out = slices.Clone(s.Properties)
	for _, part := range s.AllOf {
		if _, ok := part.Reference(); !ok {
			out = append(out, owns(part)...)
		}
	}
	return out
}

// requires reports whether a schema itself requires a member.
func requires(s *schema.Schema, name string) bool {
	return slices.ContainsFunc(s.Required, func(n *schema.Node) bool { return n.Text == name }) ||
		slices.ContainsFunc(s.AllOf, func(part *schema.Schema) bool {
			_, ok := part.Reference()
			return !ok && requires(part, name)
		})
}

// member returns a member that a schema declares or takes in, or nil.
func member(s *schema.Schema, name string) *schema.Property {
	for _, s := range withBases(s) {
		if p := s.Own(name); p != nil {
			return p
		}
	}
	return nil
}

// withBases returns a schema and those that it takes in.
func withBases(s *schema.Schema) []*schema.Schema {
	return graph.Reach([]*schema.Schema{s}, func(s *schema.Schema) []*schema.Schema {
		return each.Map(s.Bases(), func(base *schema.Definition) *schema.Schema { return base.Schema })
	})
}
