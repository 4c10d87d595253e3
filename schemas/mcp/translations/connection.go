// Connections: tasks came with 2025-11-25, and so did parts of capabilities.

package translations

import "github.com/ahpgen/ahpgen/templates/wire/translate"

// lowerTask refuses a task as the answer to a request. No older peer asks for one.
func lowerTask(o *translate.Object, c *translate.Context) error {
	if o.Has("task") {
		return c.Impossible("the answer is a task")
	}
	return nil
}

// lowerCancelled leaves out what cancels no request, but a task.
func lowerCancelled(o *translate.Object, c *translate.Context) error {
	if id := string(o.Get("requestId")); id == "" || id == "null" {
		c.Drop()
	}
	return nil
}

// liftCapabilities leaves out parts of capabilities that are no objects: before 2025-11-25 they meant nothing.
func liftCapabilities(o *translate.Object, _ *translate.Context) error {
	for capability, parts := range map[string][2]string{"elicitation": {"form", "url"}, "sampling": {"context", "tools"}} {
		is := o.Object(capability)
		if is == nil {
			continue
		}
		for _, part := range parts {
			if is.Has(part) && is.Object(part) == nil {
				is.Take(part)
			}
		}
		o.SetObject(capability, is)
	}
	return nil
}
