// Histories: what clients of a log were told while servers went away, judged by two checkers.

package nats

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	ours "github.com/ahpgen/ahpgen/templates/wire/jetstream"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
	"github.com/ahpgen/ahpgen/templates/wire/shared/logtest"
)

var thorough = flag.Bool("thorough", false, "try more, for longer")

// judged is what porcupine says of calls: each key is a register that holds the number of its last record. What an engine refuses
// without the number of the last record, it may refuse at any time. Of a call without an answer, the log tells what became of it.
func judged(ops []logtest.Op, records []shared.Record) porcupine.CheckResult {
	numbers := map[string]int64{}
	for _, r := range records {
		numbers[fmt.Sprint(r.Writer, " ", r.Serial)] = r.Number
	}
	var history []porcupine.Operation
	end := int64(1 << 62)
	for _, op := range ops {
		if op.Append && op.Result == logtest.Unknown {
			op.Number = numbers[fmt.Sprint(op.Writer, " ", op.Serial)]
			if op.Number == 0 {
				continue // it was never stored
			}
			op.Return = time.Duration(end)
			op.Result = logtest.Done
		}
		history = append(history, porcupine.Operation{ClientId: op.Client, Input: op, Call: int64(op.Call), Return: int64(op.Return)})
	}
	return porcupine.CheckOperationsTimeout(porcupine.Model{
		Partition: func(history []porcupine.Operation) (out [][]porcupine.Operation) {
			keys := map[string][]porcupine.Operation{}
			for _, op := range history {
				key := op.Input.(logtest.Op).Key
				keys[key] = append(keys[key], op)
			}
			for _, list := range keys {
				out = append(out, list)
			}
			return out
		},
		Init: func() any { return int64(0) },
		Step: func(state, input, _ any) (bool, any) {
			last, op := state.(int64), input.(logtest.Op)
			switch {
			case op.Append && op.Result == logtest.Refused:
				return op.Number < 0 || op.Number == last && last != op.After, last
			case op.Append:
				return op.After == last, op.Number
			}
			return op.Number == last, last
		},
	}, history, 2*time.Minute)
}

func TestHistoriesAreLinearizable(t *testing.T) {
	faults := 4
	if *thorough {
		faults = 50
	}
	c := start(t, 3)
	o := &ours.Options{Name: "history", Replicas: 3, Timeout: 2 * time.Second, Idle: time.Second}
	var h logtest.History
	ctx, stop := context.WithCancel(context.Background())
	var writing sync.WaitGroup
	var reader *ours.Log
	for i := range 6 {
		c.logs.Add(1) // another server first
		js := c.dial(t, &wire{})
		var l *ours.Log
		eventually(t, func(ctx context.Context) (err error) { l, err = ours.Open(ctx, js, o); return err })
		reader = l
		writing.Go(func() { client(ctx, t, &h, l, i) })
	}
	for i := range faults {
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
		node := rand.IntN(3)
		c.stopOne(node)
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
		c.run(t)
		t.Logf("fault %d: server %d", i+1, node)
	}
	time.Sleep(time.Second)
	stop()
	writing.Wait()
	records := entire(t, reader)
	ops := h.Ops()
	counts := map[logtest.Result]int{}
	for _, op := range ops {
		if op.Append {
			counts[op.Result]++
		}
	}
	t.Logf("%d calls, %d records: %d stored, %d refused, %d unknown", len(ops), len(records), counts[logtest.Done], counts[logtest.Refused], counts[logtest.Unknown])
	require.Greater(t, counts[logtest.Done], 100)
	require.NoError(t, logtest.Check(ops, records))
	require.Equal(t, porcupine.Ok, judged(ops, records))

	// Both see what is wrong.
	for i, op := range ops {
		if op.Append && op.Result == logtest.Done {
			ops[i].Result = logtest.Refused
			break
		}
	}
	require.Error(t, logtest.Check(ops, records))
	require.Equal(t, porcupine.Illegal, judged(ops, records))
}

// client appends to one of three keys, on condition of what it knows, and looks now and then.
func client(ctx context.Context, t *testing.T, h *logtest.History, l *ours.Log, id int) {
	known := map[string]int64{}
	for serial := int64(1); ctx.Err() == nil; serial++ {
		key := fmt.Sprint("key", rand.IntN(3))
		one, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		op := logtest.Op{Client: id, Key: key, Call: h.Now()}
		n, err := l.Last(one, key)
		if op.Number = n; err == nil {
			h.Add(op)
			known[key] = n
		}
		op = logtest.Op{Client: id, Key: key, Append: true, After: known[key], Writer: fmt.Sprint(id), Serial: serial, Call: h.Now()}
		r := shared.Record{Key: key, Writer: op.Writer, Serial: serial}
		n, err = l.Append(one, shared.Batch{Records: []shared.Record{r}, If: []shared.Condition{{Key: key, Last: op.After}}})
		cancel()
		var conflict *shared.ConflictError
		switch {
		case err == nil:
			op.Number = n
		case errors.As(err, &conflict):
			op.Result, op.Number = logtest.Refused, conflict.Last
		case errors.Is(err, shared.ErrUnknown):
			op.Result = logtest.Unknown
		default:
			t.Errorf("append: %v", err)
			return
		}
		h.Add(op)
		time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
	}
}

var errEnd = errors.New("the end")

// entire returns all records of a log.
func entire(t *testing.T, l *ours.Log) (records []shared.Record) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	end, err := l.End(ctx)
	require.NoError(t, err)
	last := int64(0)
	require.NoError(t, l.Heads(ctx, func(r shared.Record) error { last = max(last, r.Number); return nil }))
	err = l.Follow(ctx, shared.Position{Epoch: end.Epoch}, func(list []shared.Record) error {
		records = append(records, list...)
		if list[len(list)-1].Number >= last {
			return errEnd
		}
		return nil
	})
	require.ErrorIs(t, err, errEnd)
	return records
}
