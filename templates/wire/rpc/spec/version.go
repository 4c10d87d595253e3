// Versions: choosing one, and what each version includes.

package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// ErrNoCommonVersion is returned if no offered version is supported.
var ErrNoCommonVersion = errors.New("no common version")

// Order is the syntax and order of versions. The zero value is Numbers.
type Order uint8

// The orders.
const (
	Numbers  Order = iota // MAJOR.MINOR.PATCH, optionally with a pre-release such as -dev
	Dates                 // YYYY-MM-DD; compatible only with itself
	Integers              // 1, 2, 3; compatible only with itself
)

// release is a parsed version. Dates have three numbers, integers one.
type release struct {
	order   Order
	numbers [3]uint64
	pre     string
}

// form is the syntax of versions.
func (o Order) form() string {
	switch o {
	case Dates:
		return "a date of the form YYYY-MM-DD"
	case Integers:
		return "a whole number"
	default:
		return "of the form MAJOR.MINOR.PATCH"
	}
}

// Validate returns an error for a malformed version.
func (o Order) Validate(version string) error {
	_, err := o.parse(version)
	return err
}

func (o Order) parse(text string) (release, error) {
	r := release{order: o}
	ok := false
	switch o {
	case Dates:
		ok = r.parseDate(text)
	case Integers:
		r.numbers[0], ok = parseNumber(text)
	default:
		ok = r.parseNumbers(text)
	}
	if !ok {
		return r, errors.New("version " + wire.Excerpt(text) + " is not " + o.form())
	}
	return r, nil
}

func (r *release) parseDate(text string) bool {
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return false
	}
	for i, f := range strings.Split(text, "-") {
		r.numbers[i], _ = strconv.ParseUint(f, 10, 64) // a date has three numbers
	}
	return true
}

func (r *release) parseNumbers(text string) bool {
	core, pre, isPre := strings.Cut(text, "-")
	fields := strings.Split(core, ".")
	if len(fields) != len(r.numbers) || isPre && !isPreRelease(pre) {
		return false
	}
	r.pre = pre
	for i, f := range fields {
		n, ok := parseNumber(f)
		if !ok {
			return false
		}
		r.numbers[i] = n
	}
	return true
}

// parseNumber parses a number without leading zeros.
func parseNumber(text string) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && text == strconv.FormatUint(n, 10)
}

// isPreRelease reports whether text is a valid semver pre-release.
func isPreRelease(text string) bool {
	for _, word := range strings.Split(text, ".") {
		odd := func(c rune) bool { return !isWordChar(c) }
		if word == "" || strings.ContainsFunc(word, odd) || isNumber(word) && len(word) > 1 && word[0] == '0' {
			return false
		}
	}
	return true
}

func isWordChar(c rune) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-'
}

func isNumber(word string) bool {
	return !strings.ContainsFunc(word, func(c rune) bool { return c < '0' || c > '9' })
}

// compatible reports whether two versions are compatible: equal major versions from 1.0.0 on, and equal minor
// versions from 0.1.0 on. Pre-releases, dates and integers are compatible only with themselves.
func (r release) compatible(o release) bool {
	if r.order != Numbers || r.pre != "" || o.pre != "" || r.numbers[0] == 0 && r.numbers[1] == 0 {
		return r == o
	}
	return r.numbers[0] == o.numbers[0] && (r.numbers[0] > 0 || r.numbers[1] == o.numbers[1])
}

// baseline is a supported version, or with ^ a version and all later compatible ones.
type baseline struct {
	release
	caret bool
}

func (o Order) parseBaseline(text string) (b baseline, err error) {
	version, caret := text, false
	if o == Numbers {
		version, caret = strings.CutPrefix(text, "^")
	}
	b.release, err = o.parse(version)
	b.caret = caret
	return b, err
}

// accepts reports whether an offered version is supported.
func (b baseline) accepts(offered release) bool {
	return b.compatible(offered) && (!b.caret || offered.compare(b.release) >= 0)
}

func (r release) compareNumbers(o release) int {
	return slices.Compare(r.numbers[:], o.numbers[:])
}

// compare orders versions as semver does.
func (r release) compare(o release) int {
	if c := r.compareNumbers(o); c != 0 || r.pre == o.pre {
		return c
	}
	if r.pre == "" || o.pre == "" {
		return cmp.Compare(len(o.pre), len(r.pre))
	}
	return slices.CompareFunc(strings.Split(r.pre, "."), strings.Split(o.pre, "."), compareWords)
}

