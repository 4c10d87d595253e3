package spec

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestVersionIsChosenFromTheOffer(t *testing.T) {
	for _, c := range []struct {
		name               string
		offered, supported []string
		want, err          string
	}{
		{"the same on both sides", []string{"0.7.0"}, []string{"0.7.0"}, "0.7.0", ""},
		{"the highest, not the client's favourite", []string{"0.5.1", "0.7.0", "0.6.0"}, []string{"0.7.0", "0.6.0", "0.5.1"}, "0.7.0", ""},
		{"the highest that the host can speak", []string{"0.8.0", "0.6.0", "0.5.1"}, []string{"0.6.0", "0.5.1"}, "0.6.0", ""},
		{"numbers, not text", []string{"0.9.0", "0.10.0"}, []string{"0.9.0", "0.10.0"}, "0.10.0", ""},
		{"another patch of the same minor version", []string{"0.7.3"}, []string{"0.7.0"}, "0.7.3", ""},
		{"another minor version before 1.0", []string{"0.8.0"}, []string{"0.7.0"}, "", "no common version"},
		{"another minor version from 1.0 on", []string{"1.4.0"}, []string{"1.2.0"}, "1.4.0", ""},
		{"another major version", []string{"2.0.0"}, []string{"1.2.0"}, "", "no common version"},
		{"1.0 and what came before", []string{"1.0.0"}, []string{"0.1.0"}, "", "no common version"},
		{"a pre-release on both sides", []string{"0.7.0", "0.8.0-dev"}, []string{"0.8.0-dev", "0.7.0"}, "0.8.0-dev", ""},
		{"a release before its pre-release", []string{"0.8.0-dev", "0.8.0"}, []string{"0.8.0-dev", "0.8.0"}, "0.8.0", ""},
		{"a pre-release for its release", []string{"0.8.0-dev"}, []string{"0.8.0"}, "", "no common version"},
		{"a release for its pre-release", []string{"0.8.0"}, []string{"0.8.0-dev"}, "", "no common version"},
		{"pre-releases in order", []string{"1.0.0-rc.2", "1.0.0-rc.11", "1.0.0-rc"}, []string{"1.0.0-rc", "1.0.0-rc.11", "1.0.0-rc.2"}, "1.0.0-rc.11", ""},
		{"before 0.1.0 a patch promises nothing", []string{"0.0.3", "0.0.2"}, []string{"0.0.2"}, "0.0.2", ""},
		{"the highest in a range", []string{"1.0.0", "1.3.1", "2.0.0", "1.2.9"}, []string{"^1.2.0", "^0.9.0"}, "1.3.1", ""},
		{"before the beginning of a range", []string{"1.1.9", "0.8.9"}, []string{"^1.2.0", "^0.9.0"}, "", "no common version"},
		{"a range before 1.0", []string{"0.10.0", "0.9.4"}, []string{"^1.0.0", "^0.9.0"}, "0.9.4", ""},
		{"a range is no offer", []string{"^1.0.0"}, []string{"^1.0.0"}, "", `[0]: version "^1.0.0" is not of the form MAJOR.MINOR.PATCH`},
		{"nothing offered", nil, []string{"0.7.0"}, "", "no common version"},
		{"a malformed version among good ones", []string{"latest", "0.7.0", "0.7"}, []string{"0.7.0"}, "0.7.0", ""},
		{"a malformed version where no other fits", []string{"0.8.0", "0.7", "x"}, []string{"0.7.0"}, "", `no common version; [1]: version "0.7" is not of the form MAJOR.MINOR.PATCH`},
		{"nothing but malformed versions", []string{"0.7", "latest"}, []string{"0.7.0"}, "", `[0]: version "0.7" is not of the form MAJOR.MINOR.PATCH`},
		{"a malformed version of one's own", []string{"0.7.0"}, []string{"v0.7.0"}, "", `supported: version "v0.7.0" is not of the form MAJOR.MINOR.PATCH`},
	} {
		got, err := Numbers.ChooseVersion(c.offered, c.supported)
		check(t, got, c.want, c.name)
		check(t, text(err), c.err, c.name)
		check(t, errors.Is(err, ErrNoCommonVersion), strings.HasPrefix(c.err, "no common version"), c.name)
		if err == nil {
			check(t, Numbers.CheckVersion(c.offered, got, "version"), error(nil), c.name)
		}
	}
}

