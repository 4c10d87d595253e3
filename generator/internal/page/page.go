// Package page is what all pages that ahpgen makes have in common: their frame, their looks, what they do in a browser,
// and what files are called. It knows nothing of protocols.
package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/generator/internal/picture"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/templates"
)

// File is one file of a site.
type File struct {
	Name    string // with slashes, relative to the site's folder
	Content []byte
}

// Link leads to a page.
type Link struct {
	Text, Href string
	Current    bool
}

// Section is a group of links beside a page.
type Section struct {
	Title string
	Links []Link
}

// Frame is what stands around the content of a page. Addresses in it are as seen from the page.
type Frame struct {
	Title    string // of the page, for the tab of a browser
	Site     string // name of the whole
	Version  string // of what it is about
	Home     string // address of the first page, "" for none
	Root     string // way to the site's folder, such as "../"; "" there
	Search   bool   // there is an index to search
	Sections []Section
	Contents []Link // what is on the page
	Wide     bool   // examples stand beside what they are about
	Content  any    // what the page's own template shows
	Words    Words  // of the two sides, nil if they are a client and a host

	Style  template.CSS // in pages that are one file: the looks,
	Script template.JS  // and what they do
}

// Words put a text about clients and hosts in the words of a protocol. Those that are alike are equal.
type Words interface{ In(text string) string }

// read has the templates of a page's content, read once for all pages with the same words. Each is the file of its name
// beside the frame.
var read sync.Map // from Words to func() (*template.Template, error)

func templatesIn(words Words) (*template.Template, error) {
	all, _ := read.LoadOrStore(words, sync.OnceValues(func() (*template.Template, error) { return parse(words) }))
	return all.(func() (*template.Template, error))()
}

func parse(words Words) (*template.Template, error) {
	say := func(text string) string { return text }
	if words != nil {
		say = words.In
	}
	return template.New("").Funcs(template.FuncMap{
		"name": visible.Name, "plural": plural, "say": say, "add": func(a, b int) int { return a + b }, "arrowheads": func() template.HTML { return picture.Arrowheads },
	}).ParseFS(templates.Pages(), "*.html")
}

// plural is a number with what there is of it.
func plural(n int, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(one, "y"))
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Render fills the template of a name with what is in the frame.
func Render(name string, f Frame) ([]byte, error) {
	all, err := templatesIn(f.Words)
	if err != nil {
		return nil, fmt.Errorf("read templates of pages: %w", err)
	}
	var content, out bytes.Buffer
	if err := all.ExecuteTemplate(&content, name+".html", f); err != nil {
		return nil, fmt.Errorf("fill template %s: %w", name, err)
	}
	whole := struct {
		Frame
		Body     template.HTML
		Pictures bool
	}{f, template.HTML(content.String()), bytes.Contains(content.Bytes(), []byte(`<svg class="picture"`))} //nolint:gosec // html/template has escaped it
	if err := all.ExecuteTemplate(&out, "frame.html", whole); err != nil {
		return nil, fmt.Errorf("fill template of frame: %w", err)
	}
	return out.Bytes(), nil
}

// Single is a page that needs no file beside it.
func Single(name string, f Frame) ([]byte, error) {
	style, err := asset("style.css")
	if err != nil {
		return nil, err
	}
	script, err := asset("page.js")
	if err != nil {
		return nil, err
	}
	f.Style, f.Script = template.CSS(style), template.JS(script) //nolint:gosec // they are embedded
	return Render(name, f)
}

// Assets are the files that all pages of a site refer to.
func Assets() ([]File, error) {
	var out []File
	for _, name := range []string{"style.css", "page.js"} {
		data, err := asset(name)
		if err != nil {
			return nil, err
		}
		out = append(out, File{path.Join("assets", name), data})
	}
	return out, nil
}

func asset(name string) ([]byte, error) {
	data, err := fs.ReadFile(templates.Pages(), name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}
