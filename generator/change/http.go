// HTTP: how messages travel over it.

package change

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// The parts of what is stated about HTTP without which requests or answers do not arrive.
const (
	HTTPSession  = "HTTP session header"
	HTTPVersion  = "HTTP version member"
	HTTPMethod   = "HTTP method header"
	HTTPName     = "HTTP name header"
	HTTPAnswers  = "HTTP answers"
	HTTPDivision = "HTTP division of sessions"
	HTTPRepeated = "HTTP headers of arguments"
)

// http compares how messages travel over HTTP.
func (c *comparer) http() {
	old, new := c.old.HTTP, c.new.HTTP
	switch {
	case old == nil && new == nil:
	case old == nil:
		c.add(HTTPChanged, "nothing stated", "stated", spot{subject: "HTTP", new: new.Pos})
	case new == nil:
		c.add(HTTPChanged, "stated", "nothing stated", spot{subject: "HTTP", old: old.Pos})
	default:
		was, is := overHTTP(old), overHTTP(new)
		for i, part := range was {
			c.text(HTTPChanged, part.text, is[i].text, spot{part.subject, old.Pos, new.Pos, Place{}})
		}
	}
}

// httpPart is a part of what is stated, as text.
type httpPart struct{ subject, text string }

// overHTTP returns what there is to compare.
func overHTTP(h *protocol.HTTP) []httpPart {
	names := each.Map(h.Names, func(n protocol.HTTPName) string { return n.Member + " of " + n.Method.Name })
	unscoped := each.Map(h.Unscoped, func(m *protocol.Method) string { return m.Name })
	statuses := each.Map(slices.Sorted(maps.Keys(h.Status)), func(code int64) string { return fmt.Sprintf("%d for %d", h.Status[code], code) })
	answers := "on the request"
	if h.Deferred {
		answers = "on streams that clients open"
	}
	mismatch := ""
	if h.Mismatch != 0 {
		mismatch = strconv.FormatInt(h.Mismatch, 10)
	}
	arguments, refusal := "", ""
	if a := h.Arguments; a != nil {
		arguments = a.Prefix + "… for " + a.Keyword + " of " + a.In + " of " + a.Method.Name
	}
	if r := h.Refusal; r != nil {
		refusal = strconv.FormatInt(r.Code, 10) + " with " + r.Supported + " and " + r.Requested
	}
	division := []string{h.Scope, h.ScopeAt}
	return []httpPart{
		{HTTPSession, h.Session}, {HTTPVersion, strings.Join(h.VersionAt, ".")}, {HTTPMethod, h.Method},
		{HTTPName, strings.TrimSpace(h.Name + " " + strings.Join(names, ", "))}, {HTTPAnswers, answers}, {HTTPRepeated, arguments},
		{HTTPDivision, strings.TrimSpace(strings.Join(append(division, unscoped...), " "))},
		{"HTTP version header", h.Version}, {"HTTP header of the last event", h.LastEvent},
		{"HTTP error for headers unlike the body", mismatch}, {"HTTP statuses", strings.Join(statuses, ", ")},
		{"HTTP streams of clients", strconv.FormatBool(h.Get)}, {"HTTP end of sessions", strconv.FormatBool(h.Delete)},
		{"HTTP error for an unsupported version", refusal}, {"HTTP events without data", strconv.FormatBool(h.Prime)},
	}
}
