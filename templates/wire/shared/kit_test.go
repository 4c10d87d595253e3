// The kit of tests, run against Memory.

package shared_test

import (
	"context"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
	"github.com/ahpgen/ahpgen/templates/wire/shared/logtest"
)

func TestMemoryPassesTheKit(t *testing.T) {
	logtest.Run(t, func(*testing.T) logtest.Engine { return engine(&shared.Memory{}, nil) })
}

// engine returns an engine over a log in memory, with limits and faults.
func engine(m *shared.Memory, fault func(*handle)) logtest.Engine {
	open := func(*testing.T) shared.Log {
		h := &handle{Log: m}
		if fault != nil {
			fault(h)
		}
		return h
	}
	return logtest.Engine{
		Open: open,
		LoseReply: func(_ *testing.T, l shared.Log, stored bool) {
			h := l.(*handle)
			h.lost, h.stored = true, stored
		},
		Small: func(t *testing.T) shared.Log {
			h := open(t).(*handle)
			h.Log, h.room = &shared.Memory{}, 1<<20
			return h
		},
	}
}

// handle is one of the handles to a log: it may lose a reply, and have limits.
type handle struct {
	shared.Log
	lost, stored bool
	room         int // bytes, 0 for any number

	torn, cut bool // faults: a part is stored of what does not fit

	append func(context.Context, shared.Batch) (int64, error) // in place of the log's own, if set
	trim   func(context.Context, shared.Position) error
	follow func(context.Context, shared.Position, func([]shared.Record) error) error
	read   func(context.Context, string, int64, func(shared.Record) error) error
	heads  func(context.Context, func(shared.Record) error) error
	save   func(context.Context, int64, shared.Record) error
	last   func(context.Context, string) (int64, error)
}

const maxBatch, maxRecord = 500, 100_000

func (h *handle) Limits() shared.Limits { return shared.Limits{Batch: maxBatch, Record: maxRecord} }

func (h *handle) Append(ctx context.Context, b shared.Batch) (int64, error) {
	size := 0
	for _, r := range b.Records {
		if n := len(r.Data) + len(r.Key) + len(r.Writer); n > maxRecord && h.cut {
			r.Data = r.Data[:maxRecord/2]
			_, _ = h.Log.Append(ctx, shared.Batch{Records: []shared.Record{r}})
		} else if n > maxRecord {
			return 0, shared.ErrTooLarge
		}
		size += len(r.Data)
	}
	if len(b.Records) > maxBatch {
		return 0, shared.ErrTooLarge
	}
	if h.room != 0 && h.used(ctx)+size > h.room {
		if h.torn && len(b.Records) > 1 {
			_, _ = h.Log.Append(ctx, shared.Batch{Records: b.Records[:1]})
		}
		return 0, shared.ErrFull
	}
	do := h.Log.Append
	if h.append != nil {
		do = h.append
	}
	if !h.lost {
		return do(ctx, b)
	}
	h.lost = false
	if h.stored {
		_, _ = do(ctx, b)
	}
	return 0, shared.ErrUnknown
}

// used returns the bytes that are in use, by counting.
func (h *handle) used(ctx context.Context) (size int) {
	keys := map[string]bool{}
	_ = h.Heads(ctx, func(r shared.Record) error { keys[r.Key] = true; return nil })
	for key := range keys {
		last, _ := h.Log.Last(ctx, key)
		for after := int64(0); ; {
			err := h.Read(ctx, key, after, func(r shared.Record) error { size += len(r.Data); return nil })
			if err == nil {
				break
			}
			after = last - 1 // the rest is trimmed
		}
	}
	return size
}

func (h *handle) Trim(ctx context.Context, upTo shared.Position) error {
	if h.trim != nil {
		return h.trim(ctx, upTo)
	}
	return h.Log.Trim(ctx, upTo)
}

func (h *handle) Follow(ctx context.Context, after shared.Position, f func([]shared.Record) error) error {
	if h.follow != nil {
		return h.follow(ctx, after, f)
	}
	return h.Log.Follow(ctx, after, f)
}

func (h *handle) Read(ctx context.Context, key string, after int64, f func(shared.Record) error) error {
	if h.read != nil {
		return h.read(ctx, key, after, f)
	}
	return h.Log.Read(ctx, key, after, f)
}

func (h *handle) Heads(ctx context.Context, f func(shared.Record) error) error {
	if h.heads != nil {
		return h.heads(ctx, f)
	}
	return h.Log.Heads(ctx, f)
}

func (h *handle) Save(ctx context.Context, epoch int64, r shared.Record) error {
	if h.save != nil {
		return h.save(ctx, epoch, r)
	}
	return h.Log.Save(ctx, epoch, r)
}

func (h *handle) Last(ctx context.Context, key string) (int64, error) {
	if h.last != nil {
		return h.last(ctx, key)
	}
	return h.Log.Last(ctx, key)
}
