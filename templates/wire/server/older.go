// Older versions: reading log data written by other versions of the protocol, with a hook for what cannot be read.

package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

// Older is a state, or an action to be applied to one, written by another version.
type Older struct {
	Version  string // "" if unknown
	Channel  string
	Sequence int64           // of the action, or of the last one in the state
	State    json.RawMessage // nil for an action
	Action   json.RawMessage // nil for a state
	Err      error           // why it cannot be read as it is, or nil
}

// OlderError reports log data that this version of the protocol cannot read. It wraps the cause, which may be a
// [wire.DecodeError] with the path.
type OlderError struct {
	Older
	Reader string // the reading version
}

// Error implements error.
func (e *OlderError) Error() string {
	what, by := "state of "+e.Channel, "version "+e.Version
	if e.State == nil {
		what = "action " + strconv.FormatInt(e.Sequence, 10) + " on " + e.Channel
	}
	if e.Version == "" {
		by = "an unknown version"
	}
	return fmt.Sprintf("%s, written by %s, read by %s: %s", what, by, e.Reader, e.Err)
}

// Unwrap returns the cause.
func (e *OlderError) Unwrap() error { return e.Err }

// Members are the protocol's member names in snapshots and envelopes.
type Members struct {
	Channel, State, Sequence string // of a snapshot
	Action                   string // of an envelope
}

// state reads the state in a record and reports whether it is kept.
func (l *loading[S, A]) state(r Record) (state S, there bool, err error) {
	p := l.server.protocol
	read := func(data []byte) error {
		snapshot, err := p.ReadSnapshot(data)
		if err != nil {
			return err
		}
		state = snapshot.State
		if l.version == p.Version {
			return nil
		}
		again, err := p.Snapshot(snapshot).AppendJSON(nil)
		if err != nil {
			return err
		}
		return complete(data, again)
	}
	err = read(r.Data)
	if err == nil && l.version == p.Version {
		return state, true, nil
	}
	l.all = true
	old := Older{Version: l.version, Channel: r.Key, Sequence: r.Sequence, Err: err}
	members, part := l.part(r.Data, p.Members.State)
	old.State = part
	data, err := l.ask(old)
	switch {
	case err != nil || string(data) == "null":
		return state, false, err
	case data == nil:
		return state, true, nil
	case members != nil:
		members = map[string]json.RawMessage{p.Members.Channel: wire.AppendString(nil, r.Key), p.Members.State: data, p.Members.Sequence: strconv.AppendInt(nil, r.Sequence, 10)}
		if data, err = json.Marshal(members); err != nil {
			return state, false, fmt.Errorf("state of %s: %w", r.Key, err)
		}
	}
	if err := read(data); err != nil {
		return state, false, fmt.Errorf("state of %s, after the upgrade: %w", r.Key, err)
	}
	return state, true, nil
}

// part returns the value of a member and all members, or all the data if the member is missing.
func (*loading[S, A]) part(data []byte, name string) (map[string]json.RawMessage, json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) == nil && members[name] != nil {
		return members, members[name]
	}
	return nil, data
}

// ask calls the Upgrade hook. Nil means unchanged.
func (l *loading[S, A]) ask(old Older) (json.RawMessage, error) {
	s := l.server
	if s.options.Upgrade == nil {
		if old.Err != nil {
			return nil, &OlderError{old, s.protocol.Version}
		}
		return nil, nil
	}
	data, err := s.options.Upgrade(old)
	if err == nil && data == nil {
		err = old.Err
	}
	if err != nil {
		old.Err = err
		return nil, &OlderError{old, s.protocol.Version}
	}
	return data, nil
}

// effects applies an action written by another version, or those that it is lifted to.
func (l *loading[S, A]) effects(c *channel[S], r Record, due bool) error {
	if !due || !c.hasState {
		return l.effect(c, r, due)
	}
	lifted, err := l.lifted(c, r)
	if err != nil {
		return l.liftError(r, err)
	}
	for _, data := range lifted {
		r.Data = data
		if err := l.effect(c, r, due); err != nil {
			return err
		}
	}
	return nil
}

// effect applies an action written by another version, unless the state includes it.
func (l *loading[S, A]) effect(c *channel[S], r Record, due bool) error {
	if !due || !c.hasState || l.server.protocol.Refused(r.Data) {
		return nil
	}
	e, there, err := l.understood(c, r)
	switch {
	case err != nil:
		return err
	case !there:
		c.sequence = r.Sequence
	default:
		return l.apply(c, e, r)
	}
	return nil
}

// understood reads an action written by another version, and reports whether it is kept.
func (l *loading[S, A]) understood(c *channel[S], r Record) (e Envelope[A], there bool, err error) {
	p := l.server.protocol
	read := func(data []byte) (err error) {
		if e, err = p.ReadEnvelope(data); err != nil {
			return err
		}
		if _, known := p.Since(e.Action); !known || !p.Fits(e.Action, c.state) {
			return errors.New("there is no such action for the channel")
		}
		again, err := p.Envelope(e).AppendJSON(nil)
		if err != nil {
			return err
		}
		return complete(data, again)
	}
	old := Older{Version: l.version, Channel: r.Key, Sequence: r.Sequence, Err: read(r.Data)}
	members, part := l.part(r.Data, p.Members.Action)
	old.Action = part
	data, err := l.ask(old)
	switch {
	case err != nil:
		return e, false, err
	case string(data) == "null":
		return e, false, nil
	case data != nil:
		if members != nil {
			members[p.Members.Action] = data
			if data, err = json.Marshal(members); err != nil {
				return e, false, fmt.Errorf("action %d on %s: %w", r.Sequence, r.Key, err)
			}
		}
		if err := read(data); err != nil {
			return e, false, fmt.Errorf("action %d on %s, after the upgrade: %w", r.Sequence, r.Key, err)
		}
	}
	return e, true, nil
}

// complete returns an error if re-encoding a decoded value would lose something.
func complete(data, again []byte) error {
	var was, is any
	for _, d := range []struct {
		data []byte
		into *any
	}{{data, &was}, {again, &is}} {
		in := json.NewDecoder(bytes.NewReader(d.data))
		in.UseNumber()
		if err := in.Decode(d.into); err != nil {
			return err
		}
	}
	if path, why := lacks("", was, is); why != "" {
		return fmt.Errorf("%s: %s", path, why)
	}
	return nil
}

// lacks compares the original with the re-encoded value. Additions are allowed.
func lacks(path string, was, is any) (at, why string) {
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok {
			return path, "would become something else"
		}
		names := make([]string, 0, len(was))
		for name := range was {
			names = append(names, name)
		}
		codec.SortNames(names)
		for _, name := range names {
			v, below := was[name], wire.Name(name)
			if path != "" {
				below = path + ": " + below
			}
			now, ok := is[name]
			if !ok {
				return below, "would be lost"
			}
			if at, why := lacks(below, v, now); why != "" {
				return at, why
			}
		}
	case []any:
		is, ok := is.([]any)
		if !ok || len(was) != len(is) {
			return path, "would become something else, or shorter"
		}
		for i, v := range was {
			if at, why := lacks(path+"["+strconv.Itoa(i)+"]", v, is[i]); why != "" {
				return at, why
			}
		}
	case json.Number:
		if n, ok := is.(json.Number); !ok || !sameNumber(was, n) {
			return path, "would become another number"
		}
	default:
		if was != is {
			return path, "would become something else"
		}
	}
	return "", ""
}

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	i, errI := a.Int64()
	j, errJ := b.Int64()
	if errI == nil && errJ == nil {
		return i == j
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && x == y
}
