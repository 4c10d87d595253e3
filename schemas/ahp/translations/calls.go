// Calls that wait for a client to sign in: before 0.6.0 they run.

package translations

import (
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerStoppedCall makes a call run that waits for a client to sign in.
func lowerStoppedCall(o *translate.Object, _ *translate.Context) error {
	o.SetText("status", "running")
	o.Take("auth")
	return nil
}

// lowerCallStopped works out the status of the chat anew: the call runs before and after it. The action's data about the call is
// said with the output of the call, or with its input if there is no output.
func lowerCallStopped(o *translate.Object, c *translate.Context) error {
	known, err := c.Known()
	if err != nil {
		return err
	}
	kind := map[string]string{"chat/toolCallAuthRequired": "running", "chat/toolCallAuthResolved": "auth-required"}[o.Text("type")]
	call := translationCall(known, o)
	if call == nil || call.Text("status") != kind || !o.Has("_meta") ||
		kind == "running" && (call.Object("contributor") == nil || call.Object("contributor").Text("kind") != "mcp") {
		c.Instead(translationRefresh())
		return nil
	}
	again := translationAction("chat/toolCallContentChanged")
	switch {
	case call.Has("content"):
		again.Set("content", call.Get("content"))
	case call.Has("selectedOption"):
		return translate.ErrNeedsState
	default:
		again = translationAction("chat/toolCallReady")
		for _, name := range []string{"invocationMessage", "toolInput", "confirmed"} {
			if call.Has(name) {
				again.Set(name, call.Get(name))
			}
		}
	}
	for _, name := range []string{"turnId", "toolCallId", "_meta"} {
		again.Set(name, o.Get(name))
	}
	c.Resend(again, translationRefresh())
	return nil
}

// lowerCallContent leaves out what a call puts out that waits for a client to sign in: it does not count.
func lowerCallContent(o *translate.Object, c *translate.Context) error {
	if c.Resent() {
		return nil
	}
	known, err := c.Known()
	if err != nil {
		return err
	}
	if call := translationCall(known, o); call != nil && call.Text("status") == "auth-required" {
		c.Instead()
	}
	return nil
}

// lowerCallComplete says what becomes of a call that waits for a client to sign in. It can only fail, without a review, and keeps
// what it has put out.
func lowerCallComplete(o *translate.Object, c *translate.Context) error {
	known, err := c.Known()
	if err != nil {
		return err
	}
	call := translationCall(known, o)
	result := o.Object("result")
	if call == nil || call.Text("status") != "auth-required" || result == nil {
		return nil
	}
	if result.True("success") {
		c.Instead(translationRefresh())
		return nil
	}
	if !result.Has("content") && call.Has("content") {
		result.Set("content", call.Get("content"))
		o.SetObject("result", result)
	}
	o.Take("requiresResultConfirmation")
	return nil
}

// lowerCallReady approves a call that waits for the user before it is asked about again, which only calls that run can be, and
// repeats what stays of the question. A call that waits for a client to sign in stays as it is.
func lowerCallReady(o *translate.Object, c *translate.Context) error {
	if c.Resent() {
		return nil
	}
	known, err := c.Known()
	if err != nil {
		return err
	}
	call := translationCall(known, o)
	if call == nil {
		return nil
	}
	switch call.Text("status") {
	case "auth-required":
		c.Instead(translationRefresh())
	case "pending-confirmation":
		approved := translationAction("chat/toolCallConfirmed")
		for _, name := range []string{"turnId", "toolCallId"} {
			approved.Set(name, o.Get(name))
		}
		approved.Set("approved", translationBool(true))
		approved.SetText("confirmed", "not-needed")
		c.Before(approved)
		for _, name := range []string{"confirmationTitle", "edits", "editable", "options"} {
			if !o.Has(name) && call.Has(name) {
				o.Set(name, call.Get(name))
			}
		}
	}
	return nil
}

// liftCallReady leaves a question about a call out that waits for the user already: before 0.6.0 it does nothing.
func liftCallReady(o *translate.Object, c *translate.Context) error {
	known, err := c.Known()
	if err != nil {
		return err
	}
	if call := translationCall(known, o); call != nil && call.Text("status") == "pending-confirmation" {
		c.Instead(translationRefresh())
	}
	return nil
}
