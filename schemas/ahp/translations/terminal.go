// Terminals: since 0.9.0 they say whether their process runs, and which chat has claimed them.

package translations

import (
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerTerminalLifecycle keeps the exit code of a process that has ended.
func lowerTerminalLifecycle(o *translate.Object, _ *translate.Context) error {
	lifecycle := o.Object("lifecycle")
	if o.Take("lifecycle"); lifecycle == nil {
		return nil
	}
	if code := lifecycle.Get("exitCode"); code != nil && lifecycle.Text("status") == "exited" {
		o.Set("exitCode", code)
	}
	return nil
}

// liftTerminalLifecycle takes a process without an exit code for one that runs.
func liftTerminalLifecycle(o *translate.Object, _ *translate.Context) error {
	lifecycle := &translate.Object{}
	lifecycle.SetText("status", "running")
	if code := o.Take("exitCode"); code != nil {
		lifecycle.SetText("status", "exited")
		lifecycle.Set("exitCode", code)
	}
	o.SetObject("lifecycle", lifecycle)
	return nil
}

// liftTerminalClaim adds the chat for which a session claims a terminal: the one that has claimed it for the same session, or
// else the default chat of the session. It is empty if neither is known.
func liftTerminalClaim(o *translate.Object, c *translate.Context) error {
	if o.Has("chat") {
		return nil
	}
	chat := ""
	if claim := translationKnown(c).Object("claim"); claim != nil && claim.Text("session") == o.Text("session") {
		chat = claim.Text("chat")
	}
	if chat == "" && c.State != nil {
		if session, err := translate.Parse(c.State(o.Text("session"))); err == nil {
			chat = session.Text("defaultChat")
		}
	}
	o.SetText("chat", chat)
	return nil
}
