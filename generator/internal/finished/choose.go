// Choose: which finished reducers go with a package, and which helpers they need.

package finished

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// Hand is what the user wrote in the package, and what the tool emits into it besides.
type Hand interface {
	HasMethod(receiver, name string) bool // the user's, in a test or not; unchanged stubs do not count
	Taken(name string) bool               // any declaration, in a test or not
	Mentions(name string) bool            // the user's file uses the name
}

// Choice is the finished reducers of a package.
type Choice struct {
	Reducers []*golang.ActionReducer // those that are emitted
	Yours    []*golang.ActionReducer // those that would be if the user had not written one
	Starts   []Start                 // those that the user takes over, or has already

	set    *Set
	fit    *fit
	pkg    *golang.Package
	hand   Hand
	in     map[*unit]bool
	hands  int               // reducers that are not stated
	names  map[string]string // of units
	local  map[string]string // of imports, by path
	drafts map[string]Draft  // by method
}

// Start is the body with which a reducer that the user takes over starts out.
type Start struct {
	Reducer *golang.ActionReducer
	Doc     []string
	Body    string
	Imports map[string]string // path by name
}

// Draft is what the user begins with whose reducer is finished and does not fit: its body, and why.
type Draft struct {
	Start
	Why      string
	Compiles bool // the body does
}

// Choose decides on every reducer of the package that is not stated. Own lists the types of the actions that the user
// takes over.
func (s *Set) Choose(e *Emitted, own []string, hand Hand) (*Choice, error) {
	fit, err := s.check(e)
	if err != nil {
		return nil, err
	}
	c := &Choice{
		set: s, fit: fit, pkg: e.pkg, hand: hand, in: map[*unit]bool{}, names: map[string]string{}, local: map[string]string{}, drafts: map[string]Draft{},
	}
	c.name()
	var starts, drafts []*golang.ActionReducer
	receiver := c.pkg.Own("Reducer")
	for _, ch := range c.pkg.Reducers.Channels {
		for _, a := range c.pkg.Reducers.Hand(ch) {
			c.hands++
			u := c.unit(a)
			if u == nil {
				continue
			}
			if c.fit.fits(u) && !c.fit.wanted(u, a, ch.State) {
				c.fit.object(u, "it is for another state or action")
				c.fit.broken[u] = true
			}
			c.names[u.name] = a.Method
			written, owned := hand.HasMethod(receiver, a.Method), slices.Contains(own, a.Type)
			switch {
			case !c.fit.fits(u):
				if !written && !c.fit.another[u] {
					drafts = append(drafts, a)
					if !c.fit.broken[u] {
						c.addHelpers(u)
					}
				}
			case written && !owned:
				c.Yours = append(c.Yours, a)
			case owned:
				starts = append(starts, a)
				if !written {
					c.addHelpers(u)
				}
			case !written:
				c.Reducers = append(c.Reducers, a)
				c.add(u)
			}
		}
	}
	c.addMentioned()
	for _, a := range starts {
		c.Starts = append(c.Starts, c.start(a))
	}
	for _, a := range drafts {
		u := c.unit(a)
		d := Draft{c.start(a), c.fit.why[u], !c.fit.broken[u]}
		if !d.Compiles {
			d.Imports = nil
		}
		c.drafts[a.Method] = d
	}
	return c, nil
}

// unit returns the finished reducer for an action, nil if there is none.
func (c *Choice) unit(a *golang.ActionReducer) *unit { return c.set.reducerFor(a) }

// reducerFor returns the finished reducer for an action, nil if there is none: that with its name, or with that of its
// definition.
func (s *Set) reducerFor(a *golang.ActionReducer) *unit {
	for _, name := range []string{fold(strings.TrimSuffix(a.Definition, "Action")), fold(a.Method)} {
		for _, u := range s.order {
			if u.reducer == name {
				return u
			}
		}
	}
	return nil
}

// Draft returns what the user begins with who writes a reducer that is finished and does not fit.
func (c *Choice) Draft(method string) (Draft, bool) {
	if c == nil {
		return Draft{}, false
	}
	d, ok := c.drafts[method]
	return d, ok
}

// Fitting returns the number of finished reducers that fit the package, including those taken over by hand.
func (c *Choice) Fitting() int { return len(c.Reducers) + len(c.Yours) + len(c.Starts) }

// Complete reports whether there is nothing left for the user to write.
func (c *Choice) Complete() bool { return c.Fitting() == c.hands }

// Why says what keeps a finished reducer from going with the package, "" for nothing, or if the
// reducer is for other versions.
func (c *Choice) Why(a *golang.ActionReducer) string {
	u := c.unit(a)
	if u == nil || c.fit.another[u] {
		return ""
	}
	return c.fit.why[u]
}

// name finds names for helpers that nothing else in the package has.
func (c *Choice) name() {
	reducer := c.pkg.Own("Reducer")
	for _, u := range c.set.order {
		typ, name := u.receiver()
		taken := c.hand.Taken
		switch typ {
		case "":
		case "Reducer":
			taken = func(name string) bool { return c.hand.HasMethod(reducer, name) || c.isMethod(name) }
		default:
			taken = func(string) bool { return false } // the type is one of the sources
		}
		if u.reducer == "" {
			c.names[u.name] = c.free(name, taken)
		}
	}
}

// isMethod reports whether a reducer of the package has the name.
func (c *Choice) isMethod(name string) bool {
	return slices.ContainsFunc(c.pkg.Reducers.Channels, func(ch *golang.ChannelReducer) bool {
		return ch.Method == name || slices.ContainsFunc(ch.Actions, func(a *golang.ActionReducer) bool { return a.Method == name })
	})
}

func (c *Choice) free(name string, taken func(string) bool) string {
	out := name
	for i := 2; taken(out); i++ {
		for out = name + strconv.Itoa(i); c.set.words[out]; out = name + strconv.Itoa(i) {
			i++
		}
	}
	return out
}

// add takes a unit in, with all that it needs.
func (c *Choice) add(u *unit) {
	if c.in[u] {
		return
	}
	c.in[u] = true
	c.addHelpers(u)
}

func (c *Choice) addHelpers(u *unit) {
	for _, used := range c.fit.uses[u] {
		c.add(used)
	}
}

// addMentioned takes in the helpers that the user's files call: a reducer that was taken over keeps its helpers.
func (c *Choice) addMentioned() {
	for more := true; more; {
		more = false
		for _, u := range c.set.order {
			if c.in[u] || u.reducer != "" || c.fit.broken[u] || !c.hand.Mentions(c.names[u.name]) {
				continue
			}
			if typ, _ := u.receiver(); typ != "" && typ != "Reducer" && !c.in[c.set.units[typ]] {
				continue
			}
			c.add(u)
			more = true
		}
	}
}
