// The states on the page that show writes: as they were first, and then what each message changes.

package cli

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/templates/wire/validate"
)

// talkState is the state of a channel after a message: whole, or in parts since the message before that has touched it.
type talkState struct {
	Channel string          `json:"channel"`
	Whole   json.RawMessage `json:"whole,omitempty"`
	Parts   []statePart     `json:"parts,omitempty"`
	Unknown bool            `json:"unknown,omitempty"` // it is not known any more
	Left    bool            `json:"left,omitempty"`    // it is left out, since the page is too large
}

// statePart is a path, an operation and a value: "=" sets a value, "+" appends to a text, "-" removes a member, and "#" shortens a
// list to a length.
type statePart [3]any

// maxStates is how many bytes of states a page has.
const maxStates = 32 << 20

// states follows states for a page.
type states struct {
	judge *judge.Judge
	last  map[stateKey]map[string]any
	size  int
}

type stateKey struct {
	conn    int
	channel string
}

// after returns the states that a message has touched, as they are after it.
func (s *states) after(m *judge.Message) (out []talkState) {
	for i, channel := range m.Touched {
		if slices.Contains(m.Touched[:i], channel) {
			continue
		}
		key, step := stateKey{m.Conn, channel}, talkState{Channel: channel}
		before, now := s.last[key], s.judge.State(m.Conn, channel)
		if now != nil {
			now = inside.CloneState(now) // the next action changes it
			s.last[key] = now
		}
		switch {
		case s.size > maxStates:
			step.Left = true
		case now == nil:
			step.Unknown = true
			delete(s.last, key)
		case before == nil:
			step.Whole = judge.JSON(now)
		default:
			step.Parts = partsOf(before, now, []any{}, nil)
		}
		if text, err := json.Marshal(step); err == nil {
			s.size += len(text)
		}
		out = append(out, step)
	}
	return out
}

// partsOf appends what makes one value of another.
func partsOf(was, is any, path []any, out []statePart) []statePart {
	at := func(step any) []any { return append(slices.Clone(path), step) }
	switch is := is.(type) {
	case map[string]any:
		if was, ok := was.(map[string]any); ok {
			for _, name := range validate.Keys(was) {
				if _, ok := is[name]; !ok {
					out = append(out, statePart{at(name), "-", nil})
				}
			}
			for _, name := range validate.Keys(is) {
				if old, ok := was[name]; ok {
					out = partsOf(old, is[name], at(name), out)
				} else {
					out = append(out, statePart{at(name), "=", is[name]})
				}
			}
			return out
		}
	case []any:
		if was, ok := was.([]any); ok {
			if len(is) < len(was) {
				out = append(out, statePart{path, "#", len(is)})
			}
			for i := range is {
				if i < len(was) {
					out = partsOf(was[i], is[i], at(i), out)
				} else {
					out = append(out, statePart{at(i), "=", is[i]})
				}
			}
			return out
		}
	case string:
		if was, ok := was.(string); ok && strings.HasPrefix(is, was) {
			if more := is[len(was):]; more != "" {
				out = append(out, statePart{path, "+", more})
			}
			return out
		}
	}
	if !reflect.DeepEqual(was, is) {
		out = append(out, statePart{path, "=", is})
	}
	return out
}
