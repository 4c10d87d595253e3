// What the formats of ahpgen allow, made at random from the schemas that describe them. What is new there is tried
// without being listed here.

package mutation

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
)

// form is a schema of one of ahpgen's formats.
type form struct {
	file string
	*inside.Node
}

const (
	vocabularyFile = "vocabulary.schema.json"
	profileFile    = "profile.schema.json"
)

// formats are the files that describe them.
var formats = sync.OnceValue(func() map[string]*inside.Node {
	out := map[string]*inside.Node{}
	for name, data := range map[string][]byte{vocabularyFile: schemas.VocabularySchema, profileFile: schemas.ProfileSchema} {
		root, found := inside.ParseJSON(name, data)
		if len(found) > 0 {
			panic(found[0])
		}
		out[name] = root
	}
	return out
})

func formAt(file, pointer string) form {
	n := formats()[file].At(pointer)
	if n == nil {
		panic("no form " + pointer + " in " + file)
	}
	return form{file, n}
}

// below is a schema inside a form, or what the form refers to by one.
func (f form) below(n *inside.Node) form { return form{f.file, n} }

// follow returns what a form refers to, and the name that this has, "" for a form that refers to nothing.
func (f form) follow() (form, string) {
	name := ""
	for {
		ref := f.Get("$ref").Str()
		if ref == "" {
			return f, name
		}
		file, pointer, _ := strings.Cut(ref, "#")
		if file == "" {
			file = f.file
		}
		f, name = formAt(file, pointer), ref[strings.LastIndexByte(ref, '/')+1:]
	}
}

// members are the members that a form declares, itself or through others that it takes in.
func (f form) members() (out []inside.Member, of []form) {
	to, _ := f.follow()
	for _, part := range to.Get("allOf").List() {
		members, forms := to.below(part).members()
		out, of = append(out, members...), append(of, forms...)
	}
	if properties := to.Get("properties"); properties != nil {
		for _, m := range properties.Members {
			out, of = append(out, m), append(of, to.below(m.Value))
		}
	}
	return out, of
}

// keyword is one of the vocabulary.
type keyword struct {
	name string
	root bool
	form form
}

var keywords = sync.OnceValue(func() (out []keyword) {
	for _, group := range []string{"atRoot", "onDefinitions", "onMembers", "onNamed", "anywhere"} {
		members, forms := formAt(vocabularyFile, "/$defs/"+group).members()
		for i, m := range members {
			out = append(out, keyword{m.Key, group == "atRoot", forms[i]})
		}
	}
	return out
})

// makers make what a form of the vocabulary is for that others refer to, and wordMakers the texts of members of these names. Whatever has
// another name is any text.
var (
	makers = map[string]func(m *mutator) *inside.Node{
		"name": func(m *mutator) *inside.Node {
			return text(pick(m.r, []string{m.definitionName(), m.definitionName(), m.memberPath()}))
		},
		"role":    func(m *mutator) *inside.Node { return text(pick(m.r, []string{m.definitionName(), m.memberPath()})) },
		"path":    func(m *mutator) *inside.Node { return text(m.memberPath()) },
		"version": func(m *mutator) *inside.Node { return text(pick(m.r, versions)) },
		"range": func(m *mutator) *inside.Node {
			return text(pick(m.r, []string{"", "<", ">=", "<0 "}) + pick(m.r, versions))
		},
		"flag": func(m *mutator) *inside.Node { return truth(m.r.IntN(5) > 0) },
	}
	wordMakers = map[string]func(m *mutator) string{
		"at": (*mutator).at, "x-side": (*mutator).side, "from": (*mutator).side,
		"description": (*mutator).hostile, "doc": (*mutator).hostile,
		"definition": (*mutator).definitionName, "union": (*mutator).definitionName, "enum": (*mutator).definitionName, "of": (*mutator).definitionName,
		"state": (*mutator).definitionName, "params": (*mutator).definitionName, "result": (*mutator).definitionName, "data": (*mutator).definitionName,
	}
)

func (m *mutator) side() string    { return pick(m.r, []string{"host", "client", "both"}) }
func (m *mutator) hostile() string { return hostileText(m.r) }

