// Histograms: how durations are spread, in buckets that are at most a quarter apart.

package observe

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Histogram counts durations. The zero value is empty; it must not be copied.
type Histogram struct{ buckets [256]atomic.Int64 }

// bucket returns the index for a duration: four for each power of two.
func bucket(d time.Duration) int {
	n := uint64(max(d, 0))
	if n < 4 {
		return int(n)
	}
	power := bits.Len64(n) - 3
	return 4*(power+1) + int(n>>power)&3 //nolint:gosec // two bits
}

// least returns the smallest duration of a bucket.
func least(bucket int) time.Duration {
	if bucket < 4 {
		return time.Duration(bucket)
	}
	return time.Duration(4+bucket%4) << (bucket/4 - 1)
}

func (h *Histogram) add(d time.Duration) { h.buckets[bucket(d)].Add(1) }

// Spread is how durations are spread.
type Spread struct {
	Count int64 `json:"count"`
	// Half, Most and Longest are at least what half, 99 % and all of the durations are, and at most a quarter more; in
	// nanoseconds of JSON.
	Half    time.Duration `json:"half"`
	Most    time.Duration `json:"most"`
	Longest time.Duration `json:"longest"`

	buckets [256]int64
}

// Read returns the spread of all durations so far.
func (h *Histogram) Read() Spread {
	var out Spread
	for i := range h.buckets {
		out.buckets[i] = h.buckets[i].Load()
	}
	out.settle()
	return out
}

// Since returns the spread of those durations that an earlier reading did not have.
func (s Spread) Since(earlier Spread) Spread {
	for i := range s.buckets {
		s.buckets[i] -= earlier.buckets[i]
	}
	s.settle()
	return s
}

// settle computes the rest from the buckets.
func (s *Spread) settle() {
	s.Count, s.Half, s.Most, s.Longest = 0, 0, 0, 0
	for _, n := range s.buckets {
		s.Count += n
	}
	seen := int64(0)
	for i, n := range s.buckets {
		if n == 0 {
			continue
		}
		if seen*2 < s.Count {
			s.Half = least(i + 1)
		}
		if seen*100 < s.Count*99 {
			s.Most = least(i + 1)
		}
		s.Longest = least(i + 1)
		seen += n
	}
}
