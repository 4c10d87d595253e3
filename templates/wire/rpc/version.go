// Versions: which one two peers speak, and what it knows.

package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// ErrNoCommonVersion says that a client offered no version that the host can speak.
var ErrNoCommonVersion = errors.New("no common version")

// ErrNotInVersion says that the agreed version of the protocol does not know what was to be sent.
var ErrNotInVersion = errors.New("not part of the agreed version")

// Order says how versions of a protocol are written, and with that which of two comes first. The zero value is Numbers.
type Order uint8

// Orders of versions.
const (
	Numbers  Order = iota // MAJOR.MINOR.PATCH, and perhaps a pre-release such as -dev
	Dates                 // YYYY-MM-DD; each is compatible with itself only
	Integers              // 1, 2, 3; each is compatible with itself only
)

// release is a version of the protocol. Dates are three numbers, integers one.
type release struct {
	order   Order
	numbers [3]uint64
	pre     string
}

// form is what a version has to be.
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
		r.numbers[i], _ = strconv.ParseUint(f, 10, 64) // a date has three of them
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

// parseNumber reads a number without leading zeros.
func parseNumber(text string) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && text == strconv.FormatUint(n, 10)
}

// isPreRelease reports whether text is made of words as semantic versions want them.
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

// compatible reports whether who speaks one speaks the other: the same major version from 1.0.0 on, the
// same minor version from 0.1.0 on, and nothing else before. A pre-release, a date and an integer promise nothing and are
// compatible with themselves only.
func (r release) compatible(o release) bool {
	if r.order != Numbers || r.pre != "" || o.pre != "" || r.numbers[0] == 0 && r.numbers[1] == 0 {
		return r == o
	}
	return r.numbers[0] == o.numbers[0] && (r.numbers[0] > 0 || r.numbers[1] == o.numbers[1])
}

// baseline is what a host can speak: a version, or with ^ in front one and what is compatible with it after it.
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

// accepts reports whether an offered version is one that the host can speak.
func (b baseline) accepts(offered release) bool {
	return b.compatible(offered) && (!b.caret || offered.compare(b.release) >= 0)
}

func (r release) compareNumbers(o release) int {
	return slices.Compare(r.numbers[:], o.numbers[:])
}

// compare orders as semantic versions are: a pre-release comes before its release.
func (r release) compare(o release) int {
	if c := r.compareNumbers(o); c != 0 || r.pre == o.pre {
		return c
	}
	if r.pre == "" || o.pre == "" {
		return cmp.Compare(len(o.pre), len(r.pre))
	}
	return slices.CompareFunc(strings.Split(r.pre, "."), strings.Split(o.pre, "."), compareWords)
}

// compareWords orders the words of pre-releases: numbers by value and before all others.
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
// -dev, fits nobody: it is passed over where others fit. Where none does, the error is
// [ErrNoCommonVersion] and names the first malformed one as well; where nothing else was offered, it is
// about that one alone. A supported one may be a range: ^1.2.0 is 1.2.0 and what is compatible with it after it.
func ChooseVersion(offered, supported []string) (string, error) {
	return Numbers.ChooseVersion(offered, supported)
}

// ChooseVersion is the same in any order. Dates and integers have no ranges: what is offered and supported is picked.
func (o Order) ChooseVersion(offered, supported []string) (string, error) {
	return o.chooseVersion(offered, supported, "")
}

// chooseVersion is ChooseVersion with the member that holds the offer, "" where it has no name.
func (o Order) chooseVersion(offered, supported []string, member string) (string, error) {
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
				malformed = malformedOffer{fmt.Errorf("%s[%d]: %w", member, i, err)}
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

// malformedOffer says what is wrong with a version that a client offered.
type malformedOffer struct{ error }

// CheckVersion is what a client does with the host's answer: it has to be one of the versions offered,
// letter for letter. The error names the member that holds the answer.
func CheckVersion(offered []string, answer, member string) error {
	return Numbers.CheckVersion(offered, answer, member)
}

// CheckVersion is the same in any order.
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

// ChooseAnswer returns what a host answers a client with that offers one version: that one if it is spoken, and otherwise
// the first of those that are.
func ChooseAnswer[V comparable](offered V, spoken []V) V {
	if slices.Contains(spoken, offered) || len(spoken) == 0 {
		return offered
	}
	return spoken[0]
}

// CheckAnswer is what a client does with the answer to one version that it offered: it is that one, or another one that can
// be spoken. The error, which is [ErrNoCommonVersion], names the member that holds the answer; the client goes away then.
func CheckAnswer[V comparable](offered, answer V, spoken []V, member string) error {
	if answer == offered || slices.Contains(spoken, answer) {
		return nil
	}
	return wire.Within(member, fmt.Errorf("version %v: %w", answer, ErrNoCommonVersion))
}

// KnownIn reports whether a version of the protocol has what came in with another; what has always been
// there, or nobody knows since when, came in with "". A pre-release has what its release has.
func KnownIn(version, since string) bool { return Numbers.KnownIn(version, since) }

// KnownIn is the same in any order.
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

// whole completes a version of fewer than three numbers, as schemas may write them.
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

// Negotiate is [ChooseVersion] with an error to answer with: what refuse returns where no version fits,
// and invalid params, with the place in the member that holds the offer, where all of it is malformed.
func Negotiate(offered, supported []string, member string, refuse func(reason string) (*Error, error)) (string, error) {
	return Numbers.Negotiate(offered, supported, member, refuse)
}

// Negotiate is the same in any order.
func (o Order) Negotiate(offered, supported []string, member string, refuse func(reason string) (*Error, error)) (string, error) {
	version, err := o.chooseVersion(offered, supported, member)
	if errors.Is(err, ErrNoCommonVersion) {
		refusal, err := refuse(err.Error())
		if err != nil {
			return "", err
		}
		return "", refusal
	}
	if malformed := (malformedOffer{}); errors.As(err, &malformed) {
		return "", invalidParams(malformed.Error())
	}
	return version, err
}

// Checked holds a handler that answers with a version to the rule that it picks one of the offered ones.
func Checked[P, R any](f func(context.Context, *P) (*R, error), check func(*P, *R) error) func(context.Context, *P) (*R, error) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, p *P) (*R, error) {
		r, err := f(ctx, p)
		if err != nil || r == nil {
			return r, err
		}
		if err := check(p, r); err != nil {
			return nil, wire.Within("result", err)
		}
		return r, nil
	}
}
