// Comparisons of JSON values, and what went from one to the other.

package ahp_test

import (
	"maps"
	"reflect"
	"slices"
)

// gone lists members that a has, b lacks, and c has otherwise, where the objects around them are the same ones.
func gone(a, b, c any, at string) []string {
	var out []string
	switch a := a.(type) {
	case object:
		b, ok := b.(object)
		c, ok2 := c.(object)
		if !ok || !ok2 {
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(a)) {
			if name == "enablement" {
				out = append(out, decisions(a[name], b[name], c[name], at)...)
				continue
			}
			if b[name] == nil && a[name] != nil {
				if !reflect.DeepEqual(a[name], c[name]) {
					out = append(out, at+"/"+name)
				}
				continue
			}
			out = append(out, gone(a[name], b[name], c[name], at+"/"+name)...)
		}
	case []any:
		for _, item := range a {
			key := identityOf(item)
			if key == "" || itemWith(a, key) == nil {
				continue
			}
			out = append(out, gone(item, itemWith(b, key), itemWith(c, key), at+"/*")...)
		}
	}
	return out
}

// decisions lists those of other scopes than a session that b lacks and c does too: what is said for a session may change.
func decisions(a, b, c any, at string) []string {
	has := func(list, d any) bool {
		return slices.ContainsFunc(items(list), func(other any) bool { return reflect.DeepEqual(d, other) })
	}
	for _, d := range items(a) {
		if d.(object)["kind"] != "session" && !has(b, d) && !has(c, d) {
			return []string{at + "/enablement"}
		}
	}
	return nil
}

func identityOf(item any) string {
	o, ok := item.(object)
	if !ok {
		return ""
	}
	if o["label"] != nil {
		return "" // an attachment
	}
	for _, name := range []string{"id", "resource", "clientId"} {
		if s, ok := o[name].(string); ok {
			return name + s
		}
	}
	return partKey(o)
}

func itemWith(list any, key string) any {
	var found any
	for _, item := range items(list) {
		if identityOf(item) == key {
			if found != nil {
				return nil // which of them it is cannot be told
			}
			found = item
		}
	}
	return found
}

// differences lists the paths at which two values differ, with an asterisk for each item.
func differences(a, b any, at string) []string {
	switch a := a.(type) {
	case object:
		if b, ok := b.(object); ok {
			var out []string
			names := slices.Sorted(maps.Keys(a))
			for name := range b {
				if _, both := a[name]; !both {
					names = append(names, name)
				}
			}
			for _, name := range names {
				va, oka := a[name]
				vb, okb := b[name]
				if !oka || !okb {
					out = append(out, at+"/"+name)
					continue
				}
				out = append(out, differences(va, vb, at+"/"+name)...)
			}
			return out
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) == len(b) {
			var out []string
			for i := range a {
				out = append(out, differences(a[i], b[i], at+"/*")...)
			}
			return out
		}
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	return []string{at}
}
