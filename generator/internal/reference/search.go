// Search: what can be looked for, as a file that a page loads once somebody does.

package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/markup"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// entry is one thing that can be found.
type entry struct {
	kind   string // what it is, for people
	name   string // on the wire
	goName string
	owner  string // what it is a part of, "" for none
	href   string // relative to the site
	text   string // what is said of it
}

// indexName is the file that pages load to search.
const indexName = "assets/search.js"

// maxIndexed is how much of a description can be searched.
const maxIndexed = 600

// indexMembers notes the members of a struct.
func (s *site) indexMembers(t *protocol.Struct, href, owner string) {
	g := s.pkg.StructOf(t)
	for _, f := range t.Fields {
		if f.Const != nil {
			continue // its type is found by other names
		}
		name := ""
		if g != nil && g.Field(f.Name) != nil {
			name = g.Name + "." + g.Field(f.Name).Name
		}
		s.entries = append(s.entries, entry{kind: "member", name: f.Name, goName: name, owner: owner, href: href + memberAnchor(href, f.Name), text: markup.Text(f.Doc)})
	}
}

// index writes the file: a call with a list of lists, so that pages can load it from a disk as well.
func (s *site) index() (page.File, error) {
	var b bytes.Buffer
	b.WriteString("ahpgenIndex([\n")
	for i, e := range s.entries {
		text := []rune(e.text)
		row := []string{e.kind, visible.Name(e.name), visible.Name(e.goName), visible.Name(e.owner), e.href, string(text[:min(len(text), maxIndexed)])}
		for len(row) > 0 && row[len(row)-1] == "" {
			row = row[:len(row)-1]
		}
		data, err := json.Marshal(row)
		if err != nil {
			return page.File{}, fmt.Errorf("write search index: %w", err)
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		b.Write(data)
	}
	b.WriteString("\n])\n")
	return page.File{Name: indexName, Content: b.Bytes()}, nil
}

// initial is the letter under which a name stands in a list.
func initial(name string) string {
	first := strings.ToUpper(name[:min(1, len(name))])
	if first >= "A" && first <= "Z" {
		return first
	}
	return "#"
}
