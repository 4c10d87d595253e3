// Values: parameters of methods, made from examples of the schemas and from what the program has handed out.

package conform

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/call"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// values makes examples.
type values struct {
	p       *protocol.Protocol
	judge   *judge.Judge
	example func(protocol.Type) string
	folder  string // one that is there, with a file
	tag     string // is in all names that are made up, so that no other run has them
	n       int
}

// project is the folder in which examples have their files.
const project = "/project"

func newValues(p *protocol.Protocol, j *judge.Judge, folder string) (*values, error) {
	var tag [4]byte
	_, _ = rand.Read(tag[:])
	v := &values{p: p, judge: j, example: inside.Examples(p), folder: filepath.ToSlash(folder), tag: hex.EncodeToString(tag[:])}
	return v, os.WriteFile(filepath.Join(folder, "main.go"), []byte("package main\n"), 0o600)
}

// steady returns a text that is the same in each run.
func (v *values) steady(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, v.tag, "00000000"), v.folder, project)
}

// name returns a new name.
func (v *values) name() string {
	v.n++
	return fmt.Sprintf("conform-%s-%d", v.tag, v.n)
}

// uri returns a new URI of a channel.
func (v *values) uri(c *protocol.Channel) string {
	out := ""
	for rest := c.URI; ; {
		before, after, some := strings.Cut(rest, "<")
		out += before
		if !some {
			return out
		}
		what, end, _ := strings.Cut(after, ">")
		if rest = end; what == "uuid" {
			v.n++
			out += fmt.Sprintf("%s-0000-4000-8000-%012x", v.tag, v.n)
		} else {
			out += v.name()
		}
	}
}

// isMany reports whether there may be several channels of a kind.
func isMany(c *protocol.Channel) bool { return strings.Contains(c.URI, "<") }

// of returns an example of a type, as decoded JSON with what is required alone.
func (v *values) of(t protocol.Type) any {
	out := inside.DecodeState([]byte(v.example(t)))
	s, _ := t.(*protocol.Struct)
	object, _ := out.(map[string]any)
	if s == nil || object == nil {
		return out
	}
	for _, f := range s.Fields {
		if !f.Required {
			delete(object, f.Name)
		}
	}
	return out
}

// plan is how the parameters of a method are made so that it has a result, if that is known.
type plan struct {
	empty   bool // lists are empty
	fresh   bool // channels are new
	made    bool // channels were new, be it that there are no others
	outcome outcome
}

// attempts returns the plans to try, the most likely first.
func (r *run) attempts(m *protocol.Method) []plan {
	if r.Params[m.Name] != nil {
		return []plan{{}}
	}
	empty := slices.ContainsFunc(r.Protocol.Handles, func(h *protocol.Handle) bool { return h.Opens == m })
	out := []plan{{empty: empty}, {empty: !empty}}
	if m.Params != nil && len(r.kindsIn(r.values.of(m.Params))) > 0 {
		out = append(out, plan{fresh: true})
	}
	return out
}

// kindsIn returns the kinds of channels, of which there may be many, that values name.
func (r *run) kindsIn(v any) (out []*protocol.Channel) {
	eachText(v, func(text string) {
		for _, c := range judge.KindsOf(r.Protocol, text) {
			if isMany(c) && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	})
	return out
}

// eachText calls f with all texts in a value, in a steady order.
func eachText(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, item := range v {
			eachText(item, f)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			eachText(v[name], f)
		}
	}
}

// make returns parameters of a method that its schema allows, nil for none.
func (t *talk) make(m *protocol.Method, how *plan) any {
	v := inside.DecodeState(raw(t.Params[m.Name])) // a copy
	if c := t.Protocol.Calls; v == nil && c != nil && m == c.Ping && c.PingParams != "" {
		v = inside.DecodeState([]byte(c.PingParams))
	}
	if v == nil && m.Params != nil {
		v = t.fill(m, how)
	}
	if object, _ := v.(map[string]any); object != nil || m.Params == nil && v == nil {
		if with := call.WithMetadata(t.Protocol, m, object); with != nil {
			return with
		}
		if object != nil {
			return object
		}
	}
	return v
}

// fill makes parameters from an example.
func (t *talk) fill(m *protocol.Method, how *plan) any {
	v := t.values.of(m.Params)
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	fresh := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		member := object[name]
		if list, isList := member.([]any); isList && how.empty && len(list) > 0 {
			less := maps.Clone(object)
			less[name] = []any{}
			if len(t.judge.Violations(m.Params, less)) == 0 {
				object[name] = []any{}
				continue
			}
		}
		object[name] = t.place(name, member, how, fresh)
	}
	return object
}

// place puts what is known into a value: ids and channels that there are, and files.
func (t *talk) place(name string, v any, how *plan, fresh map[string]string) any {
	switch v := v.(type) {
	case string:
		if id, known := t.handles[name]; known {
			return id
		}
		for _, c := range judge.KindsOf(t.Protocol, v) {
			if !isMany(c) {
				continue
			}
			if there := t.seen[c]; there != "" && !how.fresh {
				return there
			}
			how.made = true
			if fresh[c.Name] == "" {
				fresh[c.Name] = t.values.uri(c)
			}
			return fresh[c.Name]
		}
		for _, scheme := range []string{"", "file://"} {
			if rest, ok := strings.CutPrefix(v, scheme+project); ok {
				return scheme + t.values.folder + rest
			}
		}
		return v
	case []any:
		for i := range v {
			v[i] = t.place(name, v[i], how, fresh)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = t.place(name, v[name], how, fresh)
		}
	}
	return v
}

// raw returns parameters as JSON, nil for none.
func raw(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	if text, ok := v.(json.RawMessage); ok {
		return text
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is decoded JSON
	}
	return data
}
