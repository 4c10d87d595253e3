// Servers of one process that share a log in a file: what they have after a restart.

package ahp_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/bolt"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

func TestServersThatShareAFileGoOnWhereTheyWere(t *testing.T) {
	const uri = "ahp-session:/file"
	at := filepath.Join(t.TempDir(), "log")
	for round, title := range []string{"one", "two", "three"} {
		log, err := bolt.OpenShared(at, nil)
		require.NoError(t, err)
		first, err := ahp.NewServer(&ahp.ServerOptions{Shared: log})
		require.NoError(t, err)
		second, err := ahp.NewServer(&ahp.ServerOptions{Shared: log})
		require.NoError(t, err)
		draft := &ahp.SessionState{
			Title: "Draft", Lifecycle: ahp.SessionLifecycleReady, Status: ahp.SessionStatusIdle,
			ActiveClients: []ahp.SessionActiveClient{}, Chats: []ahp.ChatSummary{},
		}
		if round == 0 {
			require.NoError(t, first.OpenChannel(uri, draft))
		} else {
			state, ok := first.State(uri)
			require.True(t, ok)
			require.Equal(t, []string{"one", "two"}[round-1], state.(*ahp.SessionState).Title)
		}
		require.ErrorIs(t, second.OpenChannel(uri, draft), server.ErrChannelExists)
		require.NoError(t, second.Publish(uri, &ahp.SessionTitleChangedAction{Title: title}))
		require.NoError(t, first.Close())
		require.NoError(t, second.Close())
		require.NoError(t, log.Close())
	}
}
