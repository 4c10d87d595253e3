// Causes: grouping findings with a common cause. A removed action also removes a variant and a type, a new member may
// add its type, and one member changed alike in six types is one change.

package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// cause is a finding with the findings implied by it.
type cause struct {
	verdict.Finding                   // the leading finding, with the worst verdict of the group
	follows         []verdict.Finding // implied findings
	alike           []cause           // the same change in other places
	renamed         string            // the likely old or new name, or ""
}

// all returns the findings of a cause.
func (c *cause) all() []verdict.Finding {
	out := append([]verdict.Finding{c.Finding}, c.follows...)
	for i := range c.alike {
		out = append(out, c.alike[i].all()...)
	}
	return out
}

// family is a forest of findings: parent is the index of the cause, or -1.
type family struct {
	findings []verdict.Finding
	parent   []int
	renamed  map[int]string
	added    map[protocol.Type]int // added and removed types
	removed  map[protocol.Type]int
}

// causes groups findings by cause. Order is preserved.
func causes(findings []verdict.Finding) []cause {
	t := newFamily(findings)
	out := make([]cause, 0, len(findings))
	at := map[int]int{}
	for i, f := range findings {
		if t.parent[i] < 0 {
			at[i] = len(out)
			out = append(out, cause{Finding: f})
			if name := t.renamed[i]; name != "" {
				out[at[i]].renamed = "renamed to " + name + "?"
			}
		}
	}
	for i, f := range findings {
		if t.parent[i] < 0 {
			continue
		}
		c := &out[at[t.root(i)]]
		c.follows = append(c.follows, f)
		c.absorb(f)
		if name := t.renamed[i]; name != "" && c.renamed == "" {
			c.renamed = f.Subject + " renamed to " + name + "?"
		}
	}
	return joinAlike(out)
}

func newFamily(findings []verdict.Finding) *family {
	t := &family{
		findings: findings, parent: make([]int, len(findings)), renamed: map[int]string{},
		added: map[protocol.Type]int{}, removed: map[protocol.Type]int{},
	}
	for i, f := range findings {
		t.parent[i] = -1
		switch f.Change.Rule {
		case change.TypeAdded:
			t.added[f.Place.NewType] = i
		case change.TypeRemoved:
			t.removed[f.Place.OldType] = i
		}
	}
	t.joinRenames()
	t.joinRows()
	for i := range findings {
		if r := findings[i].Change.Rule; r == change.VariantAdded || r == change.VariantRemoved {
			t.joinTypes(i)
		}
	}
	for i := range findings {
		t.joinTypes(i)
	}
	return t
}

// root returns the ultimate cause of a finding.
func (t *family) root(i int) int {
	for t.parent[i] >= 0 {
		i = t.parent[i]
	}
	return i
}

// join makes one finding follow from another, unless it already has a parent or they are the same.
func (t *family) join(child, parent int) {
	if t.parent[child] < 0 && t.root(parent) != child {
		t.parent[child] = parent
	}
}

// joinRenames makes the addition of a likely rename follow from the removal, unless only the shapes of small members
// suggest the rename.
func (t *family) joinRenames() {
	type key struct {
		subject string
		gone    bool
	}
	index := map[key]int{}
	for i, f := range t.findings {
		switch f.Change.Rule {
		case change.FieldRemoved, change.TypeRemoved, change.MethodRemoved, change.NotificationRemoved, change.ActionRemoved:
			index[key{f.Subject, true}] = i
		case change.FieldAdded, change.TypeAdded, change.MethodAdded, change.NotificationAdded, change.ActionAdded:
			index[key{f.Subject, false}] = i
		}
	}
	for i, f := range t.findings {
		if f.Change.Rule != change.RenameCandidate {
			continue
		}
		prefix, member := f.Subject+".", false
		switch f.Subject {
		case "types":
			prefix = ""
		case "methods", "actions":
			prefix = strings.TrimSuffix(f.Subject, "s") + " "
		default:
			member = true
		}
		gone, ok1 := index[key{prefix + f.From, true}]
		came, ok2 := index[key{prefix + f.To, false}]
		if !ok1 || !ok2 {
			continue // one of them was accepted
		}
		t.renamed[gone] = f.To
		t.join(i, gone)
		if !member || change.Alike(f.From, f.To) {
			t.join(came, gone)
		}
	}
}

// joinRows makes variants and types of a table row follow from the row.
func (t *family) joinRows() {
	variants := map[protocol.Type][]int{}
	for i, f := range t.findings {
		switch f.Change.Rule {
		case change.VariantAdded:
			t := protocol.As[protocol.Type](f.Place.NewVariant)
			variants[t] = append(variants[t], i)
		case change.VariantRemoved:
			t := protocol.As[protocol.Type](f.Place.OldVariant)
			variants[t] = append(variants[t], i)
		}
	}
	for i, f := range t.findings {
		switch f.Change.Rule {
		case change.ActionAdded, change.ActionRemoved:
			row := cmp.Or(f.Place.OldRow, f.Place.NewRow).(*protocol.Action)
			if row.Struct != nil {
				for _, v := range variants[row.Struct] {
					t.join(v, i)
				}
			}
		case change.MethodAdded, change.MethodRemoved, change.NotificationAdded, change.NotificationRemoved:
		default:
			continue
		}
		t.joinTypes(i)
	}
}

