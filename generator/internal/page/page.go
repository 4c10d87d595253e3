// Package page is what all pages that ahpgen makes have in common: their frame, their looks, what they do in a browser,
// and what files are called. It knows nothing of protocols.
package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/picture"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/templates"
)

// File is one file of a site.
type File struct {
	Name    string // with slashes, relative to the site's folder
	Content []byte
}

// Link is a link to a page.
type Link struct {
	Text, Href string
	Current    bool
}

// Section is a titled group of links.
type Section struct {
	Title string
	Links []Link
}

// Frame is the data around the content of a page. Addresses are relative to the page.
type Frame struct {
	Title    string // title of the page
	Site     string // name of the site
	Version  string // version of the protocol
	Home     string // address of the home page, or ""
	Root     string // path to the root of the site, such as "../", or ""
	Search   bool   // the site has a search index
	Sections []Section
	Contents []Link // headings of the page
	Wide     bool   // examples are placed beside the text
	Content  any    // data of the page's own template
	Words    Words  // names of the two sides, or nil for client and host

	Style  template.CSS // for self-contained pages: the style sheet
	Script template.JS  // and the script
	Policy string       // Content-Security-Policy of a self-contained page, or ""
}

// Words replaces client and host in a text by the protocol's own names. Equal values are interchangeable.
type Words interface{ In(text string) string }

// read caches the parsed templates of pages by Words. Each template is a file beside the frame.
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
		"name": visible.Name, "parted": parted, "plural": plural, "say": say, "add": func(a, b int) int { return a + b }, "arrowheads": func() template.HTML { return picture.Arrowheads },
	}).ParseFS(templates.Pages(), "*.html")
}

// hump is where a word of a name ends.
var hump = regexp.MustCompile(`([a-z0-9])([A-Z])|([./])([A-Za-z])`)

// parted returns a name that a narrow column breaks between its words.
func parted(name string) template.HTML {
	text := template.HTMLEscapeString(visible.Name(name))
	return template.HTML(hump.ReplaceAllString(text, "$1$3<wbr>$2$4")) //nolint:gosec // escaped
}

// plural formats a count with its noun.
func plural(n int, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(one, "y"))
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Render executes the named template inside the frame.
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

// Single renders a self-contained page. More are the names of assets that it alone has, without their endings.
func Single(name string, f Frame, more ...string) ([]byte, error) {
	var style, script []byte
	for _, of := range append([][2]string{{"style.css", "page.js"}}, each.Map(more, func(name string) [2]string { return [2]string{name + ".css", name + ".js"} })...) {
		css, err := asset(of[0])
		if err != nil {
			return nil, err
		}
		js, err := asset(of[1])
		if err != nil {
			return nil, err
		}
		style, script = append(style, css...), append(script, js...)
	}
	f.Style, f.Script = template.CSS(style), template.JS(script) //nolint:gosec // embedded files
	f.Policy = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src " + source(style) + "; script-src " + source(script)
	return Render(name, f)
}

// source names a style sheet or script in a Content-Security-Policy.
func source(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Assets returns the files that all pages of a site share.
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

// Search returns the script that searches and, as JSON, the groups of words that mean the same, with those of a protocol.
func Search(own [][]string) (script, synonyms []byte, err error) {
	if script, err = asset("find.js"); err != nil {
		return nil, nil, err
	}
	data, err := asset("synonyms.json")
	if err != nil {
		return nil, nil, err
	}
	var groups [][]string
	if err := json.Unmarshal(data, &groups); err != nil {
		return nil, nil, fmt.Errorf("read synonyms: %w", err)
	}
	synonyms, err = json.Marshal(append(groups, own...))
	return script, synonyms, err
}

func asset(name string) ([]byte, error) {
	data, err := fs.ReadFile(templates.Pages(), name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}