// fitting makes a value of a form, mostly. The name is that of the member that has it, and depth how much may be inside.
func (m *mutator) fitting(name string, f form, depth int) *inside.Node {
	if m.r.IntN(25) == 0 {
		return m.anyValue()
	}
	to, target := f.follow()
	if make := makers[target]; make != nil && to.file == vocabularyFile {
		return make(m)
	}
	if list := slices.Concat(to.Get("oneOf").List(), to.Get("anyOf").List()); len(list) > 0 && to.Get("properties") == nil {
		return m.fitting(name, to.below(pick(m.r, list)), depth)
	}
	if value := to.Get("const"); value != nil {
		return value.Clone()
	}
	if values := to.Get("enum").List(); len(values) > 0 {
		return pick(m.r, values).Clone()
	}
	types := []string{to.Get("type").Str()}
	for _, t := range to.Get("type").List() {
		types = append(types, t.Text)
	}
	switch pick(m.r, slices.DeleteFunc(types, func(t string) bool { return t == "" && len(types) > 1 })) {
	case "boolean":
		return truth(m.r.IntN(3) > 0)
	case "integer", "number":
		return number(pick(m.r, hostileNumbers))
	case "null":
		return null()
	case "array":
		return m.fittingList(name, to, depth)
	case "object":
		return m.fittingObject(to, depth)
	case "string":
		if make := wordMakers[name]; make != nil {
			return text(make(m))
		}
		if pattern := to.Get("pattern").Str(); pattern != "" && m.r.IntN(2) == 0 {
			fits := regexp.MustCompile(pattern)
			if list := slices.DeleteFunc(slices.Clone(names()), func(name string) bool { return !fits.MatchString(name) }); len(list) > 0 {
				return text(pick(m.r, list))
			}
		}
		return text(m.anyText())
	}
	return m.anyValue()
}

func (m *mutator) fittingList(name string, f form, depth int) *inside.Node {
	out := array()
	items := f.Get("items")
	if items == nil || depth == 0 {
		return out
	}
	for range 1 + m.r.IntN(2) {
		out.Items = append(out.Items, m.fitting(name, f.below(items), depth-1))
	}
	return out
}

// fittingObject makes an object with what has to be there, and some of what may.
func (m *mutator) fittingObject(f form, depth int) *inside.Node {
	out := object()
	required := map[string]bool{}
	require := func(n *inside.Node) {
		for _, name := range n.Get("required").List() {
			required[name.Text] = true
		}
	}
	require(f.Node)
	instead := map[string]bool{} // of which one has to be there
	for _, alternative := range f.Get("oneOf").List() {
		for _, name := range alternative.Get("required").List() {
			instead[name.Text] = true
		}
	}
	if list := f.Get("oneOf").List(); len(list) > 0 {
		require(pick(m.r, list))
	}
	members, forms := f.members()
	for i, member := range members {
		switch {
		case required[member.Key]:
		case instead[member.Key], !beside(member.Value, required), m.r.IntN(3) > 0:
			continue
		}
		put(out, member.Key, m.fitting(member.Key, forms[i], depth))
	}
	if extra := f.Get("additionalProperties"); extra != nil && extra.Kind == inside.Object {
		for range 1 + m.r.IntN(2) {
			put(out, m.anyText(), m.fitting("", f.below(extra), depth))
		}
	}
	return out
}

// beside reports whether a member may stand beside others: its description says so if it is for some of them only, as in
// "Beside remove and patch: …".
func beside(form *inside.Node, there map[string]bool) bool {
	words, ok := strings.CutPrefix(form.Get("description").Str(), "Beside ")
	words, _, _ = strings.Cut(words, ":")
	return !ok || slices.ContainsFunc(strings.Split(words, " and "), func(word string) bool { return there[word] })
}

// TestFormsAreTried wants values that fit from each form, and values of all kinds of effects, entries and keywords.
func TestFormsAreTried(t *testing.T) {
	kit.Wide(t)
	seeds := allSeeds(t)
	m := &mutator{r: rand.New(rand.NewPCG(1, 1)), in: seeds[0].clone(), seeds: seeds}
	tried := func(what, name string, f form) {
		validator, err := inside.NewValidator("tried.json", []byte(strings.ReplaceAll(f.Compact(), `"#/`, `"`+f.file+`#/`)),
			inside.Text{Name: vocabularyFile, Data: schemas.VocabularySchema}, inside.Text{Name: profileFile, Data: schemas.ProfileSchema})
		require.NoError(t, err)
		for range 400 {
			made, found := inside.ParseJSON("made.json", []byte(m.fitting(name, f, 4).Compact()))
			if len(found) > 0 {
				continue // a number out of bounds
			}
			if len(validator.Check(made, "unfit", nil)) == 0 {
				return
			}
		}
		t.Errorf("nothing that is tried fits %s %s", what, name)
	}
	for _, k := range keywords() {
		tried("keyword", k.name, k.form)
	}
	members, forms := effectForm().members()
	for i, member := range members {
		tried("member of an effect", member.Key, forms[i])
	}
	for _, list := range profileLists() {
		tried("list of a profile", list.path[len(list.path)-1], list.form)
	}
	tried("an effect", "", effectForm())
}
