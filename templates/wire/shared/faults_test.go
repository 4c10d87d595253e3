// Planted faults: the kit finds each, by the test that is for it.

package shared_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
	"github.com/ahpgen/ahpgen/templates/wire/shared/logtest"
)

// plant lets an environment variable choose between the faults and the test that counts what the kit says of them.
const plant = "AHPGEN_PLANT_FAULTS"

// fault is a defect, in a log that all handles of an engine have in common, and the tests that find it.
type fault struct {
	name  string
	tests []string
	make  func(m *shared.Memory) func(*handle)
}

var faults = []fault{
	{"conditions are ignored", []string{"Conditions", "PausedWriter", "LostReply", "Writers", "TrimToLast"}, appending(func(ctx context.Context, m *shared.Memory, b shared.Batch) (int64, error) {
		b.If = nil
		return m.Append(ctx, b)
	})},
	{"conditions on other keys are ignored", []string{"Conditions"}, appending(func(ctx context.Context, m *shared.Memory, b shared.Batch) (int64, error) {
		b.If = slices.DeleteFunc(slices.Clone(b.If), func(c shared.Condition) bool {
			return !slices.ContainsFunc(b.Records, func(r shared.Record) bool { return r.Key == c.Key })
		})
		return m.Append(ctx, b)
	})},
	{"only the first condition counts", []string{"Conditions"}, appending(func(ctx context.Context, m *shared.Memory, b shared.Batch) (int64, error) {
		b.If = b.If[:min(1, len(b.If))]
		return m.Append(ctx, b)
	})},
	{"a batch is torn by a condition", []string{"Conditions"}, appending(oneByOne)},
	{"a batch lets others in between", []string{"BatchesAreWhole"}, appending(func(ctx context.Context, m *shared.Memory, b shared.Batch) (first int64, err error) {
		for i, r := range b.Records {
			n, err := m.Append(ctx, shared.Batch{Records: []shared.Record{r}, If: b.If})
			if err != nil {
				return 0, err
			}
			if i == 0 {
				first = n
			}
			b.If = nil
			time.Sleep(time.Microsecond)
		}
		return first, nil
	})},
	{"a conflict names a wrong number", []string{"Conditions"}, appending(func(ctx context.Context, m *shared.Memory, b shared.Batch) (int64, error) {
		n, err := m.Append(ctx, b)
		var conflict *shared.ConflictError
		if errors.As(err, &conflict) {
			for _, c := range b.If {
				if c.Key == conflict.Key {
					conflict.Last = c.Last
				}
			}
		}
		return n, err
	})},
	{"what was acknowledged is lost", []string{"Writers", "Order"}, func(m *shared.Memory) func(*handle) {
		var count atomic.Int64
		return appending(func(ctx context.Context, m *shared.Memory, b shared.Batch) (int64, error) {
			if count.Add(1)%10 == 0 {
				end, err := m.End(ctx)
				return end.Number + 1, err
			}
			return m.Append(ctx, b)
		})(m)
	}},
	{"ids count over all keys", []string{"SameSerialOnTwoKeys"}, func(m *shared.Memory) func(*handle) {
		var ids sync.Map
		return appending(func(ctx context.Context, m *shared.Memory, b shared.Batch) (int64, error) {
			type id struct {
				writer string
				serial int64
			}
			r := b.Records[0]
			if n, ok := ids.Load(id{r.Writer, r.Serial}); ok && r.Writer != "" {
				return n.(int64), nil
			}
			n, err := m.Append(ctx, b)
			if err == nil {
				ids.Store(id{r.Writer, r.Serial}, n)
			}
			return n, err
		})(m)
	}},
	{"appends again after a lost reply", []string{"LostReply"}, func(m *shared.Memory) func(*handle) {
		return func(h *handle) {
			h.append = func(ctx context.Context, b shared.Batch) (int64, error) {
				if h.stored { // it was asked to lose a reply before
					b.If = nil
				}
				return m.Append(ctx, b)
			}
		}
	}},
	{"one writer is starved", []string{"Starvation"}, func(m *shared.Memory) func(*handle) {
		var handles atomic.Int64
		return func(h *handle) {
			if handles.Add(1) == 3 {
				tries := 0
				h.append = func(ctx context.Context, b shared.Batch) (int64, error) {
					if tries++; tries%20 != 0 {
						return 0, &shared.ConflictError{Last: -1}
					}
					return m.Append(ctx, b)
				}
			}
		}
	}},
	{"the last number is old", []string{"PausedWriter", "Writers"}, func(m *shared.Memory) func(*handle) {
		return func(h *handle) {
			old := map[string]int64{}
			var mu sync.Mutex
			h.last = func(ctx context.Context, key string) (int64, error) {
				mu.Lock()
				defer mu.Unlock()
				was := old[key]
				now, err := m.Last(ctx, key)
				old[key] = now
				return was, err
			}
		}
	}},
	{"trimming takes the last record", []string{"TrimToLast"}, func(m *shared.Memory) func(*handle) {
		var trimmed atomic.Int64
		return func(h *handle) {
			h.trim = func(ctx context.Context, upTo shared.Position) error {
				trimmed.Store(max(trimmed.Load(), upTo.Number))
				return m.Trim(ctx, upTo)
			}
			h.last = func(ctx context.Context, key string) (int64, error) {
				n, err := m.Last(ctx, key)
				if n <= trimmed.Load() {
					n = 0
				}
				return n, err
			}
			h.append = func(ctx context.Context, b shared.Batch) (int64, error) {
				b.If = slices.Clone(b.If)
				for i, c := range b.If {
					if n, _ := h.Last(ctx, c.Key); n == 0 && c.Last == 0 {
						b.If[i].Last, _ = m.Last(ctx, c.Key)
					}
				}
				return m.Append(ctx, b)
			}
		}
	}},
	{"readers below a trim jump", []string{"TrimBelowReader", "TrimWhileReading"}, following(func(ctx context.Context, m *shared.Memory, after shared.Position, f func([]shared.Record) error) error {
		for {
			err := m.Follow(ctx, after, func(list []shared.Record) error { after.Number = list[len(list)-1].Number; return f(list) })
			var moved *shared.MovedError
			if !errors.As(err, &moved) || !moved.Trimmed {
				return err
			}
			after.Number++
		}
	})},
	{"trimming takes any epoch", []string{"Trim"}, func(m *shared.Memory) func(*handle) {
		return func(h *handle) {
			h.trim = func(ctx context.Context, upTo shared.Position) error {
				return m.Trim(ctx, shared.Position{Epoch: 1, Number: upTo.Number})
			}
		}
	}},
	{"reads below a trim are silent", []string{"Trim"}, func(m *shared.Memory) func(*handle) {
		return func(h *handle) {
			h.read = func(ctx context.Context, key string, after int64, f func(shared.Record) error) error {
				err := m.Read(ctx, key, after, f)
				if moved := (*shared.MovedError)(nil); errors.As(err, &moved) {
					return nil
				}
				return err
			}
		}
	}},
	{"a head is missing", []string{"Heads"}, func(m *shared.Memory) func(*handle) {
		return func(h *handle) {
			h.heads = func(ctx context.Context, f func(shared.Record) error) error {
				return m.Heads(ctx, func(r shared.Record) error {
					if r.Key == "both" {
						return nil
					}
					return f(r)
				})
			}
		}
	}},
	{"silent beyond the end", []string{"BeyondTheEnd"}, following(func(ctx context.Context, m *shared.Memory, after shared.Position, f func([]shared.Record) error) error {
		if end, _ := m.End(ctx); end.Epoch == after.Epoch && end.Number < after.Number {
			<-ctx.Done()
			return ctx.Err()
		}
		return m.Follow(ctx, after, f)
	})},
	{"epochs are ignored", []string{"OtherEpoch"}, following(func(ctx context.Context, m *shared.Memory, after shared.Position, f func([]shared.Record) error) error {
		end, _ := m.End(ctx)
		after.Epoch = end.Epoch
		return m.Follow(ctx, after, f)
	})},
	{"a piece comes again", []string{"Follow"}, following(func(ctx context.Context, m *shared.Memory, after shared.Position, f func([]shared.Record) error) error {
		pieces := 0
		return m.Follow(ctx, after, func(list []shared.Record) error {
			if pieces++; pieces == 2 {
				if err := f(list); err != nil {
					return err
				}
			}
			return f(list)
		})
	})},
	{"a reader loses the first of a piece", []string{"Follow", "FollowWhileAppending"}, following(func(ctx context.Context, m *shared.Memory, after shared.Position, f func([]shared.Record) error) error {
		return m.Follow(ctx, after, func(list []shared.Record) error {
			if len(list) == 1 {
				return f(list)
			}
			return f(list[1:])
		})
	})},
	{"a reader does not end", []string{"Contexts"}, following(func(ctx context.Context, m *shared.Memory, after shared.Position, f func([]shared.Record) error) error {
		err := m.Follow(ctx, after, f)
		if ctx.Err() != nil {
			return nil
		}
		return err
	})},
	{"older checkpoints replace newer ones", []string{"Checkpoints"}, func(m *shared.Memory) func(*handle) {
		return func(h *handle) {
			h.save = func(ctx context.Context, epoch int64, r shared.Record) error {
				if old, ok, _ := m.Load(ctx, r.Key); ok {
					r.Number = max(r.Number, old.Number+1)
				}
				return m.Save(ctx, epoch, r)
			}
		}
	}},
	{"checkpoints of any epoch are saved", []string{"Checkpoints"}, func(m *shared.Memory) func(*handle) {
		return func(h *handle) {
			h.save = func(ctx context.Context, _ int64, r shared.Record) error { return m.Save(ctx, 1, r) }
		}
	}},
	{"times are lost", []string{"Order"}, changing(func(r *shared.Record) { r.Time = time.UnixMilli(0) })},
	{"writers are cleaned", []string{"Order"}, changing(func(r *shared.Record) { r.Writer = strings.ToValidUTF8(r.Writer, "") })},
	{"upper and lower case are one", []string{"OddKeys"}, changing(func(r *shared.Record) { r.Key = strings.ToLower(r.Key) })},
	{"a full log takes half of a batch", []string{"Full"}, func(*shared.Memory) func(*handle) {
		return func(h *handle) { h.torn = true }
	}},
	{"what is too large is cut", []string{"TooLarge"}, func(*shared.Memory) func(*handle) {
		return func(h *handle) { h.cut = true }
	}},
}

