// Search: the search index, a file that pages load on first use.

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

// entry is an entry of the search index.
type entry struct {
	kind   string // kind as shown
	name   string // wire name
	goName string
	owner  string // containing type, or ""
	href   string // relative to the site
	text   string // description
}

// indexName is the file name of the search index.
const indexName = "assets/search.js"

// maxIndexed is the number of bytes of a description that are indexed.
const maxIndexed = 600

// indexMembers adds the members of a struct to the index.
func (s *site) indexMembers(t *protocol.Struct, href, owner string) {
	g := s.pkg.StructOf(t)
	for _, f := range t.Fields {
		if f.Const != nil {
			continue // its type is indexed by other names
		}
		name := ""
		if g != nil && g.Field(f.Name) != nil {
			name = g.Name + "." + g.Field(f.Name).Name
		}
		s.entries = append(s.entries, entry{kind: "member", name: f.Name, goName: name, owner: owner, href: href + memberAnchor(href, f.Name), text: markup.Text(f.Doc)})
	}
}

// index writes the search and its index as a script, so that pages opened from disk can load it.
func (s *site) index() (page.File, error) {
	script, synonyms, err := page.Search(s.p.Synonyms)
	if err != nil {
		return page.File{}, err
	}
	b := bytes.NewBuffer(script)
	b.WriteString("\nahpgenIndex([\n")
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
	b.WriteString("\n], ")
	b.Write(synonyms)
	b.WriteString(")\n")
	return page.File{Name: indexName, Content: b.Bytes()}, nil
}

// initial returns the letter a name is listed under.
func initial(name string) string {
	first := strings.ToUpper(name[:min(1, len(name))])
	if first >= "A" && first <= "Z" {
		return first
	}
	return "#"
}
