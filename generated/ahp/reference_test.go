// An executable reference of the reducers, for tests. It works on plain JSON and is written from the rules of
// the protocol alone, in the manner of a scripting language: objects are copied and spread, a member that is
// nil is absent, an untouched object is returned as it is. It knows nothing of the types of the package, so
// that it and the reducers under test can only be wrong in the same way if both read a rule wrongly.

package ahp_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

type (
	jsonObject = map[string]any
	jsonList   = []any
	// rule makes the state that follows, and returns the same map where the protocol calls the action a no-op.
	rule func(state, action jsonObject, now string) jsonObject
)

// referenceRules has one rule for each of the protocol's action types.
var referenceRules = mergeRules(rootRules, sessionRules, customizationRules, chatRules, toolCallRules, terminalRules, changesetRules,
	annotationRules, watchRules, versionRules)

func mergeRules(tables ...map[string]rule) map[string]rule {
	all := map[string]rule{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

// refer applies one action to a state; now is the text a reducer stamps changes with.
func refer(state, action jsonObject, now string) jsonObject {
	if apply, known := referenceRules[text(action, "type")]; known {
		return apply(state, action, now)
	}
	return state
}

func TestReferenceHasEveryAction(t *testing.T) {
	var want []string
	for _, a := range ahp.Actions() {
		want = append(want, string(a.Type))
	}
	slices.Sort(want)
	require.Equal(t, slices.Compact(want), slices.Sorted(maps.Keys(referenceRules)))
}

// Objects and lists.

// with copies the object and sets members, given as name and value in turn; nil removes one.
func with(o jsonObject, members ...any) jsonObject {
	o = maps.Clone(o)
	for i := 0; i < len(members); i += 2 {
		name, value := members[i].(string), members[i+1]
		if value == nil {
			delete(o, name)
		} else {
			o[name] = value
		}
	}
	return o
}

// spread makes one object out of several; later ones win.
func spread(parts ...jsonObject) jsonObject {
	all := jsonObject{}
	for _, p := range parts {
		maps.Copy(all, p)
	}
	return all
}

// pick copies those of the named members that are there.
func pick(o jsonObject, names ...string) jsonObject {
	some := jsonObject{}
	for _, n := range names {
		if v, ok := o[n]; ok {
			some[n] = v
		}
	}
	return some
}

// either is the first value unless it is absent.
func either(first, second any) any {
	if first != nil {
		return first
	}
	return second
}

func text(o jsonObject, name string) string {
	s, _ := o[name].(string)
	return s
}

// in tells whether the member holds one of the texts.
func in(o jsonObject, name string, texts ...string) bool {
	return slices.Contains(texts, text(o, name))
}

func inner(o jsonObject, name string) jsonObject {
	c, _ := o[name].(jsonObject)
	return c
}

func elements(o jsonObject, name string) jsonList {
	l, _ := o[name].(jsonList)
	return l
}

func isTrue(v any) bool { return v == true }

// identical tells whether two variables hold one map, as opposed to equal ones.
func identical(a, b jsonObject) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// find is the index of the first object whose member has the value, or -1.
func find(l jsonList, member string, value any) int {
	return slices.IndexFunc(l, func(v any) bool { return value != nil && v.(jsonObject)[member] == value })
}

// The three below never change their argument, and never return nil: an emptied list is still a list.

func appended(l jsonList, v any) jsonList { return append(append(jsonList{}, l...), v) }

func replaced(l jsonList, i int, v any) jsonList {
	l = append(jsonList{}, l...)
	l[i] = v
	return l
}

func removed(l jsonList, i int) jsonList { return append(append(jsonList{}, l[:i]...), l[i+1:]...) }

func filtered(l jsonList, keep func(jsonObject) bool) jsonList {
	some := jsonList{}
	for _, v := range l {
		if keep(v.(jsonObject)) {
			some = append(some, v)
		}
	}
	return some
}

// unlessEmpty drops a list or object that has nothing in it.
func unlessEmpty(v any) any {
	if reflect.ValueOf(v).Len() == 0 {
		return nil
	}
	return v
}

// Rules that several channels share.

// assign sets a member to what a member of the action holds; where that is absent, the member goes.
func assign(member, from string) rule {
	return func(s, a jsonObject, _ string) jsonObject { return with(s, member, a[from]) }
}

func constant(member string, value any) rule {
	return func(s, _ jsonObject, _ string) jsonObject { return with(s, member, value) }
}

func nothing(s, _ jsonObject, _ string) jsonObject { return s }

// upsert replaces the element with the same key where it stands, or appends.
func upsert(o jsonObject, member, key string, element jsonObject) jsonObject {
	l := elements(o, member)
	if i := find(l, key, element[key]); i >= 0 {
		return with(o, member, replaced(l, i, element))
	}
	return with(o, member, appended(l, element))
}

func upsertRule(member, key, from string) rule {
	return func(s, a jsonObject, _ string) jsonObject { return upsert(s, member, key, inner(a, from)) }
}

func remove(o jsonObject, member, key string, value any) jsonObject {
	l := elements(o, member)
	if i := find(l, key, value); i >= 0 {
		return with(o, member, removed(l, i))
	}
	return o
}

func removeRule(member, key, from string) rule {
	return func(s, a jsonObject, _ string) jsonObject { return remove(s, member, key, a[from]) }
}

// edit changes the element with the key, if there is one.
func edit(o jsonObject, member, key string, value any, change func(jsonObject) jsonObject) jsonObject {
	l := elements(o, member)
	i := find(l, key, value)
	if i < 0 {
		return o
	}
	old := l[i].(jsonObject)
	changed := change(old)
	if identical(old, changed) {
		return o
	}
	return with(o, member, replaced(l, i, changed))
}

func addDirectory(s, a jsonObject, _ string) jsonObject {
	if slices.Contains(elements(s, "workingDirectories"), a["directory"]) {
		return s
	}
	return with(s, "workingDirectories", appended(elements(s, "workingDirectories"), a["directory"]))
}

func removeDirectory(s, a jsonObject, _ string) jsonObject {
	if i := slices.Index(elements(s, "workingDirectories"), a["directory"]); i >= 0 {
		return with(s, "workingDirectories", removed(elements(s, "workingDirectories"), i))
	}
	return s
}

// changeConfig keeps values that are literally null: they are data, not absent members.
func changeConfig(s, a jsonObject, _ string) jsonObject {
	config := inner(s, "config")
	if config == nil {
		return s
	}
	values := spread(inner(config, "values"), inner(a, "config"))
	if isTrue(a["replace"]) {
		values = spread(inner(a, "config"))
	}
	return with(s, "config", with(config, "values", values))
}

// statusAndError keeps an error only beside the status that calls for one.
func statusAndError(o, a jsonObject) jsonObject {
	if a["status"] == "error" {
		return with(o, "status", a["status"], "error", a["error"])
	}
	return with(o, "status", a["status"], "error", nil)
}

// Bits of the status of sessions and chats.
const (
	bitIdle       = 1
	bitError      = 2
	bitInProgress = 8
	bitsNeedInput = 24
	bitNeedsInput = 16
	bitRead       = 32
	bitArchived   = 64
	bitsActivity  = 31
)

func statusBits(s jsonObject) uint64 {
	n, _ := s["status"].(json.Number)
	bits, err := strconv.ParseUint(n.String(), 10, 64)
	if err != nil {
		panic("status is no number: " + n.String())
	}
	return bits
}

func withStatus(s jsonObject, bits uint64) jsonObject { return with(s, "status", number(bits)) }

func number(n uint64) json.Number { return json.Number(strconv.FormatUint(n, 10)) }

func setFlag(bit uint64, from string) rule {
	return func(s, a jsonObject, _ string) jsonObject {
		if isTrue(a[from]) {
			return withStatus(s, statusBits(s)|bit)
		}
		return withStatus(s, statusBits(s)&^bit)
	}
}

// plain reads JSON into maps, lists, strings, bools and json.Number.
func plain(tb testing.TB, data []byte) jsonObject {
	tb.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var o jsonObject
	if err := d.Decode(&o); err != nil {
		tb.Fatalf("%v\n%s", err, data)
	}
	return o
}
