// The log of another version: what is read as it is, what is refused by name, and what a hook makes of it.

package ahp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

// of is the log of a server of another version: a state, and an action that it lacks.
func of(version, state, action string) *holding {
	h := &holding{records: []server.Record{
		{Kind: server.ChannelState, Key: sessionChannel, Sequence: 4, Opened: 1, Data: []byte(`{"resource":"ahp-session:/s","fromSeq":4,"state":` + state + `}`)},
		{Kind: server.Action, Key: sessionChannel, Sequence: 5, Time: time.Unix(1, 0), Data: []byte(`{"channel":"ahp-session:/s","serverSeq":5,"action":` + action + `}`)},
		{Kind: server.ClientKnown, Key: "c1", Data: []byte("1.0.0")},
	}}
	if version != "" {
		h.records = append(h.records, server.Record{Kind: server.Version, Data: []byte(version)})
	}
	return h
}

func TestTheLogOfAnOlderVersionIsReadOrNamed(t *testing.T) {
	good, _ := emptySession().AppendJSON(nil)
	with := func(more string) string { return string(bytes.TrimSuffix(good, []byte("}"))) + more + "}" }
	const title = `{"type":"session/titleChanged","title":"new"}`
	for name, c := range map[string]struct{ version, state, action, why, path string }{
		"readable":                {"0.9.0", string(good), title, "", ""},
		"of no version":           {"", string(good), title, "", ""},
		"a member is missing":     {"0.9.0", `{"title":"t"}`, title, "state of ahp-session:/s, written by version 0.9.0, read by 1.0.0: ", "state"},
		"a member would be lost":  {"0.9.0", with(`,"flair":{"a":1}`), title, "state of ahp-session:/s, written by version 0.9.0, read by 1.0.0: state: flair: would be lost", ""},
		"of no version, and lost": {"", with(`,"flair":1`), title, "written by an unknown version", ""},
		"an action is gone":       {"0.9.0", string(good), `{"type":"session/flown"}`, "action 5 on ahp-session:/s, written by version 0.9.0, read by 1.0.0: there is no such action", ""},
		"an action is another":    {"0.9.0", string(good), `{"type":"session/titleChanged"}`, "action: session/titleChanged: title: missing", "action: session/titleChanged"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ahp.NewServer(&ahp.ServerOptions{Log: of(c.version, c.state, c.action)})
			if c.why == "" {
				require.NoError(t, err)
				now, _ := s.State(sessionChannel)
				require.Equal(t, "new", now.(*ahp.SessionState).Title)
				require.Equal(t, "snapshot", resumesAt(t, s, 5, sessionChannel).Type, "nobody gets what another version wrote")
				require.NoError(t, s.Close())
				return
			}
			var older *server.OlderError
			require.ErrorAs(t, err, &older)
			require.ErrorContains(t, err, c.why)
			require.Equal(t, c.version, older.Version)
			require.Equal(t, sessionChannel, older.Channel)
			var decode *wire.DecodeError
			if c.path != "" {
				require.ErrorAs(t, err, &decode)
				require.Equal(t, c.path, decode.Path())
			}
		})
	}
}

func TestAHookTurnsWhatAnOlderVersionWroteIntoWhatThisOneReads(t *testing.T) {
	good, _ := emptySession().AppendJSON(nil)
	log := of("0.5.0", `{"name":"mine"}`, `{"type":"session/named","name":"other"}`)
	var asked []server.Older
	hook := func(o server.Older) (json.RawMessage, error) {
		asked = append(asked, o)
		if o.State != nil {
			return good, nil
		}
		return json.RawMessage(`{"type":"session/titleChanged","title":"other"}`), nil
	}
	s, err := ahp.NewServer(&ahp.ServerOptions{Log: log, Upgrade: hook})
	require.NoError(t, err)
	require.Len(t, asked, 2)
	require.JSONEq(t, `{"name":"mine"}`, string(asked[0].State))
	require.Error(t, asked[0].Err)
	require.JSONEq(t, `{"type":"session/named","name":"other"}`, string(asked[1].Action))
	require.EqualValues(t, 5, asked[1].Sequence)
	now, _ := s.State(sessionChannel)
	require.Equal(t, "other", now.(*ahp.SessionState).Title)
	require.NoError(t, s.Close())

	s, err = ahp.NewServer(&ahp.ServerOptions{Log: log}) // all of it is of this version now
	require.NoError(t, err)
	now, _ = s.State(sessionChannel)
	require.Equal(t, "other", now.(*ahp.SessionState).Title)
	require.NoError(t, s.Close())

	for name, c := range map[string]struct {
		hook func(server.Older) (json.RawMessage, error)
		want string
	}{
		"it fails":             {func(server.Older) (json.RawMessage, error) { return nil, errors.New("no idea") }, "read by 1.0.0: no idea"},
		"it leaves it":         {func(server.Older) (json.RawMessage, error) { return nil, nil }, "no variant fits"},
		"what it makes is bad": {func(server.Older) (json.RawMessage, error) { return json.RawMessage(`{}`), nil }, "after the upgrade"},
	} {
		_, err := ahp.NewServer(&ahp.ServerOptions{Log: of("0.5.0", `{}`, `{}`), Upgrade: c.hook})
		require.ErrorContains(t, err, c.want, name)
	}
	log = of("0.5.0", `{}`, `{}`)
	s, err = ahp.NewServer(&ahp.ServerOptions{Log: log, Upgrade: func(server.Older) (json.RawMessage, error) { return json.RawMessage("null"), nil }})
	require.NoError(t, err)
	require.Empty(t, s.Channels())
	require.NoError(t, s.Close())
	s, err = ahp.NewServer(&ahp.ServerOptions{Log: log})
	require.NoError(t, err, "nothing of it is left")
	require.NoError(t, s.Close())
}
