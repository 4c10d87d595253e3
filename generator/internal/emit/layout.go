// Layout: text of Go as gofmt lays it out, which takes most of the time of emitting a package. What was laid out before by
// this process is known: packages for two versions of a protocol have most of their text in common.

package emit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/format"
	"sync"
)

// layouts are texts that were laid out, by the digest of what each was made from.
type layouts struct {
	most int // bytes that are kept; then it begins anew

	sync.Mutex
	texts map[[sha256.Size]byte][]byte
	size  int
}

// laidOut is what this process has laid out, for about 30 packages of a large protocol.
var laidOut = layouts{most: 32 << 20}

// format lays declarations out. Nobody may write to what it returns.
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
