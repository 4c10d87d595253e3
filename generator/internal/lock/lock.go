// Package lock holds what a package was generated from and which Go names it has, as a file that changes by one line if
// one thing changes.
package lock

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// Name is the name of the lock file.
const Name = "ahpgen.lock.json"

// Lock is the content of a lock file.
type Lock struct {
	Generator string                       `json:"generator"` // release of ahpgen, "devel" if it is none
	Protocol  string                       `json:"protocol"`
	Version   string                       `json:"version"`
	Supported []string                     `json:"supported,omitempty"` // older versions on offer, where comparisons say which
	Refused   []string                     `json:"refused,omitempty"`   // older versions that a profile lists, and comparisons are against
	Options   map[string]any               `json:"options"`
	Inputs    map[string]string            `json:"inputs"`          // file → digest
	Stubs     map[string]string            `json:"stubs,omitempty"` // method → digest of what was inserted for the user
	Names     map[string]map[string]string `json:"names"`           // definition → key of a wire name → Go name; "" is the type
}

// Release returns the version of this program, if it is a tagged one: others come and go with each build.
func Release() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || strings.Contains(info.Main.Version, "-") || strings.Contains(info.Main.Version, "+") || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// Parse reads a lock. It is nil if it cannot be used.
func Parse(path string, data []byte) (*Lock, []diag.Diagnostic) {
	if pos, ok := conflictMarker(data); ok {
		pos.File = path
		return merged(path, data, pos)
	}
	l := &Lock{}
	if err := json.Unmarshal(data, l); err != nil {
		root, found := schema.ParseJSON(path, data) // says where
		if root != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				err = fmt.Errorf("%s cannot hold a value of type %s", wrong.Field, wrong.Value)
			}
			found = append(found, diag.Errorf(root.Pos, "bad-lock", hint, "the lock cannot be read: %s", err))
		}
		return nil, found
	}
	if !l.namesAreGo() {
		root, found := schema.ParseJSON(path, data)
		return nil, append(found, refuseNames(path, root)...)
	}
	return l, nil
}

// namesAreGo reports whether all names can be those of Go declarations: they are not believed because
// they stand in a lock.
func (l *Lock) namesAreGo() bool {
	for _, members := range l.Names {
		for _, name := range members {
			if !gotext.IsExported(name) {
				return false
			}
		}
	}
	return true
}

// refuseNames returns what is wrong with the names of a lock that no Go declaration can have.
func refuseNames(path string, root *schema.Node) (found []diag.Diagnostic) {
	names := root.Get("names")
	if names == nil {
		return []diag.Diagnostic{diag.Errorf(diag.Pos{File: path}, "bad-lock", hint, "it holds names that no Go declaration can have")}
	}
	for _, definition := range names.Members {
		for _, member := range definition.Value.Members {
			if !gotext.IsExported(member.Value.Text) {
				found = append(found, diag.Errorf(member.Value.Pos, "bad-lock", hint, "%q cannot be the name of a Go declaration", member.Value.Text))
			}
		}
	}
	return found
}

// conflictHint is what to do about a lock of which neither branch can be read.
const conflictHint = "take one side as it is, say with git checkout --ours %s, then run ahpgen generate and commit the result"

// conflictMarker finds the first line that git puts between two versions of a text.
func conflictMarker(text []byte) (diag.Pos, bool) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if marker(line) != "" {
			return diag.Pos{Line: n, Col: 1}, true
		}
	}
	return diag.Pos{}, false
}

// marker returns the conflict marker that a line is, or "".
func marker(line []byte) string {
	for _, m := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
		rest, ok := bytes.CutPrefix(line, []byte(m))
		if ok && (len(rest) == 0 || bytes.ContainsAny(rest[:1], " \r\n")) {
			return m
		}
	}
	return ""
}

const hint = "restore it from version control, or remove it and generate anew"

// GoNames returns the Go names that the lock holds.
func (l *Lock) GoNames() golang.Names {
	if l == nil {
		return nil
	}
	out := golang.Names{}
	for definition, members := range l.Names {
		t := golang.TypeNames{Go: members[""], Members: map[string]string{}}
		for key, name := range members {
			if key != "" {
				t.Members[wireName(key)] = name
			}
		}
		out[definition] = t
	}
	return out
}

// nameKey returns the key of a wire name in a lock. The empty one stands for the type, so a member without a name is
// written in quotes, and so is one that begins with one.
func nameKey(wire string) string {
	if wire == "" || strings.HasPrefix(wire, `"`) {
		return strconv.Quote(wire)
	}
	return wire
}

// wireName returns the wire name that a key of a lock stands for.
func wireName(key string) string {
	if wire, err := strconv.Unquote(key); err == nil && nameKey(wire) == key {
		return wire
	}
	return key
}

// NamesOf returns the names of a package as a lock holds them.
func NamesOf(pkg *golang.Package) map[string]map[string]string {
	out := map[string]map[string]string{}
	for definition, t := range pkg.Names {
		names := map[string]string{"": t.Go}
		for wire, name := range t.Members {
			names[nameKey(wire)] = name
		}
		out[definition] = names
	}
	return out
}

