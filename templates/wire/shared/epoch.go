// Epochs and numbers that were never given out.

package shared

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"time"
)

// Spacing is the room for each record in a sequence of numbers that goes on from epoch to epoch: at a position, the sequence has
// come to Epoch + Number*Spacing.
const Spacing = 64

// A log may be put back to an earlier copy, or lose its tail. What goes on from there would give out numbers that others
// have seen already, with other records behind them. Nothing in such a log can tell. So a fresh number comes from the clock,
// with more room for each millisecond than there are records, so that it is above all that was ever given. If the
// clock is behind the log, it is one of many, by chance.
const (
	numbersPerMilli = 1 << 12
	chance          = 1 << 28 // about a minute's worth
	maxNumber       = 1<<53 - 1
	// The clock counts up to this in the year 2091; the rest is for starts after that.
	maxClock = maxNumber - 1<<48
)

var clockBegins = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

var errNoNumbers = errors.New("no numbers are left")

// Fresh returns a number to continue a sequence from that is greater than the last one known and was never given out. It is
// below 1<<53.
func Fresh(last int64, now time.Time) (int64, error) {
	var some [8]byte
	if _, err := rand.Read(some[:]); err != nil {
		return 0, err
	}
	random := int64(binary.BigEndian.Uint64(some[:]) % chance) // it is small
	if milli := now.UnixMilli() - clockBegins.UnixMilli(); milli > last/numbersPerMilli && milli < maxClock/numbersPerMilli {
		return milli*numbersPerMilli + random%numbersPerMilli, nil
	}
	first := max(last, 0) + 1 + random
	if first > maxNumber-chance {
		return 0, errNoNumbers
	}
	return first, nil
}
