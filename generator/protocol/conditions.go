// Conditions of effects.

package protocol

import (
	"fmt"
	"strings"
)

// Condition limits an effect. Exactly one form is used.
type Condition struct {
	Not bool // the condition must not hold

	Present Path // the member of the action is present

	Member Path   // the member of the action
	Is     *Value // has this value

	State  Path // the member of the state or the patched object; if an object on the way is absent, it equals nothing
	Equals Path // equals this member of the action

	Empty Path // the list or map of the state or the patched object has no items, or is absent

	Only    Path    // the list of the state or the patched object has no items
	Variant *Struct // but those of this variant
}

// Text describes the condition. Different conditions have different texts.
func (c *Condition) Text() string {
	if c.Not {
		holds := *c
		holds.Not = false
		return "not " + holds.Text()
	}
	switch {
	case c.Is != nil:
		return fmt.Sprintf("%s is %q", c.Member.String(), c.Is.String())
	case len(c.Empty) > 0:
		return "state " + c.Empty.String() + " is empty"
	case len(c.Only) > 0:
		return "state " + c.Only.String() + " is only " + c.Variant.Name
	case len(c.State) > 0:
		return "state " + c.State.String() + " equals " + c.Equals.String()
	}
	return c.Present.String() + " is there"
}

// Conditions describes for people what has to hold.
func (e *Effect) Conditions() Words {
	var all, names []string
	for _, c := range e.When {
		words := c.words()
		all, names = append(all, words.Sentence), append(names, words.Names...)
	}
	return Words{}.of("If "+strings.Join(all, " and ")+":", names...)
}

// words describes the condition for people.
func (c *Condition) words() Words {
	is := map[bool]string{false: "is", true: "is not"}[c.Not]
	switch {
	case c.Present != nil:
		return Words{}.of("%s "+is+" there", c.Present.inAction())
	case c.Is != nil:
		return Words{}.of("%s "+is+" %s", c.Member.inAction(), c.Is.code())
	case c.Empty != nil:
		return Words{}.of("%s "+is+" empty then", c.Empty.inState())
	case c.Only != nil && c.Not:
		return Words{}.of("%s then has an item that is no %s", c.Only.inState(), c.Variant.Name)
	case c.Only != nil:
		return Words{}.of("%s then has no items but %s", c.Only.inState(), c.Variant.Name)
	}
	return Words{}.of("%s "+is+" %s", c.State.inState(), c.Equals.inAction())
}
