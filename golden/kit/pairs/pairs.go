// Package pairs tests translators between two versions of an embedded protocol on random messages: that what they make is
// described by the schemas of the version that it goes to, and that they lose what their list names, and nothing else.
package pairs

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// Pair is the translator between two versions.
type Pair struct {
	*testing.T
	*generator.Translation
	Translator *translate.Version

	did map[string]map[string]bool // by function: "changed", "snapshot" and "impossible", if it did that
}

// Derive returns the translator between an embedded version and an older one of the same protocol, even if packages cannot speak
// that: what can be converted is tested all the same. Functions are those that come with the protocol, by name.
func Derive(t *testing.T, newer, older string, functions map[string]translate.Func) *Pair {
	t.Helper()
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: newer, Speaks: []string{older}}, &diags)
	require.NoError(t, err)
	found, err := g.Translations()
	if !errors.Is(err, generator.ErrFindings) || len(found) == 0 {
		require.NoError(t, err, "%v", diags.Sorted())
	}
	p := &Pair{T: t, Translation: found[0], did: map[string]map[string]bool{}}
	watched := map[string]translate.Func{}
	for name, f := range functions {
		watched[name] = p.watch(name, f)
	}
	p.Translator, err = found[0].Version.Translator(watched)
	require.NoError(t, err)
	return p
}

// watch notes what a function does.
func (p *Pair) watch(name string, f translate.Func) translate.Func {
	did := map[string]bool{}
	p.did[name] = did
	return func(o *translate.Object, c *translate.Context) error {
		before := string(o.JSON())
		err := f(o, c)
		switch {
		case errors.Is(err, translate.ErrImpossible):
			did["impossible"] = true
		case errors.Is(err, translate.ErrNeedsState) && c.State != nil:
			did["snapshot"] = true
		case string(o.JSON()) != before:
			did["changed"] = true
		}
		return err
	}
}

// sides returns the version that values of a direction come from, and the one that they go to.
func (p *Pair) sides(way int) (from, into *protocol.Protocol) {
	all := [...]*protocol.Protocol{p.Newer, p.Older}
	return all[way], all[1-way]
}

// directions returns the tables of a direction, and those of the way back.
func (p *Pair) directions(way int) (there, back *translate.Direction) {
	all := [...]*translate.Direction{&p.Translator.Lower, &p.Translator.Lift}
	return all[way], all[1-way]
}

var verbs = [...]string{"lower", "lift"}

// payload is the parameters or the result of a method that both versions have.
type payload struct {
	method      string
	params      bool
	is, becomes protocol.Type
}

// payloads lists all of a direction.
func (p *Pair) payloads(way int) []payload {
	from, into := p.sides(way)
	var out []payload
	for _, m := range from.Methods {
		target := into.Method(m.Name)
		if target == nil {
			continue
		}
		for _, one := range []payload{{m.Name, true, m.Params, target.Params}, {m.Name, false, m.Result, target.Result}} {
			if !missing(one.is) && !missing(one.becomes) {
				out = append(out, one)
			}
		}
	}
	return out
}

func missing(t protocol.Type) bool {
	s, ok := t.(*protocol.Struct)
	return t == nil || ok && s == nil
}

// convert converts a payload. Without an error, nil means that it is not sent.
func (l payload) convert(d *translate.Direction, text json.RawMessage) (json.RawMessage, error) {
	if !l.params {
		return d.Result(l.method, text, &translate.Context{})
	}
	out, err := d.Params(l.method, text, &translate.Context{})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return out[0], nil
}

func (l payload) String() string {
	if l.params {
		return "params of " + l.method
	}
	return "result of " + l.method
}

// rounds returns how often something is tried.
func rounds(few, many int) int {
	if *kit.Thorough {
		return many
	}
	return few
}

func text(t *testing.T, v any) json.RawMessage {
	t.Helper()
	out, err := json.Marshal(v)
	require.NoError(t, err, fmt.Sprint(v))
	return out
}
