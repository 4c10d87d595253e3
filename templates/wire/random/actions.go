// Actions: sequences of actions that find what they are about in a state.

package random

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Actions yields n actions, each with the state that it leads to from the one before. Most texts of an action that the state
// has in a member of the same name, or whose name ends with that (messageId, id), are taken from there, so that actions find what they are
// about. An action that no longer satisfies its constraints then stays as it was made.
func Actions[S, A wire.Appender](src Source, state S, n int, action func(*Draw) A, decode func([]byte) (A, error), apply func(S, A) S) iter.Seq2[A, S] {
	return func(yield func(A, S) bool) {
		for range n {
			d := New(src)
			a := fitted(d, action(d), state, decode)
			state = apply(state, a)
			if !yield(a, state) {
				return
			}
		}
	}
}

var errOther = errors.New("of another channel")

// As returns a function that decodes an action of one channel, given one that decodes those of all.
func As[A, W any](decode func([]byte) (W, error)) func([]byte) (A, error) {
	return func(data []byte) (a A, err error) {
		v, err := decode(data)
		if err != nil {
			return a, err
		}
		a, ok := any(v).(A)
		if !ok {
			return a, errOther
		}
		return a, nil
	}
}

// fitted returns an action with texts of a state.
func fitted[S, A wire.Appender](d *Draw, a A, state S, decode func([]byte) (A, error)) A {
	there := map[string][]string{}
	collect("", values(state), there)
	text, err := json.Marshal(replaced(d, "", values(a), there))
	if err != nil {
		return a
	}
	out, err := decode(text)
	if err != nil {
		return a
	}
	if v, ok := any(out).(interface{ Validate() error }); ok && v.Validate() != nil {
		return a
	}
	return out
}

// values returns what is encoded as maps, lists and texts, or nil if it cannot be.
func values(v wire.Appender) (out any) {
	if wire.IsNil(v) {
		return nil
	}
	text, err := v.AppendJSON(nil)
	if err != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	_ = d.Decode(&out) // what was encoded
	return out
}

// collect adds the texts of a value by the names of their members in lower case. Keys of maps are ids.
func collect(name string, v any, into map[string][]string) {
	switch v := v.(type) {
	case string:
		if name = strings.ToLower(name); !slices.Contains(into[name], v) {
			into[name] = append(into[name], v)
		}
	case []any:
		for _, item := range v {
			collect(name, item, into)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			collect(key, v[key], into)
			collect("id", key, into)
		}
	}
}

// replaced returns a value with texts that are there.
func replaced(d *Draw, name string, v any, there map[string][]string) any {
	switch v := v.(type) {
	case string:
		if found := under(there, name); len(found) > 0 && d.below(3) > 0 {
			return Pick(d, found...)
		}
	case []any:
		for i := range v {
			v[i] = replaced(d, name, v[i], there)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = replaced(d, key, v[key], there)
		}
	}
	return v
}

// under returns the texts of a name, or of the longest name that it ends with.
func under(there map[string][]string, name string) []string {
	name = strings.ToLower(name)
	for i := range name {
		if found := there[name[i:]]; len(found) > 0 && (i == 0 || len(name)-i > 1) {
			return found
		}
	}
	return nil
}
