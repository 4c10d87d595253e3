// States: what looks like actions on a state, of which only a person can say that they are.

package discover

import (
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// states proposes a channel if there are a choice of actions and a state, by their names.
func (f *found) states(add func(line, format string, args ...any)) {
	like := func(ending string, is func(s *schema.Schema) bool) *schema.Definition {
		return each.First(f.set.Definitions(), func(def *schema.Definition) bool {
			return strings.HasSuffix(def.Name, ending) && def.Schema != nil && is(def.Schema)
		})
	}
	actions := like("Action", func(s *schema.Schema) bool { return len(s.Choices()) > 1 })
	state := like("State", func(s *schema.Schema) bool { return len(s.Properties) > 0 })
	if actions == nil || state == nil {
		return
	}
	name := strings.ToLower(strings.TrimSuffix(state.Name, "State"))
	if name == "" {
		name = "state"
	}
	add(fmt.Sprintf(`"actions": {"union": %q}, "channels": [{"name": %q, "uri": "%s:<id>", "prefix": "PREFIX/", "state": %q}]`, actions.Name, name, name, state.Name),
		"%s may be what changes a state, such as %s; if so, state them as actions, and the state as a channel, with what the types of its actions begin with: the package has reducers then",
		actions.Name, state.Name)
}
