// Tools and chats of versions before 0.7.0: input that is not a text, results of terminals, and where a chat comes from.

package translations

import (
	"bytes"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerToolDelta says that nothing was added to the input.
func lowerToolDelta(o *translate.Object, _ *translate.Context) error {
	if !o.Has("content") {
		o.SetText("content", "")
	}
	return nil
}

// lowerToolReady repeats the input of a call, because an older peer forgets it otherwise. Who contributed the tool and what for
// cannot change there, which needs a snapshot.
func lowerToolReady(o *translate.Object, c *translate.Context) error {
	known, err := c.Known()
	if err != nil {
		return err
	}
	call := translationCall(known, o)
	if call == nil {
		return nil
	}
	for _, name := range []string{"contributor", "intention"} {
		if o.Has(name) && !bytes.Equal(o.Get(name), call.Get(name)) {
			return translate.ErrNeedsState
		}
	}
	if !o.Has("toolInput") && translationHasText(call, "toolInput") {
		o.Set("toolInput", call.Get("toolInput"))
	}
	return nil
}

// lowerToolApproved leaves out an edited input if there was none, or no text: a newer peer passes over it then.
func lowerToolApproved(o *translate.Object, c *translate.Context) error {
	known, err := c.Known()
	if err != nil || !o.Has("editedToolInput") {
		return err
	}
	if call := translationCall(known, o); call != nil && !translationHasText(call, "toolInput") {
		o.Take("editedToolInput")
	}
	return nil
}

// translationCall returns the call of the open turn that an action is about, or nil.
func translationCall(chat, action *translate.Object) *translate.Object {
	turn := chat.Object("activeTurn")
	if turn == nil || turn.Text("id") != action.Text("turnId") {
		return nil
	}
	for _, item := range turn.Items("responseParts") {
		part, err := translate.Parse(item)
		if err != nil {
			continue
		}
		if call := part.Object("toolCall"); call != nil && call.Text("toolCallId") == action.Text("toolCallId") {
			return call
		}
	}
	return nil
}

func translationHasText(o *translate.Object, member string) bool {
	d := wire.NewDecoder(o.Get(member))
	return d.Kind() == '"'
}

// lowerChatSource keeps the chat that is copied. Chats cannot begin beside another one.
func lowerChatSource(o *translate.Object, c *translate.Context) error {
	source := o.Object("source")
	if source == nil {
		return nil
	}
	if source.Has("kind") && source.Text("kind") != "fork" {
		return c.Impossible("a chat cannot begin beside another one")
	}
	source.Take("kind")
	o.SetObject("source", source)
	return nil
}

// translationResult are the members of a terminal's result.
var translationResult = []string{"exitCode", "preview", "truncated"}

// lowerTerminalResult says of a terminal with a result that its command has ended.
func lowerTerminalResult(o *translate.Object, _ *translate.Context) error {
	result := o.Object("result")
	if result == nil {
		return nil
	}
	o.SetText("type", "terminalComplete")
	o.Take("result")
	o.Take("title")
	if o.Text("resource") == "" {
		o.Take("resource")
	}
	for _, name := range translationResult {
		if value := result.Get(name); value != nil {
			o.Set(name, value)
		}
	}
	return nil
}

// liftTerminalComplete makes a terminal with a result of a command that has ended.
func liftTerminalComplete(o *translate.Object, _ *translate.Context) error {
	result := &translate.Object{}
	for _, name := range translationResult {
		if value := o.Take(name); value != nil {
			result.Set(name, value)
		}
	}
	o.Take("cwd")
	o.SetText("type", "terminal")
	if !o.Has("resource") {
		o.SetText("resource", "")
	}
	o.SetText("title", "")
	o.SetObject("result", result)
	return nil
}
