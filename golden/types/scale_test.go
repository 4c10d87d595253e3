// Scale: what a run takes grows with its input, whatever it is that grows.

package types

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/golden/bulk"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// Ten times the input may take eleven times the objects; their bytes grow in steps, for tables double
// when they are full. What is allocated does not depend on the machine. Loops that allocate nothing are
// held by a time that is far beyond what any machine needs.
const (
	mostObjects = 11
	mostBytes   = 16
	mostTime    = 3 * time.Minute
)

// sizes are how many times a shape is repeated.
func sizes() []int {
	if *kit.Thorough {
		return []int{100, 1000}
	}
	return []int{25, 250}
}

// cost is what a run allocates.
type cost struct{ objects, bytes float64 }

func measure(t *testing.T, run func()) cost {
	t.Helper()
	var before, after runtime.MemStats
	start := time.Now()
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	require.Less(t, time.Since(start), mostTime)
	return cost{float64(after.Mallocs - before.Mallocs), float64(after.TotalAlloc - before.TotalAlloc)}
}

// schemasIn writes a folder with one schema file.
func schemasIn(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.schema.json"), []byte(text), 0o666))
	return dir
}

// plan plans a package in memory, and returns what was wrong with the schemas.
func plan(t *testing.T, schemas string) *diag.List {
	t.Helper()
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: schemas, Out: filepath.Join(schemas, "out")}, &diags)
	require.NoError(t, err)
	if _, err = g.Plan(); err != nil {
		require.ErrorIs(t, err, generator.ErrFindings)
	}
	return &diags
}

func lint(t *testing.T, schemas string) {
	t.Helper()
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: schemas}, &diags)
	require.NoError(t, err)
	if err = g.Lint(); err != nil {
		require.ErrorIs(t, err, generator.ErrFindings)
	}
}

// renamed calls whatever has a number otherwise.
func renamed(text string) string {
	return strings.NewReplacer(`"m`, `"q`, `"v`, `"w`, "Do", "Run", "/do", "/run", "Thing", "Item", "Variant", "Kind", "defs/V", "defs/W", `"V`, `"W`, `"Bad`, `"Evil`).Replace(text)
}

func requireGrowth(t *testing.T, small, large cost) {
	t.Helper()
	require.LessOrEqual(t, large.objects/small.objects, float64(mostObjects), "%.0f and %.0f objects", small.objects, large.objects)
	require.LessOrEqual(t, large.bytes/small.bytes, float64(mostBytes), "%.0f and %.0f bytes", small.bytes, large.bytes)
}

func TestWorkGrowsWithTheSchemas(t *testing.T) {
	kit.Wide(t)
	plan(t, schemasIn(t, bulk.Mixed(10))) // what is read once is read now
	for _, shape := range bulk.Shapes() {
		t.Run(shape.Name, func(t *testing.T) {
			var plans, lints, diffs []cost
			for _, n := range sizes() {
				text := shape.Make(n)
				old, new := schemasIn(t, text), schemasIn(t, renamed(text))
				plans = append(plans, measure(t, func() { require.Equal(t, shape.Refused, plan(t, old).HasErrors()) }))
				lints = append(lints, measure(t, func() { lint(t, old) }))
				if shape.Refused {
					continue
				}
				diffs = append(diffs, measure(t, func() {
					var diags diag.List
					_, err := generator.Compare(old, new, generator.DiffOptions{}, &diags)
					require.NoError(t, err, "%v", diags.Sorted())
				}))
			}
			requireGrowth(t, plans[0], plans[1])
			requireGrowth(t, lints[0], lints[1])
			if !shape.Refused {
				requireGrowth(t, diffs[0], diffs[1])
			}
		})
	}
}

func TestWhatRepeatsItselfTooOftenIsRefused(t *testing.T) {
	for name, text := range map[string]func(n int) string{
		"variants of unions in unions": bulk.NestedUnions, "members of bases": bulk.InheritedMembers, "values of other enums": bulk.SharedValues,
	} {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, plan(t, schemasIn(t, text(100))).Sorted())
			diags := plan(t, schemasIn(t, text(1000))).Sorted()
			require.Len(t, diags, 1)
			require.Equal(t, "too-much-repeated", diags[0].Code)
			require.NotZero(t, diags[0].Pos.Line)
			require.NotEmpty(t, diags[0].Hint)
		})
	}
}
