// Verdicts that depend on the details of a change.

package verdict

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/flow"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func requiredNow(c change.Change) bool    { return c.Place.NewField.Required }
func requiredBefore(c change.Change) bool { return c.Place.OldField.Required }

// wasOpen reports whether an old reader keeps a new value of an enum.
func wasOpen(c change.Change) bool {
	e, ok := c.Place.OldType.(*protocol.Enum)
	return ok && (e.Open || e.Bitset)
}

// readingChanged: a reader that accepts any text or number understands everything. Stating a unit changes no value; a
// different unit does.
func readingChanged(c change.Change) cells {
	read := func(of, by protocol.Reading) cell {
		switch {
		case by == protocol.Plain, by.Time() != "" && of == protocol.Plain:
			return fine()
		case by.Time() != "":
			return breaks(other)
		}
		return tolerated("{from} may send text in which {to} does not find " + by.String())
	}
	o, n := c.Place.OldField.Reading, c.Place.NewField.Reading
	return cells{read(o, n), read(n, o)}
}

// variantAdded: an old reader keeps the variant if its union was open, or had a general variant.
func variantAdded(c change.Change) cells {
	u, _ := c.Place.OldType.(*protocol.Union)
	switch {
	case u != nil && u.Dispatch.General() != nil:
		return cells{fine(), tolerated(general)}
	case u != nil && u.Open:
		return cells{fine(), tolerated(keeps)}
	}
	return cells{fine(), breaks(unknown)}
}

func extraAllowed(c change.Change) cells {
	return cells{fine(), extraSent(c.Place.NewType, c.Place.OldType)}
}

func extraDropped(c change.Change) cells {
	return cells{extraSent(c.Place.OldType, c.Place.NewType), fine()}
}

// extraSent: members without a name that have a type are as much a part of the protocol as those with one, so an object that allows no
// others refuses them. What may stand there without one is for extensions, which decoders pass over.
func extraSent(from, to protocol.Type) cell {
	sender, _ := from.(*protocol.Struct)
	reader, _ := to.(*protocol.Struct)
	if sender == nil || reader == nil || protocol.Underlying(sender.Extra) == protocol.Any && !slices.ContainsFunc(sender.Limits.Limits(), typesNames) {
		return tolerated(undeclared)
	}
	isClosed := func(l protocol.Limit) bool { return l.Keyword == "additionalProperties" && l.Value == "false" }
	if slices.ContainsFunc(reader.Limits.Limits(), isClosed) {
		return breaks(closedOut)
	}
	return tolerated(undeclared)
}

// typesNames reports whether a limit says of members whose names match a pattern what they are.
func typesNames(l protocol.Limit) bool {
	var patterns map[string]json.RawMessage
	if l.Keyword != "patternProperties" || json.Unmarshal([]byte(l.Value), &patterns) != nil {
		return false
	}
	for _, s := range patterns {
		if text := string(s); text != "true" && text != "{}" {
			return true
		}
	}
	return false
}

func isNotification(c change.Change) bool {
	m, ok := c.Place.OldRow.(*protocol.Method)
	return ok && m.Notification
}

func nullNow(c change.Change) bool    { return mayBeNull(c.Place.NewRow) }
func nullBefore(c change.Change) bool { return mayBeNull(c.Place.OldRow) }

// mayBeNull reports whether a method may be answered with null in place of its result.
func mayBeNull(row change.Row) bool {
	m, ok := row.(*protocol.Method)
	return ok && m.NullResult
}

// demandingNow reports whether an old caller would have had to send something.
func demandingNow(c change.Change) bool    { return demanding(c.Place.NewRow) }
func demandingBefore(c change.Change) bool { return demanding(c.Place.OldRow) }

// demanding reports whether a method requires parameters.
func demanding(row change.Row) bool {
	m, ok := row.(*protocol.Method)
	if !ok || m.Params == nil {
		return false
	}
	s := protocol.As[*protocol.Struct](protocol.Ref{Type: m.Params})
	return s == nil || slices.ContainsFunc(s.Fields, func(f *protocol.Field) bool { return f.Required })
}

// extensionPrefixChanged: without a prefix no extensions are sent, and a peer that has one can tell from the version
// which peers do not.
func extensionPrefixChanged(c change.Change) cells {
	const extra, none = "{from} may send extensions; {to} does not know them", `""`
	switch {
	case c.From == none:
		return cells{fine(), tolerated(extra)}
	case c.To == none:
		return cells{tolerated(extra), fine()}
	}
	return cells{breaks(other), breaks(other)}
}

// sessionChanged: requests allowed early or repeated on reconnect cost a round trip at worst.
func sessionChanged(c change.Change) cells {
	switch c.Subject {
	case "session anytime":
		return cells{tolerated(tooSoon), tolerated(tooSoon)}
	case "session repeat":
		return cells{tolerated(unrepeated), tolerated(unrepeated)}
	}
	return cells{breaks(other), breaks(other)}
}

// httpChanged distinguishes what has to be there for a message to arrive from what a server can do without.
func httpChanged(c change.Change) cells {
	const none = `""`
	lost, unused := breaks("over HTTP, {to} does not find what it looks for in what {from} sends"), tolerated("over HTTP, {from} and {to} go on without it")
	out := cells{unused, unused}
	switch c.Subject {
	case change.HTTPSession, change.HTTPVersion, change.HTTPMethod, change.HTTPName, change.HTTPAnswers, change.HTTPDivision, change.HTTPRepeated:
		if c.To != none {
			out.oldToNew = lost
		}
		if c.From != none {
			out.newToOld = lost
		}
	case "HTTP":
		return cells{fine(), fine()}
	}
	return out
}

// ownGate: a reader expects a message of a sender that has stated the capability which the reader knows, if that knows one.
func ownGate(c change.Change) (out cells) {
	const none = `""`
	unsaid := tolerated("{from} sends it without having said what {to} wants senders to say; {to} may not expect it")
	if c.To != none {
		out.oldToNew = unsaid
	}
	if c.From != none {
		out.newToOld = unsaid
	}
	return out
}

// requestIDs: a sender has what the reader rules out, unless it rules that out itself.
func requestIDs(c change.Change) (out cells) {
	odd := tolerated("{from} may send requests with ids that {to} does not expect")
	more := func(than, list string) bool {
		return slices.ContainsFunc(strings.Split(strings.Trim(list, `"`), ", "), func(id string) bool { return id != "" && !strings.Contains(than, id) })
	}
	if more(c.From, c.To) {
		out.oldToNew = odd
	}
	if more(c.To, c.From) {
		out.newToOld = odd
	}
	return out
}

// everywhere returns the directions of all messages.
func everywhere(*judge, change.Change) flow.Set { return flow.Both }

// limited: who checks values by the stricter limits refuses some that the other may send.
func limited(c change.Change) cells {
	refused := breaks(outside)
	if c.Unchecked {
		refused = tolerated(unnoticed)
	}
	switch c.Rule {
	case change.LimitTightened:
		return cells{refused, fine()}
	case change.LimitLoosened:
		return cells{fine(), refused}
	}
	return cells{refused, refused}
}