// appending returns a fault of appends.
func appending(do func(context.Context, *shared.Memory, shared.Batch) (int64, error)) func(*shared.Memory) func(*handle) {
	return func(*shared.Memory) func(*handle) {
		return func(h *handle) {
			h.append = func(ctx context.Context, b shared.Batch) (int64, error) { return do(ctx, h.Log.(*shared.Memory), b) }
		}
	}
}

// following returns a fault of readers.
func following(do func(context.Context, *shared.Memory, shared.Position, func([]shared.Record) error) error) func(*shared.Memory) func(*handle) {
	return func(m *shared.Memory) func(*handle) {
		return func(h *handle) {
			h.follow = func(ctx context.Context, after shared.Position, f func([]shared.Record) error) error {
				return do(ctx, m, after, f)
			}
		}
	}
}

// changing returns a fault that changes records.
func changing(change func(*shared.Record)) func(*shared.Memory) func(*handle) {
	return appending(func(ctx context.Context, m *shared.Memory, b shared.Batch) (int64, error) {
		b.Records = slices.Clone(b.Records)
		for i := range b.Records {
			change(&b.Records[i])
		}
		return m.Append(ctx, b)
	})
}

// oneByOne appends each record with the condition on its key.
func oneByOne(ctx context.Context, m *shared.Memory, b shared.Batch) (first int64, err error) {
	for i, r := range b.Records {
		one := shared.Batch{Records: []shared.Record{r}}
		for _, c := range b.If {
			if c.Key == r.Key || i == 0 && !slices.ContainsFunc(b.Records, func(r shared.Record) bool { return r.Key == c.Key }) {
				one.If = append(one.If, c)
			}
		}
		n, err := m.Append(ctx, one)
		if err != nil {
			return 0, err
		}
		if i == 0 {
			first = n
		}
	}
	return first, nil
}

