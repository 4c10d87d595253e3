// A comparison of plain JSON values that says where they differ.

package ahp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// differences lists the places where two plain values differ, with what is there.
func differences(want, got any) []string {
	var all []string
	compare("", want, got, &all)
	return all
}

func compare(path string, want, got any, all *[]string) {
	if reflect.DeepEqual(want, got) {
		return
	}
	if w, ok := want.(jsonObject); ok {
		if g, ok := got.(jsonObject); ok {
			for _, name := range slices.Sorted(maps.Keys(spread(w, g))) {
				compare(path+"/"+name, member(w, name), member(g, name), all)
			}
			return
		}
	}
	if w, ok := want.(jsonList); ok {
		if g, ok := got.(jsonList); ok && len(w) == len(g) {
			for i := range w {
				compare(fmt.Sprintf("%s/%d", path, i), w[i], g[i], all)
			}
			return
		}
	}
	*all = append(*all, fmt.Sprintf("%s: want %s, got %s", path, show(want), show(got)))
}

// absent is what a member that is not there compares as: not the same as one that is null.
type absent struct{}

func member(o jsonObject, name string) any {
	if v, ok := o[name]; ok {
		return v
	}
	return absent{}
}

func show(v any) string {
	if v == (absent{}) {
		return "nothing"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