// compareWords orders pre-release identifiers.
func compareWords(a, b string) int {
	switch x, y := isNumber(a), isNumber(b); {
	case x && y:
		if c := cmp.Compare(len(a), len(b)); c != 0 {
			return c
		}
	case x:
		return -1
	case y:
		return 1
	}
	return cmp.Compare(a, b)
}

// ChooseVersion returns the version that a host picks from what a client offers: the highest that is
// compatible with one of those supported, and of equal ones the first. It is one of the offered ones,
// letter for letter. One that is not of the form MAJOR.MINOR.PATCH, with or without a pre-release such as
// -dev, never matches: it is skipped if others match. If none does, the error is
// [ErrNoCommonVersion] and also names the first malformed one; if nothing else was offered, the error is
// about that one only. A supported one may be a range: ^1.2.0 is 1.2.0 and what is compatible with it after it. Dates and
// integers must match exactly.
func (o Order) ChooseVersion(offered, supported []string) (string, error) {
	return o.ChooseIn("", offered, supported)
}

// ChooseIn is ChooseVersion for an offer in a member, which errors name. An error about versions of the offer is a
// [MalformedOffer].
func (o Order) ChooseIn(member string, offered, supported []string) (string, error) {
	own := make([]baseline, len(supported))
	for i, text := range supported {
		var err error
		if own[i], err = o.parseBaseline(text); err != nil {
			return "", fmt.Errorf("supported: %w", err)
		}
	}
	chosen, best := "", release{}
	var malformed error
	count := 0
	for i, text := range offered {
		r, err := o.parse(text)
		if err != nil {
			if count++; malformed == nil {
				malformed = MalformedOffer{fmt.Errorf("%s[%d]: %w", member, i, err)}
			}
			continue
		}
		speaks := slices.ContainsFunc(own, func(b baseline) bool { return b.accepts(r) })
		if speaks && (chosen == "" || r.compare(best) > 0) {
			chosen, best = text, r
		}
	}
	switch {
	case chosen != "":
		return chosen, nil
	case malformed == nil:
		return "", ErrNoCommonVersion
	case count == len(offered):
		return "", malformed
	}
	return "", fmt.Errorf("%w; %w", ErrNoCommonVersion, malformed)
}

// MalformedOffer is the error for an invalid offered version.
type MalformedOffer struct{ error }

// CheckVersion verifies that the host's answer is one of the offered versions. The error names the member that holds
// the answer.
func (o Order) CheckVersion(offered []string, answer, member string) error {
	if err := o.checkVersion(offered, answer); err != nil {
		return wire.Within(member, err)
	}
	return nil
}

func (o Order) checkVersion(offered []string, answer string) error {
	if _, err := o.parse(answer); err != nil {
		return err
	}
	if !slices.Contains(offered, answer) {
		return errors.New("version " + wire.Excerpt(answer) + " was not offered")
	}
	return nil
}

// ChooseAnswer returns a host's answer to a single offered version: that version if it is supported, or else the
// preferred supported one.
func ChooseAnswer[V comparable](offered V, spoken []V) V {
	if slices.Contains(spoken, offered) || len(spoken) == 0 {
		return offered
	}
	return spoken[0]
}

// CheckAnswer verifies the answer to a single offered version: it must be that version or another supported one. The
// error is [ErrNoCommonVersion] and names the member with the answer. A client that does not support it should
// disconnect.
func CheckAnswer[V comparable](offered, answer V, spoken []V, member string) error {
	if answer == offered || slices.Contains(spoken, answer) {
		return nil
	}
	return wire.Within(member, fmt.Errorf("version %v: %w", answer, ErrNoCommonVersion))
}

// KnownIn reports whether a version includes something introduced in another; "" means always. A pre-release includes
// what its release does.
func (o Order) KnownIn(version, since string) bool {
	r, err := o.parse(version)
	if err != nil {
		return false
	}
	unstated := since == ""
	if o == Numbers {
		since = whole(since)
	}
	first, err := o.parse(since)
	return unstated || err == nil && r.compareNumbers(first) >= 0
}

// whole completes a version with fewer than three numbers.
func whole(version string) string {
	core, pre, isPre := strings.Cut(version, "-")
	for strings.Count(core, ".") < 2 {
		core += ".0"
	}
	if isPre {
		core += "-" + pre
	}
	return core
}
