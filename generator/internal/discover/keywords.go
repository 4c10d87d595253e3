// Keywords: what unknown keywords mean whose values show it.

package discover

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// explain says what unknown keywords mean that list values of texts, or describe values, wherever they stand. It reports whether
// that is new.
func (w *writer) explain(set *schema.Set, found []diag.Diagnostic, keys map[diag.Pos]string) (added bool) {
	unknown := map[string]bool{}
	for _, d := range found {
		if key := keys[d.Pos]; key != "" && (d.Code == "unknown-keyword" || d.Code == "misspelt-keyword") {
			unknown[key] = true
		}
	}
	if len(unknown) == 0 {
		return false
	}
	holders := map[string][]*schema.Node{} // schemas by unknown keyword
	set.Visit(func(_ string, n *schema.Node) {
		for _, m := range n.Members {
			if unknown[m.Key] {
				holders[m.Key] = append(holders[m.Key], n)
			}
		}
	})
	say := func(meaning string, means func(key string, n *schema.Node) bool) {
		for key, in := range holders {
			wrong := func(n *schema.Node) bool { return !means(key, n) }
			if w.out.Keywords[key] == "" && !slices.ContainsFunc(in, wrong) {
				if w.out.Keywords == nil {
					w.out.Keywords = map[string]string{}
				}
				w.out.Keywords[key], added = meaning, true
			}
		}
	}
	say("values", func(key string, n *schema.Node) bool {
		return n.Get("type").Str() == "string" && n.Get("enum") == nil && n.Get("const") == nil && areTexts(n.Get(key))
	})
	say("valueTexts", func(key string, n *schema.Node) bool {
		texts := n.Get(key)
		if !areTexts(texts) {
			return false
		}
		return slices.ContainsFunc(n.Members, func(m schema.Member) bool {
			return (m.Key == "enum" || w.out.Keywords[m.Key] == "values") && len(m.Value.List()) == len(texts.Items)
		})
	})
	return added
}

// areTexts reports whether a value is a list of texts.
func areTexts(n *schema.Node) bool {
	list := n.List()
	return len(list) > 0 && !slices.ContainsFunc(list, func(item *schema.Node) bool { return item.Kind != schema.String })
}
