package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/graph"
)

func TestReachVisitsEachNodeOnceDepthFirst(t *testing.T) {
	edges := map[string][]string{"a": {"b", "c"}, "b": {"d"}, "c": {"d", "a"}, "d": {"b"}}
	require.Equal(t, []string{"a", "b", "d", "c"}, graph.Reach([]string{"a"}, func(n string) []string { return edges[n] }))
	require.Equal(t, []string{"c", "d", "b", "a"}, graph.Reach([]string{"c", "a"}, func(n string) []string { return edges[n] }))
	require.Empty(t, graph.Reach(nil, func(string) []string { return nil }))
}

func TestReachEndsWhereThereAreManyWays(t *testing.T) {
	// Two nodes a level, each of which leads to both of the next: 2⁶⁰ ways to the last.
	const levels = 60
	visits := 0
	all := graph.Reach([]int{0}, func(n int) []int {
		visits++
		if next := (n/2 + 1) * 2; next < 2*levels {
			return []int{next, next + 1}
		}
		return nil
	})
	require.Len(t, all, 2*levels-1)
	require.Equal(t, len(all), visits)
}

func TestReachOfALongChainNeedsNoStack(t *testing.T) {
	const length = 200_000
	require.Len(t, graph.Reach([]int{1}, func(n int) []int {
		if n == length {
			return nil
		}
		return []int{n + 1}
	}), length)
}

func TestCircles(t *testing.T) {
	edges := map[string][]string{"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"d"}}
	got := graph.Circles([]string{"a", "b", "c", "d"}, func(n string) []string { return edges[n] })
	require.Equal(t, got["a"], got["b"])
	require.NotZero(t, got["a"])
	require.Zero(t, got["c"])
	require.NotZero(t, got["d"])
	require.NotEqual(t, got["a"], got["d"])
}
