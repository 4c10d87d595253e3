// Identity: peers that impersonate others, or request what belongs to others.

package hostile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// secret is in a title that only alice may see.
const secret = "confidential"

const (
	reconnect   = `{"jsonrpc":"2.0","id":5,"method":"reconnect","params":{"channel":"ahp-root://","clientId":"%s","lastSeenServerSeq":0,"subscriptions":[%s]}}`
	setTitle    = `{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"%s","clientSeq":%d,"action":{"type":"session/titleChanged","title":"%s"}%s}}`
	subscribing = `{"jsonrpc":"2.0","id":5,"method":"subscribe","params":{"channel":"ahp-session:/secret"}}`
	secretly    = `"ahp-session:/secret"`
)

// imposture are the requests of mallory, a principal other than alice, or of a client without a token.
type imposture struct {
	name  string
	own   bool   // under an id of mallory's own, after the handshake
	sent  string // lines, of which the last is a request under id 5
	wants string // what its answer contains
}

var impostures = []imposture{
	{"the handshake with her id", false, strings.Replace(fmt.Sprintf(overAHP.opens, "alice-1"), `"id":0`, `"id":5`, 1), refusedRequest},
	{"the handshake with her id and her channel", false, strings.Replace(strings.Replace(fmt.Sprintf(overAHP.opens, "alice-1"), `"id":0`, `"id":5`, 1), `"clientId"`, `"initialSubscriptions":[`+secretly+`],"clientId"`, 1), refusedRequest},
	{"coming back as her without channels", false, fmt.Sprintf(reconnect, "alice-1", ""), `"error"`},
	{"coming back as her with her channel", false, fmt.Sprintf(reconnect, "alice-1", secretly), `"error"`},
	{"coming back as nobody", false, fmt.Sprintf(reconnect, "nobody", secretly), `"error"`},
	{"coming back with her id escaped", false, fmt.Sprintf(reconnect, `\u0061lice-1`, secretly), `"error"`},
	{"coming back with her id twice", false, strings.Replace(fmt.Sprintf(reconnect, "mallory-1", secretly), `"lastSeen`, `"clientId":"alice-1","lastSeen`, 1), `"error"`},
	{"the handshake for her channel", false, strings.Replace(strings.Replace(fmt.Sprintf(overAHP.opens, "mallory-2"), `"id":0`, `"id":5`, 1), `"clientId"`, `"initialSubscriptions":[`+secretly+`],"clientId"`, 1), `"snapshots":[]`},
	{"an id that begins with hers", false, strings.Replace(fmt.Sprintf(overAHP.opens, `alice-1\u0000mallory`), `"id":0`, `"id":5`, 1), `"serverSeq"`},
	{"her id in capitals", false, strings.Replace(fmt.Sprintf(overAHP.opens, "ALICE-1"), `"id":0`, `"id":5`, 1), `"serverSeq"`},
	{"subscribing to her channel", true, subscribing, `"error"`},
	{"coming back as her, once there", true, fmt.Sprintf(reconnect, "alice-1", secretly), refusedRequest},
	{"the handshake as her, once there", true, strings.Replace(fmt.Sprintf(overAHP.opens, "alice-1"), `"id":0`, `"id":5`, 1), refusedRequest},
	{"an action on her channel", true, fmt.Sprintf(setTitle, secretSession, 1, "changed", "") + "\n" + subscribing, `"error"`},
	{"an action with her for its origin", true, fmt.Sprintf(setTitle, openSession, 1, "mine", `,"origin":{"clientId":"alice-1","clientSeq":1}`) + "\n" + subscribing, `"error"`},
}

