// Templates of Go source. What may be put into a place depends on where the place is.

package gotext

import (
	"bytes"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"
)

// Code is text that may stand wherever code may: a literal, or an expression of identifiers.
type Code string

// Templates parses templates of Go source, which are called like their files. A place in a line comment takes any value,
// and prints it without line breaks and hidden characters. Any other place takes identifiers, numbers and [Code];
// executing a template fails if the value is something else. The function literal turns text into a Go string, literals
// a list, and lines a list into the lines of a comment, which begin with [Kept].
func Templates(files fs.FS) (*template.Template, error) {
	t, err := template.New("").Funcs(template.FuncMap{
		"literal": func(text string) Code { return Code(Literal(text)) }, "literals": literals, "lines": lines,
		guardCode: code, guardComment: comment,
	}).ParseFS(files, "*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	for _, part := range t.Templates() {
		g := guard{part.Tree}
		if inComment, err := g.list(part.Root, false); err != nil {
			return nil, err
		} else if inComment {
			return nil, fmt.Errorf("template %s: it ends in a comment", part.Name())
		}
	}
	return t, nil
}

// The functions that print what is put into places.
const (
	guardCode    = "guardCode"
	guardComment = "guardComment"
)

// code returns a value that may stand anywhere.
func code(value any) (string, error) {
	if c, ok := value.(Code); ok {
		return string(c), nil
	}
	switch v := reflect.ValueOf(value); {
	case v.Kind() == reflect.String && IsIdentifier(v.String()):
		return v.String(), nil
	case v.CanInt():
		return fmt.Sprint(v.Int()), nil
	}
	return "", fmt.Errorf("%q (%T) is no code", fmt.Sprint(value), value)
}

// Printed returns what a library prints of code, behind a text in it.
func Printed(of fmt.GoStringer, behind string) Code {
	_, text, _ := strings.Cut(of.GoString(), behind)
	return Code(strings.TrimSuffix(text, "\n"))
}

// Kept begins a line of a comment that stays as it is, whatever is done to those of the template.
const Kept = "//|"

func literals(list []string) Code {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = Literal(text)
	}
	return Code(strings.Join(out, ", "))
}

func lines(list []string) Code {
	var b strings.Builder
	for _, line := range list {
		b.WriteString(Kept + Comment(line) + "\n")
	}
	return Code(b.String())
}

// comment returns a value as part of a line of a comment.
func comment(value any) string { return Clean(fmt.Sprint(value)) }

// guard adds to each place of a template what prints its value.
type guard struct{ tree *parse.Tree }

// list adds guards to a part of the template and reports whether it ends in a comment.
func (g *guard) list(l *parse.ListNode, inComment bool) (bool, error) {
	if l == nil {
		return inComment, nil
	}
	var err error
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			inComment = endsInComment(n.Text, inComment)
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				name := guardCode
				if inComment {
					name = guardComment
				}
				n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{
					NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{parse.NewIdentifier(name).SetTree(g.tree).SetPos(n.Pos)},
				})
			}
		case *parse.IfNode:
			inComment, err = g.branch(&n.BranchNode, inComment)
		case *parse.RangeNode:
			inComment, err = g.branch(&n.BranchNode, inComment)
		case *parse.WithNode:
			inComment, err = g.branch(&n.BranchNode, inComment)
		case *parse.TemplateNode:
			if inComment {
				err = fmt.Errorf("template %s: line %d: a template in a comment", g.tree.Name, n.Line)
			}
		}
		if err != nil {
			return false, err
		}
	}
	return inComment, nil
}

// branch is list for a part that is left out or repeated: it has to end as it begins.
func (g *guard) branch(n *parse.BranchNode, inComment bool) (bool, error) {
	for _, l := range []*parse.ListNode{n.List, n.ElseList} {
		if end, err := g.list(l, inComment); err != nil {
			return false, err
		} else if end != inComment {
			return false, fmt.Errorf("template %s: line %d: a comment begins or ends within a branch", g.tree.Name, n.Line)
		}
	}
	return inComment, nil
}

// endsInComment reports whether text ends in a line comment. Two slashes behind a quote count as part of a string.
func endsInComment(text []byte, inComment bool) bool {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		text, inComment = text[i+1:], false
	}
	before, _, found := strings.Cut(string(text), "//")
	return inComment || found && !strings.ContainsAny(before, "\"'`")
}
