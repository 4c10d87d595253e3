// Lives: how values with a status go from one to the next.

package reference

import (
	"html/template"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// life is the life of a value, as a page shows it.
type life struct {
	Title   string
	Href    string
	Doc     template.HTML
	Summary string
	Picture template.HTML
	Moves   []move
}

// move is one way from a status to another.
type move struct {
	Action, Href string
	Current      bool // the page is about it
	From, To     []string
	When         template.HTML
}

func (p at) allLives() []life                   { return nil }
func (p at) livesOf(a *action) []life           { return nil }
func (p at) livesOfType(t protocol.Type) []life { return nil }
func (p at) livesIn(c *protocol.Channel) []life { return nil }
