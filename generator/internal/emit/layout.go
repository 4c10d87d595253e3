// Layout: formatted Go text, cached within the process. Formatting takes most of the time of emitting, and packages
// of two versions share most of their text.

package emit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/format"
	"sync"
)

// layouts caches formatted text by the digest of its source.
type layouts struct {
	most int // maximum size in bytes; the cache is cleared beyond it

	sync.Mutex
	texts map[[sha256.Size]byte][]byte
	size  int
}

// laidOut is the process-wide cache, large enough for about 30 packages of a large protocol.
var laidOut = layouts{most: 32 << 20}

// format formats declarations. The result is shared and must not be modified.
func (l *layouts) format(declarations []byte) ([]byte, error) {
	key := sha256.Sum256(declarations)
	l.Lock()
	known, ok := l.texts[key]
	l.Unlock()
	if ok {
		return known, nil
	}
	const clause = "package p\n"
	text, err := format.Source(append([]byte(clause), declarations...))
	if err != nil {
		return nil, fmt.Errorf("lay out: %w\n%s", err, declarations)
	}
	text = bytes.TrimLeft(text[len(clause):], "\n")
	l.Lock()
	defer l.Unlock()
	if l.texts == nil || l.size+len(text) > l.most {
		l.texts, l.size = map[[sha256.Size]byte][]byte{}, 0
	}
	l.texts[key] = text
	l.size += len(text)
	return text, nil
}
