// Refused giants: large messages that are not accepted, against the same ones that are.

package hostile

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/hostile/gauge"
)

// giant is a value of about n bytes.
type giant struct {
	name string
	of   func(n int) string
}

// giants are of shapes that cost a decoder something each.
var giants = []giant{
	{"a text", func(n int) string { return `"` + strings.Repeat("x", n) + `"` }},
	{"a text of escapes", func(n int) string { return `"` + strings.Repeat(`\u00e9`, n/6) + `"` }},
	{"a number", func(n int) string { return "0." + strings.Repeat("1", n) }},
	{"white space", func(n int) string { return strings.Repeat(" ", n) + "0" }},
	{"one name", func(n int) string { return `{"` + strings.Repeat("k", n) + `":0}` }},
	{"the same name again and again", func(n int) string { return `{"a":0` + strings.Repeat(`,"a":0`, n/6) + `}` }},
	{"many names", func(n int) string {
		return `{` + joined(n/12, func(i int) string { return fmt.Sprintf(`"%07d":0`, i) }) + `}`
	}},
	{"many numbers", func(n int) string { return `[0` + strings.Repeat(",0", n/2) + `]` }},
	{"many empty objects", func(n int) string { return `[{}` + strings.Repeat(",{}", n/3) + `]` }},
	{"many texts", func(n int) string { return `["a"` + strings.Repeat(`,"a"`, n/4) + `]` }},
	{"deep lists", func(n int) string {
		one := strings.Repeat("[", 900) + strings.Repeat("]", 900)
		return "[" + one + strings.Repeat(","+one, n/1800) + "]"
	}},
	{"deep objects", func(n int) string {
		one := strings.Repeat(`{"a":`, 900) + "0" + strings.Repeat("}", 900)
		return "[" + one + strings.Repeat(","+one, n/5400) + "]"
	}},
}

