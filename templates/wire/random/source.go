// Sources of random numbers, and shrinking.

package random

import "encoding/binary"

// Source is a source of random numbers, such as a *rand.Rand.
type Source interface{ Uint64() uint64 }

// Bytes returns a source that reads numbers from the data of a fuzz test, and zeros after that.
func Bytes(data []byte) Source { return &bytesSource{data} }

type bytesSource struct{ data []byte }

func (s *bytesSource) Uint64() uint64 {
	var word [8]byte
	s.data = s.data[copy(word[:], s.data):]
	return binary.LittleEndian.Uint64(word[:])
}

// Replay returns a source of the given numbers, and zeros after that.
func Replay(numbers []uint64) Source { return &replay{rest: numbers} }

type replay struct{ rest []uint64 }

func (r *replay) Uint64() uint64 {
	if len(r.rest) == 0 {
		return 0
	}
	n := r.rest[0]
	r.rest = r.rest[1:]
	return n
}

// recorder keeps what it returns.
type recorder struct {
	of      Source
	numbers []uint64
}

func (r *recorder) Uint64() uint64 {
	n := r.of.Uint64()
	r.numbers = append(r.numbers, n)
	return n
}

// maxTries is the number of sources that Shrink tries.
const maxTries = 20_000

// Shrink looks for smaller values for which a test fails. If the test fails with the source, it returns the numbers for
// [Replay] with which it still does, and otherwise nil.
func Shrink(src Source, fails func(Source) bool) []uint64 {
	first := &recorder{of: src}
	if !fails(first) {
		return nil
	}
	s := &shrinker{best: append([]uint64{}, first.numbers...), fails: fails}
	for before := -1; before != s.better && s.tries < maxTries; {
		before = s.better
		for size := len(s.best); size > 0; size /= 2 {
			for at := 0; at+size <= len(s.best); {
				if !s.try(at, nil, size) {
					at += size
				}
			}
		}
		for at := range s.best {
			s.lower(at)
		}
	}
	return s.best
}

// maxPart is the maximum number of random numbers in a part that shrinking tries to leave out.
const maxPart = 24

// lower makes a number smaller, perhaps together with leaving out those behind it: they may belong to a part of the value
// that the number says is there.
func (s *shrinker) lower(at int) {
	if at >= len(s.best) || s.best[at] == 0 {
		return
	}
	for behind := 0; behind <= maxPart; behind++ {
		if s.try(at, []uint64{0}, 1+behind) {
			return
		}
	}
	for _, smaller := range []uint64{s.best[at] / 2, s.best[at] - 1} {
		if s.try(at, []uint64{smaller}, 1) {
			return
		}
	}
}

type shrinker struct {
	best          []uint64
	fails         func(Source) bool
	tries, better int
}

// try replaces so many numbers at a place, and keeps that if the test still fails.
func (s *shrinker) try(at int, by []uint64, size int) bool {
	if s.tries++; s.tries > maxTries || at+size > len(s.best) {
		return false
	}
	numbers := append(append(append([]uint64{}, s.best[:at]...), by...), s.best[at+size:]...)
	if !s.fails(Replay(numbers)) {
		return false
	}
	s.best = numbers
	s.better++
	return true
}
