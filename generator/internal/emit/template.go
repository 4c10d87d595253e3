// Templates: what has the same shape whatever the protocol is.

package emit

import (
	"bytes"
	"strings"
	"sync"
	"text/template"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/templates"
)

// parsed are the templates by name.
var parsed = sync.OnceValues(func() (*template.Template, error) { return gotext.Templates(templates.Emitted()) })

// view is what templates see: the package, and what of it takes more than a template to say.
type view struct {
	*golang.Package
	Party *golang.Party          // the side that a template is about, if it is about one
	About *golang.ChannelReducer // the reducer that it is about
	Key   *golang.KeyFunc        // the function that returns keys
	Of    any                    // the declarations that it is about
}

// from returns what fills a file from a template, if it is wanted.
func (e *emitter) from(name string, wanted bool) func(*jenFile) {
	return func(f *jenFile) {
		if wanted {
			e.template(f, name, view{Package: e.pkg})
		}
	}
}

// sender returns what fills a file with what a side sends.
func (e *emitter) sender(side int, wanted bool) func(*jenFile) {
	return func(f *jenFile) {
		if wanted {
			e.template(f, "sender", view{Package: e.pkg, Party: e.pkg.RPC.Sides[side]})
		}
	}
}

// template adds declarations that a template prints.
func (e *emitter) template(f *jenFile, name string, about any) {
	f.flush()
	f.piece(func() ([]byte, error) { return e.filled(name, about) })
}

// filled executes a template.
func (e *emitter) filled(name string, about any) ([]byte, error) {
	t, err := parsed()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name+".go.tmpl", about); err != nil {
		return nil, err
	}
	return e.broken(b.String()), nil
}

// declarations returns what a template prints about something, in parts between which there are blank lines. An error is a
// mistake in the template, as a panic is one in a function.
func (e *emitter) declarations(name string, of any) []string {
	text, err := e.filled(name, view{Package: e.pkg, Of: of})
	if err != nil {
		panic(err)
	}
	return each.Where(strings.Split(strings.Trim(string(text), "\n"), "\n\n"), func(part string) bool { return part != "" })
}

// broken breaks the comments of declarations between words, and says them in the words of the protocol.
func (e *emitter) broken(text string) []byte {
	var b bytes.Buffer
	var paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			for _, line := range e.told(strings.Join(paragraph, " ")) {
				b.WriteString(gotext.Comment(line) + "\n")
			}
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if kept, ok := strings.CutPrefix(strings.TrimLeft(line, "\t"), gotext.Kept); ok {
			end()
			b.WriteString(kept + "\n")
			continue
		}
		if words, ok := strings.CutPrefix(strings.TrimSpace(line), "// "); ok {
			paragraph = append(paragraph, words)
			continue
		}
		end()
		b.WriteString(line + "\n")
	}
	end()
	return b.Bytes()
}