// Options returns the members of a configuration that are set. Those of an object inside are named after both, such as
// reducersOwn; the keys of names stay as written.
func Options(config any) map[string]any {
	text, err := json.Marshal(config)
	var members map[string]any
	if err != nil || json.Unmarshal(text, &members) != nil {
		panic("lock: a configuration is a struct of plain values")
	}
	out := map[string]any{}
	for key, value := range members {
		inside, ok := value.(map[string]any)
		if !ok {
			inside = map[string]any{"": value}
		}
		for name, v := range inside {
			if list, isList := v.([]any); v != nil && v != false && v != "" && (!isList || len(list) > 0) {
				out[optionKey(key, name)] = v
			}
		}
	}
	return out
}

func optionKey(object, member string) string {
	switch {
	case member == "":
		return object
	case object == "names":
		return object + "." + member
	}
	return object + strings.ToUpper(member[:1]) + member[1:]
}

// Digest returns the digest of an input. Line endings are normalized: git may check a file out with other ones on
// another machine.
func Digest(data []byte) string {
	sum := sha256.Sum256(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Text prints a lock with each entry on a line of its own, so that branches that change different entries merge.
func (l *Lock) Text() ([]byte, error) {
	parts := []string{
		`"generator": ` + jsontext.Line(l.Generator), `"protocol": ` + jsontext.Line(l.Protocol), `"version": ` + jsontext.Line(l.Version),
	}
	if len(l.Supported) > 0 {
		parts = append(parts, `"supported": `+jsontext.Line(l.Supported))
	}
	if len(l.Refused) > 0 {
		parts = append(parts, `"refused": `+jsontext.Line(l.Refused))
	}
	parts = append(parts,
		`"options": `+object(l.Options, "  ", jsontext.Line[any]), `"inputs": `+object(l.Inputs, "  ", jsontext.Line[string]))
	if len(l.Stubs) > 0 {
		parts = append(parts, `"stubs": `+object(l.Stubs, "  ", jsontext.Line[string]))
	}
	names := func(members map[string]string) string { return object(members, "    ", jsontext.Line[string]) }
	parts = append(parts, `"names": `+object(l.Names, "  ", names))
	text := []byte("{\n  " + strings.Join(parts, ",\n  ") + "\n}\n")
	if !json.Valid(text) {
		return nil, errors.New("write lock: it is no JSON")
	}
	return text, nil
}

// object prints a map with an entry on each line, behind what the map itself is indented by.
func object[V any](entries map[string]V, indent string, value func(V) string) string {
	lines := each.Map(slices.Sorted(maps.Keys(entries)), func(key string) string { return "\n" + indent + "  " + jsontext.Line(key) + ": " + value(entries[key]) })
	return "{" + strings.Join(lines, ",") + "\n" + indent + "}"
}

// Drift lists the differences of two locks, one a line.
func (l *Lock) Drift(now *Lock) []string {
	var out []string
	say := func(what, before, after string) {
		if before != after {
			out = append(out, fmt.Sprintf("%s: %s when generated, %s now", visible.Name(what), cmp.Or(visible.Name(before), "none"), cmp.Or(visible.Name(after), "none")))
		}
	}
	say("ahpgen", l.Generator, now.Generator)
	say("protocol", l.Protocol, now.Protocol)
	say("version", l.Version, now.Version)
	say("supported", strings.Join(l.Supported, ", "), strings.Join(now.Supported, ", "))
	say("refused", strings.Join(l.Refused, ", "), strings.Join(now.Refused, ", "))
	for _, key := range keysOf(l.Options, now.Options) {
		say("option "+key, optionText(l.Options, key), optionText(now.Options, key))
	}
	for _, key := range keysOf(l.Inputs, now.Inputs) {
		switch before, after := l.Inputs[key], now.Inputs[key]; {
		case before == after:
		case before == "":
			out = append(out, fmt.Sprintf("input %s is new", visible.Name(key)))
		case after == "":
			out = append(out, fmt.Sprintf("input %s is gone", visible.Name(key)))
		default:
			out = append(out, fmt.Sprintf("input %s has changed", visible.Name(key)))
		}
	}
	for _, definition := range keysOf(l.Names, now.Names) {
		before, after := l.Names[definition], now.Names[definition]
		if before == nil || after == nil {
			continue // new and removed definitions follow from the inputs
		}
		for _, member := range keysOf(before, after) {
			if b, a := before[member], after[member]; b != "" && a != "" {
				say("Go name of "+strings.TrimSuffix(definition+"."+member, "."), b, a)
			}
		}
	}
	return out
}

func optionText(options map[string]any, key string) string {
	if v, ok := options[key]; ok {
		return jsontext.Line(v)
	}
	return ""
}

// keysOf lists the keys of both maps, sorted.
func keysOf[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
