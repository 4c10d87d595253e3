// Connections: when translation begins, and what it is applied to.

package translate

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// versions has one older version, in which a member of m has another name and a code is another.
var versions = []*Version{{
	Name:  "1",
	Lower: Direction{Types: []Type{{}, {Kind: Struct, Members: []Member{{Name: "new", To: "old"}}}}, Methods: []Method{{Name: "m", Params: 1, Result: 1}}, Codes: []Code{{From: 5, To: 4}}},
	Lift:  Direction{Types: []Type{{}, {Kind: Struct, Members: []Member{{Name: "old", To: "new"}}}}, Methods: []Method{{Name: "m", Params: 1, Result: 1}}, Codes: []Code{{From: 4, To: 5}}},
}}

func TestTranslationBeginsWithTheAgreedVersion(t *testing.T) {
	for name, agree := range map[string]func(t *testing.T, c *Connection){
		"the answer was received": func(t *testing.T, c *Connection) {
			keep, err := c.Received(&rpc.Message{Kind: rpc.Result, Method: "hello", Result: json.RawMessage(`{"version":"1"}`)})
			require.True(t, keep)
			require.NoError(t, err)
		},
		"the answer was sent": func(t *testing.T, c *Connection) {
			keep, err := c.Sent(&rpc.Message{Kind: rpc.Result, Method: "hello", Result: json.RawMessage(`{"version":"1"}`)})
			require.True(t, keep)
			require.NoError(t, err)
		},
		"it is said to be": func(_ *testing.T, c *Connection) { c.Use("1") },
	} {
		t.Run(name, func(t *testing.T) {
			c := Connect(versions, Handshake{Method: "hello", Answer: "version"}, "", nil).(*Connection)
			send := func() string {
				m := &rpc.Message{Kind: rpc.Request, Method: "m", Params: json.RawMessage(`{"new":1}`)}
				keep, err := c.Sent(m)
				require.True(t, keep)
				require.NoError(t, err)
				return string(m.Params)
			}
			require.JSONEq(t, `{"new":1}`, send())
			agree(t, c)
			require.JSONEq(t, `{"old":1}`, send())
			m := &rpc.Message{Kind: rpc.Notification, Method: "m", Params: json.RawMessage(`{"old":1}`), DecodeError: ErrImpossible}
			keep, err := c.Received(m)
			require.True(t, keep)
			require.NoError(t, err)
			require.JSONEq(t, `{"new":1}`, string(m.Params))
			require.NoError(t, m.DecodeError, "it was not decoded in the version that it is in")
			failure := &rpc.Message{Kind: rpc.Failure, Method: "m", Error: &rpc.Error{Code: 4}}
			_, err = c.Received(failure)
			require.NoError(t, err)
			require.EqualValues(t, 5, failure.Error.Code)
			c.Use("2")
			require.JSONEq(t, `{"new":1}`, send(), "the version of the package")
		})
	}
}

func TestAConnectionOfTheNewestVersionHasNoTranslator(t *testing.T) {
	versions := []*Version{{Name: "1"}}
	require.Nil(t, Connect(versions, Handshake{}, "2", nil))
	require.NotNil(t, Connect(versions, Handshake{}, "1", nil))
	require.NotNil(t, Connect(versions, Handshake{}, "", nil), "the handshake has to tell")
	require.Nil(t, Client(versions, Handshake{}, "2", nil))
}

// TestWhatNothingIsLeftOfIsRefused: whoever sends it learns that, unless the connection leaves such notifications out.
func TestWhatNothingIsLeftOfIsRefused(t *testing.T) {
	gone := []*Version{{Name: "1", Lower: Direction{
		Types:   []Type{{}, {Kind: Tagged, Tag: "kind", Variants: []Variant{{Tag: `"new"`, Drop: true}}}},
		Methods: []Method{{Name: "m", Params: 1}},
	}}}
	for _, c := range []struct {
		kind    rpc.Kind
		strict  bool
		refused bool
	}{{rpc.Notification, true, true}, {rpc.Notification, false, false}, {rpc.Request, true, true}, {rpc.Request, false, true}} {
		connect := Connect
		if c.strict {
			connect = Client
		}
		connection := connect(gone, Handshake{}, "1", nil)
		keep, err := connection.Sent(&rpc.Message{Kind: c.kind, Method: "m", Params: json.RawMessage(`{"kind":"new"}`)})
		require.False(t, keep)
		if !c.refused {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrImpossible)
		require.EqualError(t, err, "version 1: cannot be said in the other version: nothing of it is left")
	}
}
