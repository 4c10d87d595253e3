// Effects: what an action is stated to do, step by step.

package reference

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// step is one effect, with those inside it.
type step struct {
	When  template.HTML // "" for always
	Do    template.HTML
	Steps []step
}

// steps puts effects into words.
func steps(effects []*protocol.Effect) []step {
	var out []step
	for _, e := range effects {
		words := e.Do.Words(e.Target)
		s := step{Do: sentence(words), Steps: steps(slices.Concat(words.Inside, words.Then))}
		if e.When != nil {
			s.When = sentence(e.When.Words())
		}
		out = append(out, s)
	}
	return out
}

// sentence shows words with what is named in them as code.
func sentence(w protocol.Words) template.HTML {
	escaped := make([]any, len(w.Names))
	for i, name := range w.Names {
		escaped[i] = "<code>" + template.HTMLEscapeString(visible.Name(name)) + "</code>"
	}
	return template.HTML(fmt.Sprintf(w.Sentence, escaped...)) //nolint:gosec // the names are escaped, the sentence is a constant
}
