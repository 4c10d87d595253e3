// Sampling: since 2025-11-25 a message may have several blocks, and calls of tools among them.

package translations

import "github.com/ahpgen/ahpgen/templates/wire/translate"

// lowerSampled takes the only block out of its list.
func lowerSampled(o *translate.Object, c *translate.Context) error {
	switch blocks := o.Items("content"); {
	case blocks == nil:
	case len(blocks) != 1:
		return c.Impossible("a message has several blocks, or none")
	default:
		o.Set("content", blocks[0])
	}
	return nil
}

// lowerSamplingBlock refuses calls of tools and their results.
func lowerSamplingBlock(o *translate.Object, c *translate.Context) error {
	switch kind := o.Text("type"); kind {
	case "tool_use", "tool_result":
		return c.Impossible("a block of a message is a " + kind)
	}
	return nil
}
