package generator

import (
	"encoding/json"
	"fmt"

	"github.com/ahpgen/ahpgen/generator/internal/sample"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Samples returns values of each definition of the schemas that is a type of the package: at least one for each alternative
// and for each way in which members may be left out. It is for after [Generator.Analyze]. If complete is not nil, it is
// called for each object that has members in the schemas, and may add some.
func (g *Generator) Samples(complete func(object map[string]any)) (map[string][]json.RawMessage, error) {
	sampler := &sample.Sampler{Object: complete}
	out := map[string][]json.RawMessage{}
	for _, def := range g.set.Definitions() {
		t := g.meaning.Lookup(def.Name)
		if t == nil {
			continue // it is left out
		}
		for _, v := range sampler.Definition(def) {
			addTag(v, t)
			text, err := json.Marshal(v)
			if err != nil {
				return nil, fmt.Errorf("write a sample of %s: %w", def.Name, err)
			}
			out[def.Name] = append(out[def.Name], text)
		}
	}
	return out, nil
}

// addTag adds the constants that a definition has from the only alternative that takes it in.
func addTag(v any, t protocol.Type) {
	object, _ := v.(map[string]any)
	s, ok := t.(*protocol.Struct)
	if !ok || object == nil {
		return
	}
	for _, f := range s.Fields {
		if _, there := object[f.Name]; f.Const == nil || there {
			continue
		}
		switch f.Const.Kind {
		case protocol.Integer:
			object[f.Name] = f.Const.Int
		case protocol.Bool:
			object[f.Name] = f.Const.Bool
		default:
			object[f.Name] = f.Const.Str
		}
	}
}
