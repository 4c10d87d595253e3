// Tests of generated packages on samples of their schemas and on instances of the corpus. The corpus test copies this file
// into a module with the packages and tables of their decoders, and runs it there.
package corpus

import (
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// value is anything generated.
type value interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// marshalled is a value that encoding/json encodes.
type marshalled struct{ of any }

func (m marshalled) AppendJSON(dst []byte) ([]byte, error) {
	text, err := json.Marshal(m.of)
	return append(dst, text...), err
}

// decoderTable has the decoders of a package by the names of definitions.
type decoderTable = map[string]func([]byte) (value, error)

// TestSamplesComeBack wants each sample and each instance to be the same value after it was decoded and encoded.
func TestSamplesComeBack(t *testing.T) {
	hearOf(func(err error) { t.Errorf("what a schema allows was dropped: %v", err) })
	for name, table := range packages {
		var samples map[string][]json.RawMessage
		read(t, name+"_samples.json", &samples)
		count := 0
		for definition, list := range samples {
			for _, sample := range list {
				count++
				comesBack(t, table, name+" "+definition, definition, sample)
			}
		}
		if count < 100 {
			t.Errorf("%s: only %d samples", name, count)
		}
		t.Logf("%s: %d samples of %d definitions", name, count, len(samples))
	}
}

// TestInstancesComeBack does the same with real instances.
func TestInstancesComeBack(t *testing.T) {
	hearOf(func(err error) { t.Errorf("what is on the wire was dropped: %v", err) })
	tried := 0
	for name, table := range packages {
		folder := filepath.Join(os.Getenv("INSTANCES"), strings.ReplaceAll(name, "_", "-"))
		var types map[string]string
		if _, err := os.Stat(filepath.Join(folder, "golden_types.json")); err != nil {
			continue // not every version comes with some
		}
		read(t, filepath.Join(folder, "golden_types.json"), &types)
		for file, definition := range types {
			data, err := os.ReadFile(filepath.Join(folder, "golden", file))
			if err != nil {
				t.Fatal(err)
			}
			comesBack(t, table, file, definition, data)
			tried++
		}
	}
	if tried == 0 {
		t.Error("there are no instances")
	}
}

// comesBack decodes a text as a definition, encodes that and compares.
func comesBack(t *testing.T, table decoderTable, what, definition string, text []byte) {
	t.Helper()
	decode := table[definition]
	if decode == nil {
		t.Errorf("%s: there is no decoder for it", what)
		return
	}
	v, err := decode(text)
	if err != nil {
		t.Errorf("%s: decode: %v\n%s", what, err, text)
		return
	}
	out, err := v.AppendJSON(nil)
	if err != nil {
		t.Errorf("%s: encode: %v\n%s", what, err, text)
		return
	}
	if !same(parse(t, text), parse(t, out)) {
		t.Errorf("%s: another value\n%s\n%s", what, text, out)
	}
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func parse(t *testing.T, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return v
}

// same compares JSON values; numbers count by value, absence and null differ.
func same(a, b any) bool {
	x, ok1 := a.(json.Number)
	y, ok2 := b.(json.Number)
	if ok1 && ok2 {
		p, _ := new(big.Rat).SetString(string(x))
		q, _ := new(big.Rat).SetString(string(y))
		return p.Cmp(q) == 0
	}
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			if other, ok := b[k]; !ok || !same(a[k], other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}
