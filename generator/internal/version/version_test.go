package version_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/version"
)

func parsed(t *testing.T, text string) version.Version {
	t.Helper()
	v, err := version.Parse(text)
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
		_, err := version.Parse(text)
		require.Error(t, err, "%q", text)
		require.Contains(t, err.Error(), text)
	}
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
			r, err := version.ParseRange(c.text)
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
		_, err := version.ParseRange(text)
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
