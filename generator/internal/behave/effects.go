// Stated effects, applied to states as decoded JSON.

package behave

import (
	"maps"
	"reflect"
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/state"
)

// reducer applies the effects of one action.
type reducer struct {
	action map[string]any
	lost   bool // the result is not known
}

// at returns the value at a path, nil if there is none.
func at(v any, path protocol.Path) any {
	for _, f := range path {
		object, _ := v.(map[string]any)
		v = object[f.Name]
	}
	return v
}

func (r *reducer) from(path protocol.Path) any { return clone(at(r.action, path)) }

func (r *reducer) text(path protocol.Path) string {
	text, _ := at(r.action, path).(string)
	return text
}

// apply applies effects to an object.
func (r *reducer) apply(effects []*protocol.Effect, on map[string]any) bool {
	changed := false
	for _, e := range effects {
		if !slices.ContainsFunc(e.When, func(c *protocol.Condition) bool { return r.holds(c, on) == c.Not }) {
			changed = r.effect(e, on) || changed
		}
	}
	return changed
}

// holds reports whether a condition holds, if it is not negated.
func (r *reducer) holds(c *protocol.Condition, on map[string]any) bool {
	switch {
	case c.Present != nil:
		return at(r.action, c.Present) != nil
	case c.Empty != nil:
		v := reflect.ValueOf(at(on, c.Empty))
		return !v.IsValid() || v.Len() == 0
	case c.Only != nil:
		list, _ := at(on, c.Only).([]any)
		return !slices.ContainsFunc(list, func(item any) bool {
			object, _ := item.(map[string]any)
			is, _ := c.Variant.Describes(object)
			return !is
		})
	case c.Member != nil:
		return at(r.action, c.Member) == c.Is.Plain()
	}
	v := at(on, c.State)
	return v != nil && reflect.DeepEqual(v, at(r.action, c.Equals))
}

func (r *reducer) effect(e *protocol.Effect, on map[string]any) bool {
	if merge, ok := e.Do.(*protocol.Merge); ok && merge.Members != nil {
		into, ok := at(on, e.Target).(map[string]any)
		return ok && r.mergeMembers(merge, into)
	}
	holder, ok := at(on, e.Target[:len(e.Target)-1]).(map[string]any)
	if !ok {
		return false
	}
	name := e.Target.Last().Name
	old, there := holder[name]
	v := r.operate(e, old)
	if v == nil && r.isNull(e) {
		holder[name] = nil
		return !there || old != nil
	}
	if v == nil {
		delete(holder, name)
		return there
	}
	holder[name] = v
	if remove, ok := e.Do.(*protocol.Remove); ok && length(v) < length(old) {
		r.apply(remove.Then, on)
	}
	return !there || !reflect.DeepEqual(old, v)
}

// isNull reports whether an effect sets a member to null, which is not the same as being absent.
func (r *reducer) isNull(e *protocol.Effect) bool {
	set, ok := e.Do.(*protocol.Set)
	if !ok || len(set.From) == 0 {
		return false
	}
	holder, _ := at(r.action, set.From[:len(set.From)-1]).(map[string]any)
	v, there := holder[set.From.Last().Name]
	f := e.Target.Last()
	return there && v == nil && (f.Nullable || protocol.Underlying(f.Type) == protocol.Any)
}

func (r *reducer) mergeMembers(do *protocol.Merge, into map[string]any) bool {
	changed := false
	for _, m := range do.Members {
		if v := r.from(append(slices.Clone(do.From), m.From)); v != nil {
			into[m.To.Name], changed = v, true
		}
	}
	return changed
}

// operate returns the value of a member after an operation; nil means absent.
func (r *reducer) operate(e *protocol.Effect, old any) any {
	switch do := e.Do.(type) {
	case *protocol.Set:
		switch {
		case do.Empty:
			if _, isMap := protocol.Underlying(e.Target.Last().Type).(protocol.Map); isMap {
				return map[string]any{}
			}
			return []any{}
		case do.Value != nil:
			return do.Value.Plain()
		}
		return r.from(do.From)
	case *protocol.Clear:
		return nil
	case *protocol.Flag:
		return r.flag(do, old)
	case *protocol.Merge:
		return r.merge(do, old)
	case *protocol.Patch:
		if object, ok := old.(map[string]any); ok {
			item := any(object)
			if key, ok := keyOf(do.Key)(&item); len(do.Key.Paths) == 0 || ok && key == r.text(do.From) {
				r.apply(do.Effects, object)
			}
			return object
		}
	case *protocol.Append:
		if protocol.Underlying(e.Target.Last().Type) == protocol.String {
			text, _ := old.(string)
			return text + r.text(do.From)
		}
	}
	list, isList := old.([]any)
	if old != nil && !isList {
		r.lost = true
		return old
	}
	if r.list(e.Do, &list) {
		return list
	}
	return old
}

