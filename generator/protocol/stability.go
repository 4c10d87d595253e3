// Stability: what the owner of a protocol promises of its parts.

package protocol

import "strconv"

// Stability is a word, "experimental" or "stable", or a number as owners of protocols give it. "" means that nothing is
// stated.
type Stability string

// Experimental reports whether a part is expected to change. Numbers below 2 say so.
func (s Stability) Experimental() bool {
	n, err := strconv.ParseFloat(string(s), 64)
	return s == "experimental" || err == nil && n < 2
}

// String describes the stability, such as "experimental (1.2)".
func (s Stability) String() string {
	switch {
	case s == "" || s == "experimental" || s == "stable":
		return string(s)
	case s.Experimental():
		return "experimental (" + string(s) + ")"
	}
	return "stable (" + string(s) + ")"
}

// Stability returns what is stated of the action, or else of its channel.
func (a *Action) Stability() Stability {
	if s := a.Struct.Stability; s != "" || a.Channel == nil {
		return s
	}
	return a.Channel.Stability
}

// Stability returns what is stated of the method's parameters, or else of its result.
func (m *Method) Stability() Stability {
	for _, t := range []Type{m.Params, m.Result} {
		if t != nil && t.Head().Stability != "" {
			return t.Head().Stability
		}
	}
	return ""
}
