// Tests of how differences are reported.

package want

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/ahpgen/ahpgen/golden/flags" // which go test ./golden/... is given
)

// recorder is a test that records its failures.
type recorder struct {
	testing.TB
	name            string
	failed, skipped string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Name() string              { return r.name }
func (r *recorder) Failed() bool              { return r.failed != "" }
func (r *recorder) Errorf(f string, a ...any) { r.failed += fmt.Sprintf(f, a...) }
func (r *recorder) Skipf(f string, a ...any)  { r.skipped += fmt.Sprintf(f, a...) }

func TestOneCauseFailsOneCase(t *testing.T) {
	var causes Causes
	try := func(name, want, got string) *recorder {
		r := &recorder{name: name}
		c := causes.For(r)
		c.Same("types_gen.go", want, got)
		c.End()
		return r
	}
	require.Equal(t, &recorder{name: "none"}, try("none", "a\n", "a\n"))
	first := try("first", "package p\n\n// A holds values.\ntype A int\n", "package p\n\n// A has values.\ntype A int\n")
	require.Contains(t, first.failed, "\n-// A holds values.\n+// A has values.\n")
	second := try("second", "package p\n\n// Longer holds values\n// of many kinds.\ntype B int\n", "package p\n\n// Longer has values of\n// many kinds.\ntype B int\n")
	require.Empty(t, second.failed)
	require.Equal(t, "it differs only as first does", second.skipped)
	third := try("third", "// A holds values.\nvar x = 1\n", "// A has values.\nvar x = 2\n")
	require.Contains(t, third.failed, "\n-var x = 1\n")
}

func TestDifferencesAreShort(t *testing.T) {
	var causes Causes
	r := &recorder{name: "long"}
	causes.For(r).Same("f", strings.Repeat("a\n", 500), strings.Repeat("b\n", 500))
	require.Less(t, strings.Count(r.failed, "\n"), 70)
	require.True(t, strings.HasSuffix(r.failed, "…\n"))
}
