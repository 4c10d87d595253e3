// Effects: the stated effects of an action, step by step.

package reference

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// step is one effect with its nested effects.
type step struct {
	When  template.HTML // "" if unconditional
	Do    template.HTML
	Steps []step
}

// steps describes effects in words.
func steps(effects []*protocol.Effect) []step {
	var out []step
	for _, e := range effects {
		words := e.Do.Words(e.Target)
		s := step{Do: sentence(words), Steps: steps(slices.Concat(words.Inside, words.Then))}
		if len(e.When) > 0 {
			s.When = sentence(e.Conditions())
		}
		out = append(out, s)
	}
	return out
}

// sentence formats a sentence with the names in it as code.
func sentence(w protocol.Words) template.HTML {
	escaped := make([]any, len(w.Names))
	for i, name := range w.Names {
		escaped[i] = "<code>" + template.HTMLEscapeString(visible.Name(name)) + "</code>"
	}
	return template.HTML(fmt.Sprintf(w.Sentence, escaped...)) //nolint:gosec // names are escaped and the sentence is constant
}
