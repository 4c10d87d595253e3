package version_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/version"
)

func parsed(t *testing.T, text string) version.Version {
	t.Helper()
	v, err := version.Numbers.Parse(text)
	require.NoError(t, err)
	return v
}

func TestVersionsAreOrderedByTheirNumbers(t *testing.T) {
	sorted := []string{"0", "0.0.1", "0.4", "0.4.1", "0.5.0", "0.10.0", "1", "1.0.1", "2025.11.25"}
	for i, a := range sorted {
		for j, b := range sorted {
			got := parsed(t, a).Compare(parsed(t, b))
			require.Equal(t, i < j, got < 0, "%s, %s", a, b)
			require.Equal(t, i == j, got == 0, "%s, %s", a, b)
		}
	}
}

func TestVersionsThatAreTheSame(t *testing.T) {
	for a, b := range map[string]string{"1": "1.0.0", "0.7": "0.7.0", "0.8.0-dev": "0.8.0", "0.8.0-rc.1": "0.8.0-dev", "00.1": "0.1"} {
		require.Zero(t, parsed(t, a).Compare(parsed(t, b)), "%s, %s", a, b)
		require.Equal(t, a, parsed(t, a).String(), "the text stays")
	}
}

func TestVersionsThatAreNone(t *testing.T) {
	for _, text := range []string{"", "a", "1.2.3.4", "1..2", "1.", ".1", "v1.2.3", "-1", "+1", "1.+2", "1.2.x", " 1", "1 ", "0x1", "99999999999999999999"} {
		_, err := version.Numbers.Parse(text)
		require.Error(t, err, "%q", text)
		require.Contains(t, err.Error(), text)
	}
}

func TestOrders(t *testing.T) {
	for order, sorted := range map[version.Order][]string{
		version.Dates:    {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"},
		version.Integers: {"0", "1", "2", "9", "10", "11"},
		"":               {"0.9", "0.10", "1.0.0"},
	} {
		for i, a := range sorted {
			for j, b := range sorted {
				v, err := order.Parse(a)
				require.NoError(t, err)
				w, err := order.Parse(b)
				require.NoError(t, err)
				require.Equal(t, i < j, v.Compare(w) < 0, "%s, %s", a, b)
				require.Equal(t, i == j, v.Compare(w) == 0, "%s, %s", a, b)
			}
		}
		r, err := order.ParseRange(">=" + sorted[1] + " <" + sorted[2])
		require.NoError(t, err)
		for i, text := range sorted {
			v, err := order.Parse(text)
			require.NoError(t, err)
			require.Equal(t, i == 1, r.Holds(v), text)
		}
	}
}

func TestVersionsOfAnotherOrderAreRefusedWithAHint(t *testing.T) {
	for _, c := range []struct {
		order      version.Order
		text, hint string
	}{
		{version.Numbers, "2025-11-25", `state "order": "dates" beside the versions`},
		{version.Numbers, "2025-13-25x!", "versions look like 0.7.0"},
		{version.Dates, "1.0.0", "versions look like 2025-11-25"},
		{version.Dates, "2025-11-31", "versions look like 2025-11-25"},
		{version.Dates, "2025-3-26", "versions look like 2025-11-25"},
		{version.Integers, "1.0", "versions look like 3"},
		{version.Integers, "-1", "versions look like 3"},
		{version.Integers, "99999999999999999999", "versions look like 3"},
		{"", "", "versions look like 0.7.0"},
	} {
		_, err := c.order.Parse(c.text)
		require.ErrorContains(t, err, c.text)
		require.Equal(t, c.hint, c.order.Hint(c.text), c.text)
	}
	require.NoError(t, version.Check("2025-11-25"))
	require.NoError(t, version.Check("0.7.0-dev"))
	require.Error(t, version.Check("new"))
	require.Equal(t, `ranges look like ">=3 <4"`, version.Integers.RangeHint())
}

func TestOnlyTheUnknownVersionIsZero(t *testing.T) {
	require.True(t, version.Version{}.IsZero())
	require.False(t, parsed(t, "0").IsZero())
}

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		text    string
		in, out []string
	}{
		{"", []string{"0", "0.7.0", "99"}, nil},
		{"  ", []string{"1"}, nil},
		{"0.7.0", []string{"0.7.0", "0.7", "0.7.0-dev"}, []string{"0.6.9", "0.7.1"}},
		{"=0.7.0", []string{"0.7.0"}, []string{"0.7.1"}},
		{">=0.5.0", []string{"0.5.0", "0.10.0", "1"}, []string{"0.4.9"}},
		{">0.5.0", []string{"0.5.1"}, []string{"0.5.0", "0.4.0"}},
		{"<0.5.0", []string{"0.4.9", "0"}, []string{"0.5.0", "0.5.1"}},
		{"<=0.5.0", []string{"0.5.0", "0.4.0"}, []string{"0.5.1"}},
		{">=0.5.0 <0.7.0", []string{"0.5.0", "0.6.9"}, []string{"0.4.0", "0.7.0", "0.8.0"}},
		{"  <0.7.0   >=0.5.0 ", []string{"0.6.0"}, []string{"0.7.0", "0.4.0"}},
		{">=0.7.0 <0.5.0", nil, []string{"0.4.0", "0.6.0", "0.8.0"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			r, err := version.Numbers.ParseRange(c.text)
			require.NoError(t, err)
			require.True(t, r.Holds(version.Version{}), "an unknown version is in every range")
			for _, v := range c.in {
				require.True(t, r.Holds(parsed(t, v)), v)
			}
			for _, v := range c.out {
				require.False(t, r.Holds(parsed(t, v)), v)
			}
		})
	}
}

func TestRangesThatAreNone(t *testing.T) {
	for _, text := range []string{"==1", "=>1", "<>1", "~1", "^1", "!=1", ">=", ">= 1", "1,2", ">=1 || <2", "x"} {
		_, err := version.Numbers.ParseRange(text)
		require.Error(t, err, text)
	}
}

func TestTheNextVersionMovesOneNumber(t *testing.T) {
	for _, c := range []struct {
		old, new string
		differ   int
		raised   []string
	}{
		{"1.2.3", "2.0.0", 0, []string{"2.0.0", "1.3.0", "1.2.4"}},
		{"0.7.1", "0.8.0", 1, []string{"1.0.0", "0.8.0", "0.7.2"}},
		{"0.8.0-dev", "0.8.1", 2, []string{"1.0.0", "0.9.0", "0.8.1"}},
		{"1", "1.0.0", 3, []string{"2.0.0", "1.1.0", "1.0.1"}},
	} {
		require.Equal(t, c.differ, parsed(t, c.old).Differ(parsed(t, c.new)), "%s, %s", c.old, c.new)
		for place, want := range c.raised {
			require.Equal(t, want, parsed(t, c.old).Raised(place))
		}
	}
}
