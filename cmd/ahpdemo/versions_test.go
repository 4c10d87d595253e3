// The demo's host with clients of all versions that it speaks, at the same time.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

// TestClientsOfAllVersionsAreServed: while one client plays, one of each older version follows, and the oldest asks for a turn.
func TestClientsOfAllVersionsAreServed(t *testing.T) {
	var mu sync.Mutex
	var out bytes.Buffer
	var followers []*client
	h, err := withHost(t, journal{"host", &mu, &out}, server.Limits{}, func(ctx context.Context, url string) error {
		alice, err := connect(ctx, journal{"client", &mu, &out}, "alice", url, ahp.SupportedVersions())
		if err != nil {
			return err
		}
		if err := alice.begin(ctx); err != nil {
			return err
		}
		for _, version := range ahp.SupportedVersions()[1:] {
			c, err := connect(ctx, journal{version, &mu, &out}, "follower "+version, url, []string{version})
			if err != nil {
				return err
			}
			followers = append(followers, c)
			for _, uri := range []string{sessionURI, chatURI} {
				if err := c.subscribe(ctx, uri); err != nil {
					return err
				}
			}
		}
		for _, step := range []func(context.Context) error{followers[len(followers)-1].askForFiles, alice.rename, alice.askForStory} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		seen := alice.Store.LastSeen()
		for _, c := range followers {
			if err := c.until(ctx, func() bool { return c.Store.LastSeen() >= seen }); err != nil {
				return err
			}
			if err := c.Close(); err != nil {
				return err
			}
		}
		return alice.Close()
	})
	require.NoError(t, err, out.String())
	host := h.states()
	for _, version := range ahp.SupportedVersions()[1:] {
		require.Contains(t, out.String(), "agrees with follower "+version+" on version "+version)
	}
	for _, c := range followers {
		for uri, state := range c.states() {
			require.Equal(t, withoutNew(t, host[uri]), withoutNew(t, state), "%s %s", c.id, uri)
		}
	}
}

// withoutNew returns a state without what only newer versions say.
func withoutNew(t *testing.T, state []byte) any {
	t.Helper()
	var out map[string]any
	require.NoError(t, json.Unmarshal(state, &out))
	delete(out, "modifiedAt") // from the local clock
	delete(out, "backgroundWork")
	turns, _ := out["turns"].([]any)
	for _, turn := range turns {
		delete(turn.(map[string]any), "startedAt")
		delete(turn.(map[string]any), "duration")
	}
	return out
}
