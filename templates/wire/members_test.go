// Tests of members that are skipped.

package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

// TestValuesThatNobodyReadsArePassedOver reads the member b of objects, and leaves all others alone.
func TestValuesThatNobodyReadsArePassedOver(t *testing.T) {
	for _, text := range []string{
		`{"a":1,"b":2}`, `{"b":2,"a":{"b":3,"c":[{}]}}`, `{ "a" : "x" , "b" : 2 , "c" : null }`, `{"a":{},"\u0062":2}`, `{"b":2,"é":[1]}`,
		`{"a":1 2}`, `{"b":2 3}`, `{"a":}`, `{"a":1,}`, `{"a"`, `{"a":`, `{"a":x}`, `{"b":2"c":3}`, `{"a":{}{}}`, `{"a":[1]]}`,
	} {
		d := wire.NewDecoder([]byte(text))
		b := int64(0)
		for k := d.Object(); k != nil; k = d.NextKey() {
			if string(k) == "b" {
				b = d.Int64()
			}
		}
		err := d.Finish()
		if valid := json.Valid([]byte(text)); valid != (err == nil) {
			t.Errorf("%s: %v, but json.Valid says %t", text, err, valid)
		} else if valid && b != 2 {
			t.Errorf("%s: b is %d", text, b)
		}
	}
}

func TestAnEmptyObjectTakesObjectsOnly(t *testing.T) {
	var v wire.Empty
	if err := json.Unmarshal([]byte(`{"a": [1, {"b": 2}]}`), &v); err != nil {
		t.Error(err)
	}
	if err := v.UnmarshalJSON([]byte(`[]`)); err == nil {
		t.Error("a list was taken")
	}
	if text, err := json.Marshal(v); string(text) != "{}" || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := (*wire.Empty)(nil).AppendJSON(nil); err == nil {
		t.Error("nothing was encoded")
	}
}

func TestTheFirstRowOfATableIsFound(t *testing.T) {
	type row struct {
		name string
		n    int
	}
	table := codec.Table[string, row]{Key: func(r *row) string { return r.name }, Rows: []row{{"a", 1}, {"b", 2}, {"a", 3}}}
	if r, ok := table.Find("a"); !ok || r.n != 1 {
		t.Errorf("%v, %t", r, ok)
	}
	if r, ok := table.Find("c"); ok || r.n != 0 {
		t.Errorf("%v, %t", r, ok)
	}
	if list := table.List(); len(list) != 3 {
		t.Error(list)
	}
}
