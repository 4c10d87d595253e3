// Memory: a log for servers of one process.

package shared

import (
	"context"
	"slices"
	"sync"
)

// Memory is a log in memory. It ends with the process. The zero value is an empty log.
type Memory struct {
	mu          sync.Mutex
	records     []Record // by number, without those that are trimmed
	last        int64
	trimmed     int64              // last number that was trimmed
	keys        map[string][]int64 // numbers of the records of each key
	cut         map[string]int64   // last number of each key that was trimmed
	checkpoints map[string]Record
	more        chan struct{} // closed when there are more records
}

var _ Log = (*Memory)(nil)

// memoryEpoch is the epoch of each log in memory: none outlives its process.
const memoryEpoch = 1

// Append implements [Log].
func (m *Memory) Append(ctx context.Context, b Batch) (first int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range b.If {
		if last := m.lastOf(c.Key); last != c.Last {
			return 0, &ConflictError{c.Key, last}
		}
	}
	if m.keys == nil {
		m.keys = map[string][]int64{}
	}
	first = m.last + 1
	for _, r := range b.Records {
		m.last++
		r.Number, r.Data = m.last, slices.Clone(r.Data)
		m.keys[r.Key] = append(m.keys[r.Key], r.Number)
		m.records = append(m.records, r)
	}
	if m.more != nil {
		close(m.more)
		m.more = nil
	}
	return first, nil
}

// piece is the greatest number of records that are passed at once.
const piece = 1000

// next returns a piece of the records after a number, or a channel that is closed when there are any.
func (m *Memory) next(after Position) ([]Record, <-chan struct{}, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case after.Epoch != memoryEpoch || after.Number > m.last:
		return nil, nil, &MovedError{Epoch: memoryEpoch}
	case after.Number < m.trimmed:
		return nil, nil, &MovedError{Epoch: memoryEpoch, Trimmed: true}
	}
	list := m.after(after.Number)
	if len(list) > 0 {
		return slices.Clone(list[:min(len(list), piece)]), nil, nil
	}
	if m.more == nil {
		m.more = make(chan struct{})
	}
	return nil, m.more, nil
}

// lastOf returns the last number of a key, or 0. The caller must hold the lock.
func (m *Memory) lastOf(key string) int64 {
	if numbers := m.keys[key]; len(numbers) > 0 {
		return numbers[len(numbers)-1]
	}
	return 0
}

// after returns the records after a number. The caller must hold the lock.
func (m *Memory) after(number int64) []Record {
	i, _ := slices.BinarySearchFunc(m.records, number+1, func(r Record, n int64) int { return int(r.Number - n) })
	return m.records[i:]
}

// Follow implements [Log].
func (m *Memory) Follow(ctx context.Context, after Position, f func([]Record) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		list, more, err := m.next(after)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			if err := f(list); err != nil {
				return err
			}
			after.Number = list[len(list)-1].Number
			continue
		}
		select {
		case <-more:
		case <-ctx.Done():
		}
	}
}

// Read implements [Log].
func (m *Memory) Read(ctx context.Context, key string, after int64, f func(Record) error) error {
	after = max(after, 0)
	m.mu.Lock()
	cut := m.cut[key]
	var list []Record
	numbers := m.keys[key]
	i, _ := slices.BinarySearch(numbers, after+1)
	for _, number := range numbers[i:] {
		list = append(list, m.after(number - 1)[0])
	}
	m.mu.Unlock()
	if cut > after {
		return &MovedError{Epoch: memoryEpoch, Trimmed: true}
	}
	for _, r := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// Last implements [Log].
func (m *Memory) Last(ctx context.Context, key string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lastOf(key), ctx.Err()
}

// End implements [Log].
func (m *Memory) End(ctx context.Context) (Position, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Position{memoryEpoch, m.last}, ctx.Err()
}

// Heads implements [Log].
func (m *Memory) Heads(ctx context.Context, f func(Record) error) error {
	m.mu.Lock()
	heads := map[string]Record{}
	for _, r := range m.records {
		heads[r.Key] = r
	}
	m.mu.Unlock()
	for _, r := range heads {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.Data = nil
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// Save implements [Log].
func (m *Memory) Save(ctx context.Context, epoch int64, checkpoint Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if epoch != memoryEpoch {
		return &MovedError{Epoch: memoryEpoch}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.checkpoints == nil {
		m.checkpoints = map[string]Record{}
	}
	if old, ok := m.checkpoints[checkpoint.Key]; !ok || old.Number < checkpoint.Number {
		checkpoint.Data = slices.Clone(checkpoint.Data)
		m.checkpoints[checkpoint.Key] = checkpoint
	}
	return nil
}

// Load implements [Log].
func (m *Memory) Load(ctx context.Context, key string) (checkpoint Record, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	checkpoint, ok = m.checkpoints[key]
	return checkpoint, ok, ctx.Err()
}

// Trim implements [Log].
func (m *Memory) Trim(ctx context.Context, upTo Position) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if upTo.Epoch != memoryEpoch {
		return &MovedError{Epoch: memoryEpoch}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cut == nil {
		m.cut = map[string]int64{}
	}
	m.records = slices.DeleteFunc(m.records, func(r Record) bool {
		numbers := m.keys[r.Key]
		if r.Number > upTo.Number || len(numbers) == 1 {
			return false
		}
		m.keys[r.Key] = numbers[1:]
		m.cut[r.Key] = r.Number
		m.trimmed = max(m.trimmed, r.Number)
		return true
	})
	return nil
}

// Limits implements [Log].
func (m *Memory) Limits() Limits { return Limits{} }
