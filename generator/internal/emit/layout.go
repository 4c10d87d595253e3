// Layout: formatted Go text, cached within the process. Formatting takes most of the time of emitting, and packages
// of two versions share most of their text.

package emit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"sync"

	"github.com/ahpgen/ahpgen/generator/internal/declared"
)

// layout is formatted text of declarations, and the names before dots in it. A name of a package is never that of a variable.
// It is shared and must not be modified.
type layout struct {
	text  []byte
	names map[string]bool
}

// layouts caches formatted text by the digest of its source.
type layouts struct {
	most int // maximum size in bytes; the cache is cleared beyond it

	sync.Mutex
	known map[[sha256.Size]byte]layout
	size  int
}

// laidOut is the process-wide cache, large enough for about 30 packages of a large protocol.
var laidOut = layouts{most: 32 << 20}

// format formats declarations.
func (l *layouts) format(declarations []byte) (layout, error) {
	key := sha256.Sum256(declarations)
	l.Lock()
	known, ok := l.known[key]
	l.Unlock()
	if ok {
		return known, nil
	}
	made, err := layOut(declarations)
	if err != nil {
		return layout{}, fmt.Errorf("lay out: %w\n%s", err, declarations)
	}
	l.Lock()
	defer l.Unlock()
	if l.known == nil || l.size+len(made.text) > l.most {
		l.known, l.size = map[[sha256.Size]byte]layout{}, 0
	}
	l.known[key] = made
	l.size += len(made.text)
	return made, nil
}

func layOut(declarations []byte) (layout, error) {
	const clause = "package p\n"
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", append([]byte(clause), declarations...), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return layout{}, err
	}
	var text bytes.Buffer
	if err := format.Node(&text, files, file); err != nil {
		return layout{}, err
	}
	return layout{bytes.TrimLeft(text.Bytes()[len(clause):], "\n"), declared.Qualifiers(file)}, nil
}