// joinTypes makes types added or removed with a change follow from it.
func (t *family) joinTypes(i int) {
	p := t.findings[i].Place
	var old, new []protocol.Expr
	switch t.findings[i].Change.Rule {
	case change.RenameCandidate, change.SinceMissing:
		return
	case change.TypeRemoved:
		old = append(old, parts(p.OldType)...)
	case change.TypeAdded:
		new = append(new, parts(p.NewType)...)
	}
	old, new = append(old, rowTypes(p.OldRow)...), append(new, rowTypes(p.NewRow)...)
	if p.OldField != nil {
		old = append(old, p.OldField.Type)
	}
	if p.NewField != nil {
		new = append(new, p.NewField.Type)
	}
	old, new = append(old, p.OldVariant), append(new, p.NewVariant)
	t.claim(i, old, t.removed, map[protocol.Type]bool{})
	t.claim(i, new, t.added, map[protocol.Type]bool{})
}

// claim traverses expressions through added or removed types.
func (t *family) claim(parent int, list []protocol.Expr, among map[protocol.Type]int, seen map[protocol.Type]bool) {
	for _, e := range list {
		switch e := protocol.Underlying(e).(type) {
		case protocol.List:
			t.claim(parent, []protocol.Expr{e.Elem}, among, seen)
		case protocol.Map:
			t.claim(parent, []protocol.Expr{e.Elem}, among, seen)
		case protocol.Ref:
			i, ok := among[e.Type]
			if !ok && !e.Type.Head().Inline || seen[e.Type] {
				continue
			}
			seen[e.Type] = true
			if ok && i != parent {
				t.join(i, parent)
			}
			t.claim(parent, parts(e.Type), among, seen)
		}
	}
}

// parts returns the expressions in a type.
func parts(t protocol.Type) []protocol.Expr {
	switch t := t.(type) {
	case *protocol.Struct:
		return append(each.Map(t.Whole(), func(f *protocol.Field) protocol.Expr { return f.Type }), t.Extra)
	case *protocol.Union:
		return each.Map(t.Variants, func(v *protocol.Variant) protocol.Expr { return v.Type })
	}
	return nil
}

// rowTypes returns the types referenced by a table row.
func rowTypes(row change.Row) []protocol.Expr {
	var list []protocol.Type
	switch r := row.(type) {
	case *protocol.Action:
		if r.Struct != nil {
			list = append(list, r.Struct)
		}
	case *protocol.Method:
		list = append(list, r.Params, r.Result)
	case *protocol.Channel:
		if r.State != nil {
			list = append(list, r.State)
		}
	case *protocol.ErrorCode:
		list = append(list, r.Data)
	}
	var out []protocol.Expr
	for _, t := range list {
		if t != nil {
			out = append(out, protocol.Ref{Type: t})
		}
	}
	return out
}

// absorb merges a finding into a cause: the worse verdict, the reasons and the actions required.
func (c *cause) absorb(f verdict.Finding) {
	if f.Client > c.Client || f.Host > c.Host {
		c.Effects = append(slices.Clone(c.Effects), f.Effects...)
		c.Client, c.Host = max(c.Client, f.Client), max(c.Host, f.Host)
	}
	c.Disk = max(c.Disk, f.Disk)
	if f.Change.Rule == change.RenameCandidate && f.Subject == "types" {
		c.Todo = joinClauses(c.Todo, f.Todo)
		return
	}
	c.Todo = joinTodo(c.Todo, c.Else, f.Todo, f.Else)
	c.Go, c.Else = max(c.Go, f.Go), max(c.Else, f.Else)
	c.Unequal = cmp.Or(c.Unequal, f.Unequal)
}

// joinTodo merges required actions; they take precedence over optional ones.
func joinTodo(a string, forA verdict.GoEffect, b string, forB verdict.GoEffect) string {
	switch {
	case a == "" || forB > forA && b != "":
		return b
	case b == "" || forB < verdict.GoBreak || strings.Contains(a, b):
		return a
	}
	return a + "; " + b
}

// joinAlike merges equal changes of members with the same name.
func joinAlike(list []cause) []cause {
	type key struct {
		rule               change.Rule
		name, detail       string
		client, host       verdict.Verdict
		whyClient, whyHost string
		effect, beside     verdict.GoEffect
		renamed            string
	}
	out := make([]cause, 0, len(list))
	first := map[key]int{}
	for _, c := range list {
		if c.Place.OldField == nil && c.Place.NewField == nil {
			out = append(out, c)
			continue
		}
		name := member(c.Subject)
		k := key{c.Change.Rule, name, c.Detail(), c.Client, c.Host, c.Why(protocol.FromClient), c.Why(protocol.FromHost), c.Go, c.Else, c.renamed}
		if i, ok := first[k]; ok {
			out[i].alike = append(out[i].alike, c)
			out[i].Disk = max(out[i].Disk, c.Disk)
			continue
		}
		first[k] = len(out)
		out = append(out, c)
	}
	for i := range out {
		out[i] = out[i].inOrder()
	}
	return out
}

// inOrder sorts the places of a cause.
func (c cause) inOrder() cause {
	if len(c.alike) == 0 {
		return c
	}
	all := c.places()
	slices.SortStableFunc(all, func(a, b cause) int { return a.Pos().Compare(b.Pos()) })
	out := all[0]
	out.alike = all[1:]
	return out
}

// places returns a copy of a cause for each place.
func (c cause) places() []cause {
	alike := c.alike
	c.alike = nil
	return append([]cause{c}, alike...)
}

// member returns the member name in a subject.
func member(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }
