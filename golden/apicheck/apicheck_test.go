package apicheck

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMessagesFollowFromThePackagesAlone: a comparison says the same each time, although apidiff meets the members of a
// struct in no order, and lets a type correspond to the first that it meets in its place.
func TestMessagesFollowFromThePackagesAlone(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		want     []string
		added    int
	}{
		"a type that went stood in several places": {
			old:  `type A struct { X, Y *Gone; Z []Gone }; type Gone struct { M, N string }`,
			new:  `type A struct { X *One; Y *Two; Z []Three }; type One struct { M, N string }; type Two struct { M string }; type Three int`,
			want: []string{"Gone: removed"}, added: 3,
		},
		"a type that stays went from several places": {
			old: `type A struct { X, Y *Stays; Z map[string]Stays }; type Stays struct { M string }`,
			new: `type A struct { X *One; Y *Stays; Z map[string]One }; type One struct { M string }; type Stays struct { M string }`,
			want: []string{
				"A.X: changed from *Stays to *One", "A.Z: changed from map[string]Stays to map[string]One",
			}, added: 1,
		},
		"another type besides": {
			old: `type Gone struct { M string }; func F(Gone, int) {}; func G(Gone, int) {}`,
			new: `type One struct { M string }; func F(One, string) {}; func G(One, int) {}`,
			want: []string{
				"F: changed from func(Gone, int) to func(One, string)", "Gone: removed",
			}, added: 1,
		},
		"no type in the place": {
			old:  `type Gone struct { M string }; type A struct { X Gone; Y Gone }`,
			new:  `type A struct { X string; Y []A }`,
			want: []string{"A.X: changed from Gone to string", "A.Y: changed from Gone to []A", "A: old is comparable, new is not", "Gone: removed"},
		},
		"members, methods and interfaces": {
			old: `type I interface { M(int) *A; isI() }; type A struct { X int }; func (a A) M(int) *A { return nil }; func (a *A) N() {}; func (A) isI() {}`,
			new: `type I interface { M(int) *A; isI() }; type A struct { X string; Y int }; func (a *A) M(int) *A { return nil }; func (a *A) N(int) {}; func (A) isI() {}`,
			want: []string{
				"(*A).N: changed from func() to func(int)", "A.M: removed", "A.X: changed from int to string", "A: no longer implements I",
			}, added: 1,
		},
		"what is embedded is said once": {
			old:  `type Base struct { X int }; func (*Base) M() {}; type A struct { Base }; type B struct { Base }`,
			new:  `type Base struct { X int }; func (*Base) M(int) {}; func (*Base) N() {}; type A struct { Base }; type B struct { Base }`,
			want: []string{"(*Base).M: changed from func() to func(int)"}, added: 1,
		},
		"type parameters, constants and other names": {
			old: `type L[T any] []T; func (L[T]) First() (t T) { return t }; type P[K, V any] map[string]K; type N int; const C N = 1; type O = N`,
			new: `type L[T any] []T; func (L[T]) First() (t T) { return t }; type P[K, V any] map[string]V; type N int; const C N = 2; type O = string`,
			want: []string{
				"C: value changed from 1 to 2", "O: changed from N to string", "P: changed from map[string]K to map[string]V",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 100 { // in all orders that maps come up with
				r, err := Compare(emitted(c.old), emitted(c.new), nil)
				require.NoError(t, err)
				require.Equal(t, c.want, r.Incompatible)
				require.Equal(t, c.added, r.Compatible)
			}
		})
	}
}

// emitted returns a package with some declarations.
func emitted(declarations string) Package {
	return Package{Files: []File{{Name: "p.go", Content: []byte("package p; " + declarations)}}, Below: "example.com/p/wire", Dir: "wire"}
}