// TestImpostures has mallory try each, while alice is connected and after she has left. Nothing of hers comes to mallory, her
// connection goes on, and she can come back.
func TestImpostures(t *testing.T) {
	for _, token := range []string{"mallory", ""} {
		h := dialects[1].start(t, asEmitted)
		alice := dialSocket(t, h.facts.WebSocket, "alice", true)
		require.True(t, alice.send(strings.Replace(fmt.Sprintf(overAHP.opens, "alice-1"), `"clientId"`, `"initialSubscriptions":[`+secretly+`],"clientId"`, 1)))
		alice.await(`"snapshots":[{`)
		require.True(t, alice.send(fmt.Sprintf(setTitle, secretSession, 1, secret, "")))
		alice.await(`"title":"` + secret)
		for _, i := range impostures {
			t.Run(fmt.Sprintf("%s, by %q", i.name, token), func(t *testing.T) {
				impose(t, h, i, token)
				dialects[1].check(t, alice)
			})
		}
		require.NoError(t, alice.stream.Close())
		alice.awaitEnd()
		for _, i := range impostures {
			t.Run(fmt.Sprintf("%s, by %q, after she has left", i.name, token), func(t *testing.T) { impose(t, h, i, token) })
		}
		again := dialSocket(t, h.facts.WebSocket, "alice", true)
		require.True(t, again.send(fmt.Sprintf(reconnect, "alice-1", secretly)))
		require.Contains(t, again.await(`"id":5`), secret)
		require.NotContains(t, again.last, "changed")
	}
}

// impose has mallory try one.
func impose(t *testing.T, h *host, i imposture, token string) {
	t.Helper()
	mallory := dialSocket(t, h.facts.WebSocket, token, true)
	if i.own {
		require.True(t, mallory.send(fmt.Sprintf(overAHP.opens, "mallory-own")))
		mallory.await(`"serverSeq"`)
	}
	require.True(t, mallory.send(strings.Split(i.sent, "\n")...))
	got := mallory.until(`"id":5`)
	require.Contains(t, mallory.last, i.wants)
	for _, message := range append(got, mallory.last) {
		require.NotContains(t, message, secret)
		require.NotContains(t, message, `"clientId":"alice-1"`)
	}
	require.NoError(t, mallory.stream.Close())
}

// TestMalloryForgetsNobodyElse has mallory come with more ids than a host remembers. Alice can come back.
func TestMalloryForgetsNobodyElse(t *testing.T) {
	h := dialects[1].start(t, asEmitted)
	come := func(token, id string) {
		p := dialSocket(t, h.facts.WebSocket, token, true)
		require.True(t, p.send(fmt.Sprintf(overAHP.opens, id)))
		p.await(`"serverSeq"`)
		require.NoError(t, p.stream.Close())
	}
	come("alice", "alice-1")
	for i := range 500 {
		come("mallory", fmt.Sprint("mallory-", i))
	}
	h.settled(20)
	alice := dialSocket(t, h.facts.WebSocket, "alice", true)
	require.True(t, alice.send(fmt.Sprintf(reconnect, "alice-1", "")))
	require.Contains(t, alice.await(`"id":5`), `"result"`)
}

// TestAnIDWithoutAPrincipal takes the id of a client without a token, over lines. It is not to be had while that client
// answers, and is free once it is gone.
func TestAnIDWithoutAPrincipal(t *testing.T) {
	d := &dialects[0]
	h := d.start(t, asEmitted)
	owner := d.open(t, h, "shared")
	for _, sent := range []string{strings.Replace(fmt.Sprintf(d.opens, "shared"), `"id":0`, `"id":5`, 1), fmt.Sprintf(reconnect, "shared", "")} {
		thief := d.connect(t, h, true)
		require.True(t, thief.send(sent))
		require.True(t, owner.send(answerTo(t, owner.await(`"method":"ping"`))))
		require.Contains(t, thief.await(`"id":5`), `"error"`)
		d.check(t, owner)
	}
	require.NoError(t, owner.stream.Close())
	h.settled(20)
	heir := d.connect(t, h, true)
	require.True(t, heir.send(fmt.Sprintf(reconnect, "shared", "")))
	require.Contains(t, heir.await(`"id":5`), `"result"`)
}

// answerTo answers a request of the host with nothing.
func answerTo(t *testing.T, request string) string {
	t.Helper()
	_, id, ok := strings.Cut(request, `"id":`)
	require.True(t, ok, request)
	return `{"jsonrpc":"2.0","id":` + id[:strings.IndexAny(id, ",}")] + `,"result":null}`
}
