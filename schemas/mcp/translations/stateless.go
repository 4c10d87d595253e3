// Requests that stand for themselves: since 2026-07-28 each says its version and what the client can do, and a result may ask for
// input instead.

package translations

import (
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// translationReserved is what names of the protocol begin with.
const translationReserved = "io.modelcontextprotocol/"

// dropReserved leaves out names of the protocol, which the other version lacks or has with another type.
func dropReserved(o *translate.Object, _ *translate.Context) error {
	meta := o.Object("_meta")
	if meta == nil {
		return nil
	}
	for _, name := range meta.Names() {
		if strings.HasPrefix(name, translationReserved) {
			meta.Take(name)
		}
	}
	o.SetObject("_meta", meta)
	return nil
}

// liftRequest says which version a request is in, and that nothing is known of what the client can do.
func liftRequest(o *translate.Object, c *translate.Context) error {
	if err := dropReserved(o, c); err != nil {
		return err
	}
	meta := o.Object("_meta")
	if meta == nil {
		meta = &translate.Object{}
	}
	meta.SetText(translationReserved+"protocolVersion", "2026-07-28")
	meta.SetObject(translationReserved+"clientCapabilities", &translate.Object{})
	o.SetObject("_meta", meta)
	return nil
}

// lowerInput refuses a result that asks for input, as its type says, or that answers nothing.
func lowerInput(o *translate.Object, c *translate.Context) error {
	if o.Text("resultType") == "input_required" || !o.Has("content") && !o.Has("messages") && !o.Has("contents") {
		return c.Impossible("the result asks for input")
	}
	return nil
}

// liftTask refuses a task as the result of a call.
func liftTask(o *translate.Object, c *translate.Context) error {
	if o.Has("task") {
		return c.Impossible("the result is a task")
	}
	return nil
}

// lowerStructured leaves out structured content that is no object.
func lowerStructured(o *translate.Object, _ *translate.Context) error {
	if o.Object("structuredContent") == nil {
		o.Take("structuredContent")
	}
	return nil
}

// liftCancelled leaves out what cancels no request, but a task.
func liftCancelled(o *translate.Object, c *translate.Context) error {
	if id := string(o.Get("requestId")); id == "" || id == "null" {
		c.Drop()
	}
	return nil
}
