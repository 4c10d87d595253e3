// Choose: which finished reducers go with a package, and which helpers they need.

package finished

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/version"
)

// Hand is what the user wrote in the package, and what the tool emits into it besides.
type Hand interface {
	HasMethod(receiver, name string) bool // the user's, in a test or not; as the tool wrote it, it is none
	Taken(name string) bool               // any declaration, in a test or not
	Mentions(name string) bool            // the user's file uses the name
}

// Choice is the finished reducers of a package.
type Choice struct {
	Reducers []*golang.ActionReducer // those that are emitted
	Yours    []*golang.ActionReducer // those that would be if the user had not written one
	Starts   []Start                 // those that the user takes over, or has already

	set     *Set
	model   *Model
	pkg     *golang.Package
	hand    Hand
	fits    map[*unit]bool   // whether all that it reaches is declared alike
	why     map[*unit]string // what is not
	another map[*unit]bool   // it is, or needs, what is for other versions
	in      map[*unit]bool
	hands   int               // reducers that are not stated
	names   map[string]string // of units
	local   map[string]string // of imports, by path
}

// Start is the body with which a reducer that the user takes over starts out.
type Start struct {
	Reducer *golang.ActionReducer
	Doc     []string
	Body    string
	Imports map[string]string // path by name
}

// Choose decides on every reducer of the package that is not stated. Own lists the types of the actions that the user
// takes over.
func (s *Set) Choose(pkg *golang.Package, own []string, hand Hand) *Choice {
	c := &Choice{
		set: s, model: NewModel(pkg, s.uses.Types), pkg: pkg, hand: hand, fits: map[*unit]bool{}, why: map[*unit]string{}, another: map[*unit]bool{},
		in: map[*unit]bool{}, names: map[string]string{}, local: map[string]string{},
	}
	c.judge()
	c.name()
	var starts []*golang.ActionReducer
	receiver := pkg.Own("Reducer")
	for _, ch := range pkg.Reducers.Channels {
		for _, a := range pkg.Reducers.Hand(ch) {
			c.hands++
			u := s.byAction[c.model.Definition(a.Action.Name)]
			if u == nil || c.model.Definition(ch.State.Name) != u.State || !c.fits[u] {
				continue
			}
			c.names[u.Name] = a.Method
			written, owned := hand.HasMethod(receiver, a.Method), slices.Contains(own, a.Type)
			switch {
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
	return c
}

// Fitting is how many finished reducers go with the package, whoever writes them in the end.
func (c *Choice) Fitting() int { return len(c.Reducers) + len(c.Yours) + len(c.Starts) }

// Complete reports whether there is nothing left for the user to write.
func (c *Choice) Complete() bool { return c.Fitting() == c.hands }

// judge decides on every unit: it fits unless it, or one that it reaches, uses what is declared otherwise.
func (c *Choice) judge() {
	alike := make([]string, len(c.set.uses.Symbols)) // what is wrong, "" for nothing
	for i, sym := range c.set.uses.Symbols {
		if sym.Kind == Unit {
			continue
		}
		switch _, as, ok := c.model.Look(sym.Kind, sym.Type, sym.Member); {
		case !ok:
			alike[i] = "no " + sym.Kind + " " + sym.Type + " " + sym.Member
		case as != sym.As:
			alike[i] = differs(sym, as)
		}
	}
	at, err := c.set.versions.Parse(c.pkg.Version)
	if err != nil {
		at = version.Version{} // unknown: every range holds it
	}
	users := map[*unit][]*unit{}
	var wrong []*unit
	for _, u := range c.set.order {
		c.fits[u] = true
		check := func(i int) {
			if sym := c.set.symbol(i); sym.Kind == Unit {
				users[c.set.units[sym.Type]] = append(users[c.set.units[sym.Type]], u)
			} else if alike[i] != "" && c.fits[u] {
				c.fits[u], c.why[u] = false, alike[i]
			}
		}
		for i := range u.named() {
			check(i)
		}
		for _, i := range u.Needs {
			check(i)
		}
		if !u.versions.Holds(at) {
			c.fits[u], c.why[u], c.another[u] = false, "it is for versions "+u.Versions, true
		}
		if !c.fits[u] {
			wrong = append(wrong, u)
		}
	}
	for len(wrong) > 0 {
		u := wrong[0]
		wrong = wrong[1:]
		for _, user := range users[u] {
			if c.fits[user] {
				c.fits[user], c.why[user], c.another[user] = false, u.Name+": "+c.why[u], c.another[u]
				wrong = append(wrong, user)
			}
		}
	}
}

// differs says how a symbol is declared otherwise than where it was used.
func differs(sym Symbol, as string) string {
	name := strings.TrimSuffix(sym.Type+"."+sym.Member, ".")
	old, now := strings.Fields(sym.As), strings.Fields(as)
	if sym.Kind != Variants {
		return name + " is " + as + ", not " + sym.As
	}
	other := func(of, than []string) []string {
		return slices.DeleteFunc(slices.Clone(of), func(v string) bool { return slices.Contains(than, v) })
	}
	var parts []string
	if added := other(now, old); len(added) > 0 {
		parts = append(parts, "has "+strings.Join(added, ", "))
	}
	if gone := other(old, now); len(gone) > 0 {
		parts = append(parts, "lacks "+strings.Join(gone, ", "))
	}
	return name + " " + strings.Join(parts, ", and ") + ", unlike where the reducer was written"
}

// Why says what keeps a finished reducer from going with the package, "" for nothing, or if the
// reducer is for other versions.
func (c *Choice) Why(a *golang.ActionReducer) string {
	u := c.set.byAction[c.model.Definition(a.Action.Name)]
	if u == nil || c.another[u] {
		return ""
	}
	return c.why[u]
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
		if u.Action == "" {
			c.names[u.Name] = c.free(name, taken)
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
		for out = name + strconv.Itoa(i); c.set.words()[out]; out = name + strconv.Itoa(i) {
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
	for i := range u.named() {
		if sym := c.set.symbol(i); sym.Kind == Unit && sym.Type != u.Name {
			c.add(c.set.units[sym.Type])
		}
	}
}

// addMentioned takes in the helpers that the user's files call: a reducer that was taken over keeps its helpers.
func (c *Choice) addMentioned() {
	for more := true; more; {
		more = false
		for _, u := range c.set.order {
			if c.in[u] || u.Action != "" || !c.fits[u] || !c.hand.Mentions(c.names[u.Name]) {
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
