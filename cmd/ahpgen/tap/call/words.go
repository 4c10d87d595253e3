// Words: parameters that are typed as words, such as arguments.title=Milk.

package call

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

var word = regexp.MustCompile(`^[^{\["@=][^=]*=`)

// IsWord reports whether an argument is a member with its value.
func IsWord(arg string) bool { return word.MatchString(arg) }

// Params returns the parameters that words are of. The members of a path are separated by dots. A value is a text where the schemas
// want one or where it is no JSON, and otherwise JSON.
func Params(m *protocol.Method, words []string) (map[string]any, error) {
	out := map[string]any{}
	for _, arg := range words {
		name, text, _ := strings.Cut(arg, "=")
		path := strings.Split(name, ".")
		at := out
		for i, step := range path[:len(path)-1] {
			if at[step] == nil {
				at[step] = map[string]any{}
			}
			next, ok := at[step].(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%s: %s has a value already", arg, strings.Join(path[:i+1], "."))
			}
			at = next
		}
		last := path[len(path)-1]
		if at[last] != nil {
			return nil, fmt.Errorf("%s: %s has a value already", arg, name)
		}
		at[last] = valueOf(typeAt(protocol.Ref{Type: m.Params}, path), text)
	}
	return out, nil
}

func valueOf(e protocol.Expr, text string) any {
	var v json.RawMessage
	if isText(e) || json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}

func isText(e protocol.Expr) bool {
	if e == nil {
		return false
	}
	switch e := protocol.Underlying(e).(type) {
	case protocol.Scalar:
		return e == protocol.String
	case protocol.Ref:
		enum, ok := e.Type.(*protocol.Enum)
		return ok && enum.Kind == protocol.String
	}
	return false
}

// typeAt returns the type of a member, or nil if the schemas do not say.
func typeAt(e protocol.Expr, path []string) protocol.Expr {
	for _, name := range path {
		if m, ok := protocol.Underlying(e).(protocol.Map); ok {
			e = m.Elem
			continue
		}
		i := slices.IndexFunc(membersOf(e), func(f *protocol.Field) bool { return f.Name == name })
		if i < 0 {
			return nil
		}
		e = membersOf(e)[i].Type
	}
	return e
}

// membersOf returns the members of objects, those of all variants of a union.
func membersOf(e protocol.Expr) (out []*protocol.Field) {
	ref, _ := protocol.Underlying(e).(protocol.Ref)
	switch t := ref.Type.(type) {
	case *protocol.Struct:
		out = slices.Clone(t.Fields)
		for _, c := range t.Choices {
			out = append(out, membersOf(protocol.Ref{Type: c.Type})...)
		}
	case *protocol.Union:
		for _, v := range t.Variants {
			out = append(out, membersOf(v.Type)...)
		}
	}
	return out
}

// Complete returns the completions of a partial word: members that are not there yet, or values. Descriptions follow
// behind tabs. A word that is not complete ends with = or with a dot.
func Complete(m *protocol.Method, words []string, typed string) (out []string) {
	if m.Params == nil {
		return nil
	}
	name, _, value := strings.Cut(typed, "=")
	path := strings.Split(name, ".")
	prefix := strings.Join(path[:len(path)-1], ".")
	if prefix != "" {
		prefix += "."
	}
	within := typeAt(protocol.Ref{Type: m.Params}, path[:len(path)-1])
	if within == nil {
		return nil
	}
	for _, f := range membersOf(within) {
		full := prefix + f.Name
		switch {
		case value && full == name:
			for _, v := range values(f) {
				out = append(out, full+"="+v)
			}
		case value, slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, full+"=") }):
		case len(membersOf(f.Type)) > 0:
			out = append(out, full+"."+described(f))
		default:
			out = append(out, full+"="+described(f))
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(s string) bool { return !strings.HasPrefix(s, typed) })
}

// described returns what a shell shows beside a member.
func described(f *protocol.Field) string {
	var parts []string
	if f.Required {
		parts = append(parts, "required")
	}
	if doc, _, _ := strings.Cut(f.Doc, "\n"); doc != "" {
		parts = append(parts, doc)
	}
	if len(parts) == 0 {
		return ""
	}
	return "\t" + strings.Join(parts, ": ")
}

// values returns the values that a member may have, if they are few.
func values(f *protocol.Field) (out []string) {
	if f.Const != nil {
		return []string{fmt.Sprint(f.Const.Plain())}
	}
	for _, v := range f.Values {
		out = append(out, fmt.Sprint(v.Plain()))
	}
	e := protocol.Underlying(f.Type)
	if e == protocol.Bool {
		return []string{"false", "true"}
	}
	ref, _ := e.(protocol.Ref)
	if enum, ok := ref.Type.(*protocol.Enum); ok {
		for _, m := range enum.Members {
			out = append(out, fmt.Sprint(m.Value.Plain()))
		}
	}
	return out
}
