package generator

import (
	"encoding/json"
	"fmt"

	"github.com/ahpgen/ahpgen/generator/internal/sample"
)

// Samples returns values of each definition of the schemas that is a type of the package: at least one for each alternative
// and for each way in which members may be left out. It is for after [Generator.Analyze]. If complete is not nil, it is
// called for each object that has members in the schemas, and may add some.
func (g *Generator) Samples(complete func(object map[string]any)) (map[string][]json.RawMessage, error) {
	sampler := &sample.Sampler{Object: complete}
	out := map[string][]json.RawMessage{}
	left := map[string]bool{}
	for _, o := range g.facts.Omissions {
		left[o.Definition] = true
	}
	for _, e := range g.facts.ErrorEnums {
		left[e.At] = true
	}
	for _, def := range g.set.Definitions() {
		if left[def.Name] {
			continue
		}
		for _, v := range sampler.Definition(def) {
			text, err := json.Marshal(v)
			if err != nil {
				return nil, fmt.Errorf("write a sample of %s: %w", def.Name, err)
			}
			out[def.Name] = append(out[def.Name], text)
		}
	}
	return out, nil
}
