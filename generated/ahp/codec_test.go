// Tests of the emitted codec on messages of realistic size.

package ahp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

var errInvalid = errors.New("invalid JSON")

func TestPayloadsSurviveARoundTrip(t *testing.T) {
	for name, v := range map[string]wire.Appender{"delta": deltaEnvelope(), "toolresult": toolResultEnvelope()} {
		again, err := ahp.Decode[ahp.ActionEnvelope](encode(t, v))
		require.NoError(t, err, name)
		require.Equal(t, v, again, name)
	}
	want := snapshot()
	data := encode(t, want)
	require.Greater(t, len(data), 900_000)
	again, err := ahp.Decode[ahp.Snapshot](data)
	require.NoError(t, err)
	require.Equal(t, want, again)

	var std ahp.Snapshot
	require.NoError(t, json.Unmarshal(data, &std))
	require.Equal(t, *want, std)
	marshalled, err := json.Marshal(want)
	require.NoError(t, err)
	again, err = ahp.Decode[ahp.Snapshot](marshalled)
	require.NoError(t, err)
	require.Equal(t, want, again)
}

func TestAppendJSONDoesNotAllocateInAReusedBuffer(t *testing.T) {
	for name, v := range map[string]wire.Appender{"delta": deltaEnvelope(), "toolresult": toolResultEnvelope(), "snapshot": snapshot()} {
		buffer := bytes.Clone(encode(t, v))
		allocs := testing.AllocsPerRun(10, func() {
			if _, err := v.AppendJSON(buffer[:0]); err != nil {
				t.Fatal(err)
			}
		})
		require.Zero(t, allocs, name)
	}
}

// The decoder is on the stack and known to it by a hidden pointer. Stacks move when they grow and when
// garbage collection shrinks them; builds with -race used to make calls where that lost the decoder.
func TestDecodingSurvivesMovingStacks(t *testing.T) {
	data := encode(t, &ahp.RootState{
		Agents:    []ahp.AgentInfo{},
		Terminals: []ahp.TerminalInfo{{Resource: "ahp-terminal:/1", Claim: &ahp.TerminalClientClaim{ClientID: "client-a"}, Lifecycle: &ahp.TerminalRunningLifecycleState{}}},
	})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	for range 2000 {
		growStack(60) // for the collector to shrink
		for range 30 {
			_, err := ahp.Decode[ahp.RootState](data)
			require.NoError(t, err)
		}
	}
}

//go:noinline
func growStack(kilobytes int) byte {
	var frame [1024]byte
	frame[kilobytes] = byte(kilobytes)
	if kilobytes > 0 {
		return growStack(kilobytes-1) + frame[kilobytes]
	}
	return frame[0]
}