func length(v any) int {
	list, _ := v.([]any)
	return len(list)
}

// list changes a list, and reports whether it did.
func (r *reducer) list(do protocol.Operation, list *[]any) bool {
	switch do := do.(type) {
	case *protocol.Upsert:
		if len(do.Key.Paths) == 0 && slices.Contains(*list, r.from(do.From)) {
			return false
		}
		return state.Upsert(list, r.from(do.From), keyOf(do.Key))
	case *protocol.Remove:
		if do.Every {
			return state.RemoveAll(list, r.text(do.From), keyOf(do.Key))
		}
		return state.Remove(list, r.text(do.From), keyOf(do.Key))
	case *protocol.Exchange:
		if do.Old == nil {
			return state.ExchangeSame(list, r.from(do.From), keyOf(do.Key))
		}
		return state.Exchange(list, r.from(do.From), r.text(do.Old), keyOf(do.Key))
	case *protocol.Reorder:
		if do.Complete {
			return state.ReorderAll(list, r.texts(do.From), keyOf(do.Key))
		}
		return state.Reorder(list, r.texts(do.From), keyOf(do.Key))
	case *protocol.Append:
		return state.AppendItem(list, r.from(do.From))
	case *protocol.Patch:
		return r.patch(do, list)
	}
	r.lost = true
	return false
}

// patch changes the items with a key, or the first of them.
func (r *reducer) patch(do *protocol.Patch, list *[]any) bool {
	change := func(item *any) bool {
		object, ok := (*item).(map[string]any)
		if !ok {
			return false
		}
		if do.Variant != nil {
			if is, _ := do.Variant.Describes(object); !is {
				return false
			}
		}
		return r.apply(do.Effects, object)
	}
	if do.Every {
		return state.PatchItems(list, r.texts(do.From), keyOf(do.Key), change)
	}
	return state.PatchItem(list, r.text(do.From), keyOf(do.Key), change)
}

// texts returns a list of keys, or the one that there is.
func (r *reducer) texts(path protocol.Path) []string {
	var out []string
	v := at(r.action, path)
	if text, ok := v.(string); ok {
		return []string{text}
	}
	list, _ := v.([]any)
	for _, item := range list {
		text, _ := item.(string)
		out = append(out, text)
	}
	return out
}

func (r *reducer) flag(do *protocol.Flag, old any) any {
	bits, _ := old.(int64)
	on, _ := at(r.action, do.From).(bool)
	switch {
	case do.From == nil:
		return bits&^int64(do.Mask) | int64(do.Bits) //nolint:gosec // bits are bits
	case on:
		return bits | int64(do.Bits) //nolint:gosec // bits are bits
	}
	return bits &^ int64(do.Bits) //nolint:gosec // bits are bits
}

func (r *reducer) merge(do *protocol.Merge, old any) any {
	out := map[string]any{}
	if replace, _ := at(r.action, do.Replace).(bool); do.Replace == nil || !replace {
		was, _ := old.(map[string]any)
		maps.Copy(out, was)
	}
	more, _ := r.from(do.From).(map[string]any)
	maps.Copy(out, more)
	return out
}

// keyOf returns what finds the key of an item.
func keyOf(key protocol.Key) func(*any) (string, bool) {
	return func(item *any) (string, bool) {
		if len(key.Paths) == 0 {
			text, ok := (*item).(string)
			return text, ok
		}
		for _, path := range key.Paths {
			v := *item
			for _, name := range path {
				object, _ := v.(map[string]any)
				v = object[name]
			}
			if text, ok := v.(string); ok {
				return text, true
			}
		}
		return "", false
	}
}
