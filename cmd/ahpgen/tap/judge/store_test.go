package judge

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// TestStatesEqualTheStoreOfAClient has a judge and a store of the emitted package follow random conversations: after each message,
// both have the same states.
func TestStatesEqualTheStoreOfAClient(t *testing.T) {
	g, err := generator.New(generator.Config{Schemas: "ahp@1.0.0"}, nil)
	require.NoError(t, err)
	p, err := g.AnalyzeReducers()
	require.NoError(t, err)
	var kinds []*protocol.Channel
	for _, ch := range p.Channels {
		if ch.State != nil && ch.URI != "" {
			kinds = append(kinds, ch)
		}
	}
	placeholder := regexp.MustCompile("<[^>]*>")
	applied, changed, lost := 0, 0, 0
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 3))
		c := newTalk(t, p)
		of := kinds[random.IntN(len(kinds))]
		uri := placeholder.ReplaceAllString(of.URI, "1")
		var rules []*protocol.Action
		for _, a := range p.AllActions() {
			if a.Channel == of {
				rules = append(rules, a)
			}
		}
		state, actions := inside.SampleState(of, rules, seed, 1+random.IntN(30))
		if state == nil || !c.subscribe(uri, state) {
			continue
		}
		for i, action := range actions {
			before := c.state(uri)
			if !c.act(uri, action, int64(i+10), random.IntN(20) == 0) {
				continue
			}
			applied++
			got := c.judge.State(1, uri)
			if got == nil {
				lost++
				break
			}
			want := c.state(uri)
			require.JSONEq(t, want, string(JSON(got)), "seed %d, action %d: %v\nbefore: %s", seed, i, action, before)
			if want != before {
				changed++
			}
		}
	}
	t.Log(applied, changed, lost)
	require.Greater(t, changed, 2000)
	require.Zero(t, lost)
}

// talk is a conversation that a judge and a store follow.
type talk struct {
	*testing.T
	judge *Judge
	store *ahp.Store
	id    int
}

func newTalk(t *testing.T, p *protocol.Protocol) *talk {
	c := &talk{T: t, judge: New([]Version{{Protocol: p}}), store: ahp.NewStore("a", &ahp.Reducer{})}
	c.say(protocol.FromClient, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"channel":"ahp-root://","protocolVersions":["1.0.0"],"clientId":"a"}}`)
	c.say(protocol.FromHost, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"1.0.0","serverSeq":0,"snapshots":[]}}`)
	return c
}

func (c *talk) say(from protocol.Side, text string) {
	c.Helper()
	c.judge.Message(1, time.Time{}, from, []byte(text))
}

// subscribe gives both a snapshot. It reports whether the emitted package takes it.
func (c *talk) subscribe(uri string, state map[string]any) bool {
	text, err := json.Marshal(map[string]any{"resource": uri, "state": state, "fromSeq": 9})
	require.NoError(c, err)
	snapshot, err := ahp.Decode[ahp.Snapshot](text)
	if err != nil || c.store.Subscribe(snapshot) != nil {
		return false
	}
	if text, err = snapshot.AppendJSON(nil); err != nil {
		return false
	}
	c.id++
	c.say(protocol.FromClient, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscribe","params":{"channel":%q}}`, c.id, uri))
	c.say(protocol.FromHost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"snapshot":%s}}`, c.id, text))
	return true
}

// act gives both an action.
func (c *talk) act(uri string, action map[string]any, sequence int64, rejected bool) bool {
	params := map[string]any{"channel": uri, "action": action, "serverSeq": sequence}
	if rejected {
		params["rejectionReason"] = "no"
	}
	text, err := json.Marshal(params)
	require.NoError(c, err)
	envelope, err := ahp.Decode[ahp.ActionEnvelope](text)
	if err != nil {
		return false
	}
	c.store.Receive(envelope)
	c.say(protocol.FromHost, `{"jsonrpc":"2.0","method":"action","params":`+string(text)+`}`)
	return true
}

func (c *talk) state(uri string) string {
	view, ok := c.store.View(uri)
	require.True(c, ok)
	text, err := view.Confirmed.AppendJSON(nil)
	require.NoError(c, err)
	return string(text)
}
