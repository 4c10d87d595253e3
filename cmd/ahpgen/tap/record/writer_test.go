package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// disk is a file on a disk with room for some bytes. What is there already can be written over.
type disk struct {
	data []byte
	at   int64
	room int
}

var errFull = errors.New("no space left on device")

func (d *disk) Write(b []byte) (int, error) {
	n, err := d.WriteAt(b, d.at)
	d.at += int64(n)
	return n, err
}

func (d *disk) WriteAt(b []byte, at int64) (n int, err error) {
	if n = min(len(b), max(d.room-int(at), 0)); n < len(b) {
		err = errFull
	}
	d.data = append(d.data, make([]byte, max(int(at)+n-len(d.data), 0))...)
	copy(d.data[at:], b[:n])
	return n, err
}

func (d *disk) Seek(at int64, _ int) (int64, error) {
	d.at = at
	return at, nil
}

func (d *disk) Truncate(size int64) error {
	d.data = d.data[:size]
	return nil
}

// TestARecordingSaysWhatAFullDiskHasCost has disks that are full and have room again, at random: whatever is missing is counted where
// it is missing, at every moment once two messages are there, and what is there can be read.
func TestARecordingSaysWhatAFullDiskHasCost(t *testing.T) {
	gaps := 0
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		d := &disk{room: 2000}
		w, err := NewWriter(d, Head{Framing: Lines})
		require.NoError(t, err)
		for i := range 60 {
			if i > 1 && random.IntN(8) == 0 {
				d.room = len(d.data) + random.IntN(900)
			}
			text := fmt.Sprintf("%d %s\n", i, strings.Repeat("x", random.IntN(200)))
			_ = w.Write(&Entry{From: protocol.FromClient, Data: []byte(text)}) // it is counted
			next, lost := entriesOf(t, d.data)
			require.Equal(t, i+1, next, "seed %d", seed)
			require.Equal(t, w.Missing(), lost, "seed %d", seed)
			if lost > 0 {
				gaps++
			}
		}
	}
	require.Greater(t, gaps, 1000)
}

// entriesOf reads a recording of numbered messages, and returns how many there were with those that are missing.
func entriesOf(t *testing.T, data []byte) (next, lost int) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	for {
		e, err := r.Read()
		if errors.Is(err, io.EOF) {
			require.False(t, r.Torn)
			return next, lost
		}
		require.NoError(t, err)
		if e.Lost > 0 {
			next, lost = next+e.Lost, lost+e.Lost
			continue
		}
		var n int
		_, err = fmt.Sscan(string(e.Data), &n)
		require.NoError(t, err)
		require.Equal(t, next, n)
		next++
	}
}

// TestWhatIsNoFileEndsWithAnError: nothing is written behind a line that is there in part.
func TestWhatIsNoFileEndsWithAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	_, err = NewWriter(full, Head{})
	require.Error(t, err)
	var file bytes.Buffer
	w, err := NewWriter(&file, Head{})
	require.NoError(t, err)
	w.to = full
	require.Error(t, w.Write(&Entry{}))
	before := file.String()
	w.to = &file
	require.Error(t, w.Write(&Entry{}))
	require.Equal(t, before, file.String())
	require.Equal(t, 2, w.Missing())
}
