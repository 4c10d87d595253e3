// Validity: what translators make is described by the schemas of the version that it goes to.

package pairs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// Valid converts random parameters and results of every method in both directions, and an example of each. What comes out is
// described by the schemas of the other version, and what is lowered is the same if it is lifted and lowered once more. It
// returns how many were converted, impossible and left out.
func (p *Pair) Valid() map[string]int {
	p.Helper()
	count := map[string]int{}
	for way := range verbs {
		from, into := p.sides(way)
		other := described(p.T, into)
		for _, l := range p.payloads(way) {
			p.convertible(count, way, l, json.RawMessage(inside.Example(from, l.is)), other)
			for round := range rounds(30, 3000) {
				value := newMaker(uint64(2*round+way)).of(protocol.Ref{Type: l.is}, "", 0)
				p.convertible(count, way, l, text(p.T, value), other)
			}
		}
	}
	return count
}

func (p *Pair) convertible(count map[string]int, way int, l payload, text json.RawMessage, other map[string]*jsonschema.Schema) {
	p.Helper()
	there, back := p.directions(way)
	out, err := l.convert(there, text)
	switch {
	case errors.Is(err, translate.ErrImpossible):
		count[verbs[way]+" impossible"]++
		return
	case err != nil:
		p.Fatalf("%s: %s: %v", l, text, err)
	case out == nil:
		count[verbs[way]+" left out "+l.method]++
		return
	}
	count[verbs[way]]++
	s := other[l.becomes.Head().Name]
	require.NotNil(p.T, s, "%s: %s", l, l.becomes.Head().Name)
	var value any
	require.NoError(p.T, json.Unmarshal(out, &value), "%s", out)
	require.NoError(p.T, s.Validate(value), "%s: %s\nbecame\n%s", l, text, out)
	if there == &p.Translator.Lower {
		lifted, err := l.convert(back, out)
		require.NoError(p.T, err, "%s: %s", l, out)
		again, err := l.convert(there, lifted)
		require.NoError(p.T, err, "%s: %s", l, lifted)
		require.JSONEq(p.T, string(out), string(again))
	}
}

// described returns the definitions of a version as validators.
func described(t *testing.T, p *protocol.Protocol) map[string]*jsonschema.Schema {
	t.Helper()
	folder, _, err := schemas.Protocol(p.Name + "@" + p.Version)
	require.NoError(t, err)
	dir := t.TempDir()
	files, err := fs.Glob(folder, "*.schema.json")
	require.NoError(t, err)
	texts := map[string][]byte{}
	for _, name := range files {
		data, err := fs.ReadFile(folder, name)
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(dir, name), string(data))
		texts[filepath.Join(dir, name)] = data
	}
	out := map[string]*jsonschema.Schema{}
	for file, data := range texts {
		var content struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		require.NoError(t, json.Unmarshal(data, &content))
		for name := range content.Defs {
			out[name], err = jsonschema.Compile("file://" + filepath.ToSlash(file) + "#/$defs/" + strings.ReplaceAll(name, "/", "~1"))
			require.NoError(t, err)
		}
	}
	return out
}