// TestTheKitFindsPlantedFaults runs the kit with each fault in a process of its own, since it is to fail.
func TestTheKitFindsPlantedFaults(t *testing.T) {
	if os.Getenv(plant) != "" {
		t.Skip("this is that process")
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestPlanted$", "-test.v")
	cmd.Env = append(os.Environ(), plant+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "no fault was found")
	require.NotContains(t, string(out), "panic:")
	found := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^ *--- (FAIL|PASS): TestPlanted/([^/\n]+)/(\S+)`).FindAllSubmatch(out, -1) {
		if string(m[1]) == "FAIL" {
			found[string(m[2])] = append(found[string(m[2])], string(m[3]))
		}
	}
	used := map[string]bool{}
	for _, f := range faults {
		got := found[strings.ReplaceAll(f.name, " ", "_")]
		t.Logf("%s: %v", f.name, got)
		require.Subset(t, got, f.tests, "%s\n%s", f.name, tail(out))
		for _, name := range f.tests {
			used[name] = true
		}
	}
	// What finds no fault here needs what a log in memory has not.
	for _, c := range logtest.Tests() {
		if !slices.Contains([]string{"Recreated", "PutBack", "PutBackAndGoneOn", "Outage", "Close"}, c.Name) {
			require.True(t, used[c.Name], "no fault is for %s", c.Name)
		}
	}
}

func tail(out []byte) []byte {
	return out[max(0, bytes.LastIndexByte(out[:max(0, len(out)-3000)], '\n')):]
}

// TestPlanted is the process that fails.
func TestPlanted(t *testing.T) {
	if os.Getenv(plant) == "" {
		t.Skip("TestTheKitFindsPlantedFaults runs it")
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			for _, c := range logtest.Tests() {
				if slices.Contains(f.tests, c.Name) {
					t.Run(c.Name, func(t *testing.T) {
						m := &shared.Memory{}
						e := engine(m, f.make(m))
						e.Patience = 2 * time.Second
						c.Run(t, e)
					})
				}
			}
		})
	}
}