func TestDatesAndIntegersAreOrdered(t *testing.T) {
	for _, c := range []struct {
		name               string
		order              Order
		offered, supported []string
		want, err          string
	}{
		{"the latest date", Dates, []string{"2025-03-26", "2025-11-25", "2025-06-18"}, []string{"2025-11-25", "2025-03-26"}, "2025-11-25", ""},
		{"another day", Dates, []string{"2025-11-24"}, []string{"2025-11-25"}, "", "no common version"},
		{"a date of no month", Dates, []string{"2025-13-01"}, []string{"2025-11-25"}, "", `[0]: version "2025-13-01" is not a date of the form YYYY-MM-DD`},
		{"a number among dates", Dates, []string{"1.0.0", "2025-11-25"}, []string{"2025-11-25"}, "2025-11-25", ""},
		{"a range of dates", Dates, []string{"2025-11-25"}, []string{"^2025-11-25"}, "", `supported: version "^2025-11-25" is not a date of the form YYYY-MM-DD`},
		{"the highest integer", Integers, []string{"9", "10"}, []string{"10", "9"}, "10", ""},
		{"another integer", Integers, []string{"2"}, []string{"1"}, "", "no common version"},
		{"a number that is none", Integers, []string{"01"}, []string{"1"}, "", `[0]: version "01" is not a whole number`},
	} {
		got, err := c.order.ChooseVersion(c.offered, c.supported)
		check(t, got, c.want, c.name)
		check(t, text(err), c.err, c.name)
	}
	check(t, Dates.KnownIn("2025-11-25", "2025-03-26"), true)
	check(t, Dates.KnownIn("2025-03-26", "2025-11-25"), false)
	check(t, Dates.KnownIn("2025-03-26", ""), true)
	check(t, Integers.KnownIn("10", "9"), true)
	check(t, Integers.KnownIn("1.0.0", "1"), false)
	check(t, text(Integers.CheckVersion([]string{"1", "2"}, "2.0.0", "version")), `version: version "2.0.0" is not a whole number`)
}

func TestMalformedVersions(t *testing.T) {
	for _, version := range []string{
		"", "1", "1.0", "1.0.0.0", "a.b.c", "1.0.x", "01.0.0", "1.00.0", "+1.0.0", "-1.0.0", " 1.0.0", "1.0.0 ", "1..0", "1.0.0-", "1.0.0-a..b", "1.0.0-01",
		"1.0.0-ä", "1.0.0+build", "^1.0.0", "99999999999999999999.0.0", "1.0.0-dev ",
	} {
		if _, err := Numbers.parse(version); err == nil {
			t.Errorf("%q is taken for a version", version)
		}
		if _, err := Numbers.ChooseVersion([]string{version}, []string{"1.0.0"}); err == nil || errors.Is(err, ErrNoCommonVersion) {
			t.Errorf("offer of %q: %v", version, err)
		}
		if Numbers.CheckVersion([]string{version}, version, "version") == nil {
			t.Errorf("%q is taken for an answer", version)
		}
		check(t, Numbers.KnownIn(version, "0.1.0"), false, version)
		if Numbers.Validate(version) == nil {
			t.Errorf("%q is taken for an agreed version", version)
		}
	}
	for _, version := range []string{"0.0.0", "1.2.3-dev", "1.2.3-0", "1.2.3-0a.-", "18446744073709551615.0.0"} {
		_, err := Numbers.parse(version)
		check(t, err, error(nil), version)
	}
}

func TestPreReleasesAreOrdered(t *testing.T) {
	want := []string{
		"0.8.0-1", "0.8.0-2", "0.8.0-10", "0.8.0-alpha", "0.8.0-alpha.1", "0.8.0-alpha.beta", "0.8.0-beta", "0.8.0-beta.2", "0.8.0-beta.11", "0.8.0", "0.8.1-a", "0.10.0",
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, func(a, b string) int {
		x, _ := Numbers.parse(a)
		y, _ := Numbers.parse(b)
		return x.compare(y)
	})
	check(t, got, want)
}

func TestAnswerHasToBeOffered(t *testing.T) {
	check(t, text(Numbers.CheckVersion([]string{"0.7.0", "0.6.0"}, "0.7.1", "version")), `version: version "0.7.1" was not offered`)
	check(t, Numbers.CheckVersion([]string{"0.7.0", "0.6.0"}, "0.6.0", "version"), error(nil))
}

func TestVersionsKnowWhatCameInWithThem(t *testing.T) {
	for _, c := range []struct {
		version, since string
		want           bool
	}{
		{"0.3.0", "0.3.0", true}, {"0.2.9", "0.3.0", false}, {"0.10.0", "0.9.0", true}, {"1.0.0", "0.9.0", true},
		{"0.3.0-dev", "0.3.0", true}, {"0.3.0", "0.3.0-dev", true}, {"0.2.0", "", true}, {"0.2.0", "0.2", true}, {"0.1.9", "0.2-dev", false}, {"0.2.0", "later", false},
	} {
		check(t, Numbers.KnownIn(c.version, c.since), c.want, c)
	}
}

// quiet fails for an error that repeats much of a text, or characters that cannot be printed.
func quiet(t *testing.T, about string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", about)
		return
	}
	text := err.Error()
	if len(text) > 1<<10 || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		t.Errorf("%s: %d bytes: %.200q", about, len(text), text)
	}
}

func TestErrorsHoldLittleOfAVersion(t *testing.T) {
	for _, version := range []string{strings.Repeat("\x1b[31m", 1<<15), strings.Repeat("a\n", 1<<16), strings.Repeat("a", 1<<17), strings.Repeat("\xff", 1<<17), "1.0.0-" + strings.Repeat("a", 1<<20)} {
		_, err := Numbers.ChooseVersion([]string{version}, []string{"2.0.0"})
		if err != ErrNoCommonVersion {
			quiet(t, "offered", err)
		}
		quiet(t, "answered", Numbers.CheckVersion([]string{"1.0.0"}, version, "version"))
	}
}

func check(t *testing.T, got, want any, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %#v, want %#v", about, got, want)
	}
}

// text returns the text of an error, or "".
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