func joined(n int, item func(int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	return b.String()
}

// refusals are ways in which a call with a giant is not what it should be.
var refusals = []struct {
	name string
	of   func(d *dialect, giant string) string
	code string // of the answer
}{
	{"a wrong type behind it", func(d *dialect, giant string) string { return d.calling(d.wrong, giant) }, "-32602"},
	{"a wrong type before it", func(d *dialect, giant string) string { return fmt.Sprintf(d.call, d.wrong+`,"x":`+giant) }, "-32602"},
	{"a member missing", func(d *dialect, giant string) string { return fmt.Sprintf(d.call, `"x":`+giant) }, "-32602"},
	{"a list in its place", func(d *dialect, giant string) string {
		return strings.Replace(strings.Replace(fmt.Sprintf(d.call, "%"), "{%}", "["+giant+"]", 1), `{"prompt":[],%}`, "["+giant+"]", 1)
	}, "-32602"},
	{"no end", func(d *dialect, giant string) string { return strings.TrimSuffix(d.calling(d.needs, giant), "}}") }, "-32700"},
	{"more behind the end", func(d *dialect, giant string) string { return d.calling(d.needs, giant) + "}" }, "-32700"},
	{"a batch", func(d *dialect, giant string) string { return "[" + d.calling(d.needs, giant) + "]" }, "-32600"},
	{"the id twice", func(d *dialect, giant string) string {
		return strings.Replace(d.calling(d.needs, giant), `"id":7,`, `"id":7,"id":7,`, 1)
	}, "-32600"},
	{"another version", func(d *dialect, giant string) string {
		return strings.Replace(d.calling(d.needs, giant), `"2.0"`, `"1.0"`, 1)
	}, "-32600"},
	{"no such method", func(d *dialect, giant string) string {
		return strings.Replace(d.calling(d.needs, giant), `"method":"`, `"method":"no/`, 1)
	}, "-32601"},
}

var third = flag.Int("third", -1, "with -thorough, which third of the rows to try (0 to 2), instead of all")

// tried reports whether a row is to be tried with a protocol: one of a number of rows, or all if the tests are thorough.
// Which ones differs between protocols.
func (d *dialect) tried(t *testing.T, row, every int) bool {
	row += slices.IndexFunc(dialects, func(other dialect) bool { return other.name == d.name })
	if !flags.All(t) {
		every *= 2
	}
	switch {
	case !*flags.Thorough:
		return row%every == 0
	case *third >= 0:
		return row%3 == *third
	}
	return true
}

// refusedLimits are those of a message that is refused, against the same one accepted.
var refusedLimits = limits{time: 3, allocated: 2, peak: 2}

// TestRefusedGiants sends 8 MB of each shape in messages of 1 MB, accepted and then refused for each reason.
func TestRefusedGiants(t *testing.T) {
	inEach(t, func(t *testing.T, d *dialect) {
		h := d.start(t, asEmitted)
		p := d.open(t, h, "giant")
		for i, g := range giants {
			var sample []int // of refusals
			for j := range refusals {
				if d.tried(t, i+len(giants)*j, 31) {
					sample = append(sample, j)
				}
			}
			if len(sample) == 0 {
				continue
			}
			giant := g.of(1 << 20)
			d.sends(t, h, p, d.calling(d.needs, giant), `"result"`, 1)
			honest := func() gauge.Reading { return d.sends(t, h, p, d.calling(d.needs, giant), `"result"`, 8) }
			known := honest()
			for _, j := range sample {
				r := refusals[j]
				t.Run(g.name+", "+r.name, func(t *testing.T) {
					refusedLimits.hold(t, known, honest, func() gauge.Reading { return d.sends(t, h, p, r.of(d, giant), `"code":`+r.code, 8) })
				})
			}
		}
		d.check(t, p)
	})
}

// whole is a message of about n bytes.
type whole struct {
	name string
	of   func(n int) string
	code string // of the answer; "" for one that has none
}

// wholes are no calls that are accepted.
var wholes = []whole{
	{"open brackets", func(n int) string { return strings.Repeat("[", n) }, "-32700"},
	{"brackets", func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) }, ""},
	{"a batch of nothing", func(n int) string { return "[{}" + strings.Repeat(",{}", n/3) + "]" }, "-32600"},
	{"a batch of numbers", func(n int) string { return "[1" + strings.Repeat(",1", n/2) + "]" }, "-32600"},
	{"a batch of requests", func(n int) string {
		const one = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		return "[" + one + strings.Repeat(","+one, n/len(one)) + "]"
	}, "-32600"},
	{"a text", func(n int) string { return `"` + strings.Repeat("x", n) + `"` }, "-32600"},
	{"a text without an end", func(n int) string { return `"` + strings.Repeat("x", n) }, "-32700"},
	{"a number", func(n int) string { return strings.Repeat("1", n) }, "-32600"},
	{"members that nobody knows", func(n int) string { return `{"a":0` + strings.Repeat(`,"a":0`, n/6) + `}` }, "-32600"},
	{"open objects", func(n int) string { return strings.Repeat(`{"a":`, n/5) }, "-32700"},
	{"a method", func(n int) string { return `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", n) + `"}` }, "-32601"},
	{"an id", func(n int) string { return `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", n) + `","method":"none"}` }, "-32601"},
	{"an id of digits", func(n int) string { return `{"jsonrpc":"2.0","id":` + strings.Repeat("1", n) + `,"method":"none"}` }, "-32601"},
	{"an id of members", func(n int) string {
		return `{"jsonrpc":"2.0","id":{"a":0` + strings.Repeat(`,"a":0`, n/6) + `},"method":"none"}`
	}, "-32600"},
	{"an answer", func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"a":0` + strings.Repeat(`,"a":0`, n/6) + `}}`
	}, ""},
	{"an answer without an end", func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"a":0` + strings.Repeat(`,"a":0`, n/6)
	}, "-32700"},
	{"an error", func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"` + strings.Repeat("x", n) + `"}}`
	}, ""},
	{"a notification that nobody knows", func(n int) string {
		return `{"jsonrpc":"2.0","method":"none","params":{"a":0` + strings.Repeat(`,"a":0`, n/6) + `}}`
	}, ""},
}

// TestGiantsThatAreNoCall sends 8 MB of each in messages of 1 MB, and as much in calls that are accepted.
func TestGiantsThatAreNoCall(t *testing.T) {
	inEach(t, func(t *testing.T, d *dialect) {
		h := d.start(t, asEmitted)
		p := d.open(t, h, "giant")
		honest := func() gauge.Reading { return d.sends(t, h, p, d.calling(d.needs, giants[0].of(1<<20)), `"result"`, 8) }
		known := honest()
		for i, w := range wholes {
			if !d.tried(t, i, 6) {
				continue
			}
			t.Run(w.name, func(t *testing.T) {
				limits{time: 4, allocated: 3, peak: 3}.hold(t, known, honest, func() gauge.Reading { return d.sends(t, h, p, w.of(1<<20), `"code":`+w.code, 8) })
			})
		}
		d.check(t, p)
	})
}

// TestGiantsOfEverySize sends a message that is refused at its end, accepted and refused, as often as makes 8 MB.
func TestGiantsOfEverySize(t *testing.T) {
	flags.SkipUnlessAll(t)
	inEach(t, func(t *testing.T, d *dialect) {
		h := d.start(t, asEmitted)
		p := d.open(t, h, "giant")
		for number, size := range []int{100_000, 1_000_000, 10_000_000, 30_000_000} {
			for i, g := range giants {
				if !d.tried(t, i+len(giants)*number, 13) {
					continue
				}
				t.Run(fmt.Sprint(size, " bytes, ", g.name), func(t *testing.T) {
					times := max(1, 8_000_000/size)
					giant := g.of(size)
					honest := func() gauge.Reading { return d.sends(t, h, p, d.calling(d.needs, giant), `"result"`, times) }
					refusedLimits.hold(t, honest(), honest, func() gauge.Reading { return d.sends(t, h, p, d.calling(d.wrong, giant), `"code":-32602`, times) })
				})
			}
		}
		d.check(t, p)
	})
}

// sends sends a message several times and waits for its answers, of which each contains a text; one without a code has none.
func (d *dialect) sends(t *testing.T, h *host, p *peer, message, want string, times int) gauge.Reading {
	t.Helper()
	h.used()
	for range times {
		require.True(t, p.send(message), "the connection has ended")
		if !strings.HasSuffix(want, ":") {
			p.await(want)
		}
	}
	d.check(t, p)
	return h.used()
}
