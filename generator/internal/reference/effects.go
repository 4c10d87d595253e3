// Effects: what an action is stated to do, step by step.

package reference

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/visible"
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
		s := step{Do: operation(e)}
		if e.When != nil {
			s.When = condition(e.When)
		}
		switch do := e.Do.(type) {
		case *protocol.Patch:
			s.Steps = steps(do.Effects)
		case *protocol.Remove:
			s.Steps = steps(do.Then)
		}
		out = append(out, s)
	}
	return out
}

// sentence fills marks in a text: each %s is shown as code.
func sentence(format string, parts ...string) template.HTML {
	escaped := make([]any, len(parts))
	for i, p := range parts {
		escaped[i] = "<code>" + template.HTMLEscapeString(visible.Name(p)) + "</code>"
	}
	return template.HTML(fmt.Sprintf(format, escaped...)) //nolint:gosec // the parts are escaped, the format is a constant
}

// fromAction is a member of the action, as in "action.content".
func fromAction(p protocol.Path) string {
	if len(p) == 0 {
		return "action"
	}
	return "action." + p.String()
}

// inState is a member of the state, or of what is being changed.
func inState(p protocol.Path) string {
	if len(p) == 0 {
		return "state"
	}
	return p.String()
}

func keyed(k protocol.Key) string {
	if len(k.Paths) == 0 {
		return "item"
	}
	var list []string
	for _, path := range k.Paths {
		list = append(list, strings.Join(path, "."))
	}
	return strings.Join(list, " or ")
}

// operation says what an effect does.
func operation(e *protocol.Effect) template.HTML {
	target := inState(e.Target)
	switch do := e.Do.(type) {
	case *protocol.Set:
		switch {
		case do.Empty:
			return sentence("Empties %s.", target)
		case do.Value != nil:
			return sentence("Sets %s to %s.", target, value(*do.Value))
		}
		return sentence("Sets %s to %s.", target, fromAction(do.From))
	case *protocol.Clear:
		return sentence("Takes %s away.", target)
	case *protocol.Flag:
		return flag(do, target)
	case *protocol.Upsert:
		if len(do.Key.Paths) == 0 {
			return sentence("Adds %s to %s, unless it is there already.", fromAction(do.From), target)
		}
		return sentence("Puts %s into %s: in the place of the item with the same %s, or else at the end.", fromAction(do.From), target, keyed(do.Key))
	case *protocol.Remove:
		if do.Every {
			return sentence("Removes from %s every item whose %s is %s.", target, keyed(do.Key), fromAction(do.From))
		}
		return sentence("Removes from %s the item whose %s is %s.", target, keyed(do.Key), fromAction(do.From))
	case *protocol.Merge:
		if do.Replace != nil {
			return sentence("Merges %s into %s. If %s, the old entries go first.", fromAction(do.From), target, fromAction(do.Replace))
		}
		return sentence("Merges %s into %s.", fromAction(do.From), target)
	case *protocol.Patch:
		return patch(do, target)
	case *protocol.Append:
		return sentence("Appends %s to %s.", fromAction(do.From), target)
	case *protocol.Reorder:
		if do.Complete {
			return sentence("Puts the items of %s into the order of %s by %s, if that names each of them, and each once.", target, fromAction(do.From), keyed(do.Key))
		}
		return sentence("Puts the items of %s into the order of %s by %s. The others follow as they were.", target, fromAction(do.From), keyed(do.Key))
	}
	return sentence("Changes %s.", target)
}

func flag(do *protocol.Flag, target string) template.HTML {
	bits := func(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }
	switch {
	case do.From != nil:
		return sentence("Sets the bits %s of %s if %s, and clears them otherwise.", bits(do.Bits), target, fromAction(do.From))
	case do.Bits == 0:
		return sentence("Clears the bits %s of %s.", bits(do.Mask), target)
	case do.Mask&^do.Bits == 0:
		return sentence("Sets the bits %s of %s.", bits(do.Bits), target)
	}
	return sentence("Clears the bits %s of %s and sets %s.", bits(do.Mask), target, bits(do.Bits))
}

func patch(do *protocol.Patch, target string) template.HTML {
	which := "the item"
	if do.Every {
		which = "every item"
	}
	switch {
	case len(do.Key.Paths) == 0 && do.From == nil:
		return sentence("Changes %s, if it is there:", target)
	case do.Variant != nil:
		return sentence("Changes in %s "+which+" whose %s is %s, if it is a %s:", target, keyed(do.Key), fromAction(do.From), do.Variant.Name)
	}
	return sentence("Changes in %s "+which+" whose %s is %s:", target, keyed(do.Key), fromAction(do.From))
}

func value(v protocol.Value) string {
	if v.Kind == protocol.String {
		return strconv.Quote(v.Str)
	}
	return v.String()
}

func condition(c *protocol.Condition) template.HTML {
	switch {
	case c.Present != nil:
		return sentence("If %s is there:", fromAction(c.Present))
	case c.Is != nil:
		return sentence("If %s is %s:", fromAction(c.Member), value(*c.Is))
	}
	return sentence("If %s is %s:", inState(c.State), fromAction(c.Equals))
}
