// Times of turns: since 0.6.0 it is said when they began and how long they took.

package translations

import (
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// liftTurnStart says that a turn begins now.
func liftTurnStart(o *translate.Object, c *translate.Context) error {
	if !o.Has("startedAt") {
		o.SetText("startedAt", c.Time())
	}
	return nil
}

// liftTurnEnd says that a turn has taken until now since it began, or no time if that is not known.
func liftTurnEnd(o *translate.Object, c *translate.Context) error {
	if o.Has("duration") {
		return nil
	}
	o.Set("duration", translationInt(0))
	turn := translationKnown(c).Object("activeTurn")
	if turn == nil || turn.Text("id") != o.Text("turnId") {
		return nil
	}
	began, err := time.Parse(time.RFC3339, turn.Text("startedAt"))
	ended, err2 := time.Parse(time.RFC3339, c.Time())
	if err == nil && err2 == nil && ended.After(began) {
		o.Set("duration", translationInt(ended.UnixMilli()-began.UnixMilli()))
	}
	return nil
}

// liftOpenTurn says that the open turn began when the chat was last modified.
func liftOpenTurn(o *translate.Object, _ *translate.Context) error {
	if turn := o.Object("activeTurn"); turn != nil && !turn.Has("startedAt") && o.Has("modifiedAt") {
		turn.Set("startedAt", o.Get("modifiedAt"))
		o.SetObject("activeTurn", turn)
	}
	return nil
}
