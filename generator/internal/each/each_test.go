package each

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsMadeOfItemsKeepsTheirOrder(t *testing.T) {
	require.Equal(t, []string{"2", "1"}, Map([]int{2, 1}, strconv.Itoa))
	require.Equal(t, []int{4, 2}, Where([]int{3, 4, 5, 2}, func(i int) bool { return i%2 == 0 }))
	one, other := 1, 2
	require.Same(t, &other, First([]*int{&one, &other}, func(i *int) bool { return *i == 2 }))
}

func TestItemsStandInAListOnce(t *testing.T) {
	require.Equal(t, []int{1, 2}, With(With([]int{1}, 2), 1))
	require.Equal(t, []int{3, 3}, Without([]int{3, 1, 3, 2}, []int{2, 1}))
	require.Nil(t, Without([]int{1}, []int{1}))
}

func TestValuesAreSetWithinOthers(t *testing.T) {
	m := map[string]map[int]bool{"a": {1: true}}
	Put(m, "a", 2, true)
	Put(m, "b", 1, false)
	require.Equal(t, map[string]map[int]bool{"a": {1: true, 2: true}, "b": {1: false}}, m)
}

func TestSets(t *testing.T) {
	require.Equal(t, map[int]bool{1: true, 2: true}, Set([]int{2, 1, 2}))
	require.Equal(t, map[string]bool{"1": true, "2": true}, SetFunc([]int{2, 1, 2}, strconv.Itoa))
	require.Equal(t, map[int]bool{}, Set[int](nil))
}

func TestOfNoItemsThereIsNothing(t *testing.T) {
	require.Nil(t, Map([]int{}, strconv.Itoa))
	require.Nil(t, Where([]int{1}, func(int) bool { return false }))
	require.Nil(t, First([]*int{new(int)}, func(*int) bool { return false }))
}

func TestOnceCallsAFunctionOnceForEachArgument(t *testing.T) {
	calls := 0
	double := Once(func(n int) int { calls++; return 2 * n })
	require.Equal(t, []int{2, 4, 2}, []int{double(1), double(2), double(1)})
	require.Equal(t, 2, calls)
}
