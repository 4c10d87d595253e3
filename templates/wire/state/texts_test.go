// Tests of texts that grow.

package state

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestExtendText(t *testing.T) {
	r := new(Texts)
	changes(t, "more", "a", func(s *string) bool { return ExtendText(r, s, "b") }, "ab", true)
	changes(t, "nothing more", "a", func(s *string) bool { return ExtendText(r, s, "") }, "a", false)
}

// texts remembers what every text was when it was made.
type texts struct {
	t    testing.TB
	made []string
	want []string
}

func (x *texts) add(made, want string) string {
	x.made, x.want = append(x.made, made), append(x.want, strings.Clone(want))
	return made
}

// check compares all of them: none may have changed since.
func (x *texts) check() {
	x.t.Helper()
	for i := range x.made {
		if x.made[i] != x.want[i] {
			x.t.Fatalf("text %d is %q, was %q", i, x.made[i], x.want[i])
		}
	}
}

func TestAppendText(t *testing.T) {
	r, all := new(Texts), &texts{t: t}
	check(t, r.Append("", ""), "")
	check(t, r.Append("a", ""), "a")
	text := all.add(r.Append("", "start"), "start")
	want := "start"
	for i := range 2000 { // past the end of several buffers
		more := fmt.Sprint(i)
		want += more
		text = all.add(r.Append(text, more), want)
	}
	all.check()
}

func TestAppendTextToBranches(t *testing.T) {
	r, all := new(Texts), &texts{t: t}
	base := all.add(r.Append("", "base"), "base")
	left := all.add(r.Append(base, "-left"), "base-left")
	right := all.add(r.Append(base, "-right"), "base-right")
	all.add(r.Append(left, "!"), "base-left!")
	all.add(r.Append(right, "?"), "base-right?")
	all.add(r.Append(base[:2], "y"), "bay") // a part of a text
	all.add(r.Append(left[1:], "x"), "ase-leftx")
	all.check()
}

func TestAppendTextOfOthers(t *testing.T) {
	r, all := new(Texts), &texts{t: t}
	bytes := []byte("literal")
	foreign := string(bytes)
	first := all.add(r.Append(foreign, "1"), "literal1")
	all.add(r.Append(foreign, "2"), "literal2")
	all.add(r.Append(strings.Clone(first), "3"), "literal13") // equal, but somewhere else
	all.add(r.Append(first, "4"), "literal14")
	all.add(new(Texts).Append(first, "5"), "literal15")
	all.add(foreign, "literal")
	all.check()
}

func TestAppendTextByTurns(t *testing.T) {
	for _, streams := range []int{2, 16, 17, 100, 1000} {
		r, all := new(Texts), &texts{t: t}
		now, want := make([]string, streams), make([]string, streams)
		for round := range 60 {
			for i := range now {
				more := fmt.Sprintf("%d.%d ", i, round)
				want[i] += more
				now[i] = all.add(r.Append(now[i], more), want[i])
			}
		}
		all.check()
	}
}

// TestAppendTextByManyAtOnce is for the race detector.
func TestAppendTextByManyAtOnce(t *testing.T) {
	r := new(Texts)
	base := r.Append("", "base")
	var wg sync.WaitGroup
	for g := range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			text, want := base, "base"
			for i := range 200 {
				more := fmt.Sprintf("%d/%d ", g, i)
				old := text
				text = r.Append(text, more)
				if old != want { // read while others write
					t.Errorf("an old text changed: %q, was %q", old, want)
					return
				}
				want += more
			}
			if text != want {
				t.Errorf("got %q, want %q", text, want)
			}
		}()
	}
	wg.Wait()
	check(t, base, "base")
}

// FuzzAppendText grows a tree of texts: each pair of bytes picks a text to append to, and what to append.
func FuzzAppendText(f *testing.F) {
	f.Add([]byte{0, 1, 0, 2, 1, 3, 1, 4, 2, 0})
	f.Add([]byte("a chain and some branches of it"))
	f.Fuzz(func(t *testing.T, plan []byte) {
		r, all := new(Texts), &texts{t: t}
		all.add("", "")
		all.add("foreign", "foreign")
		for ; len(plan) >= 2 && len(all.made) < 500; plan = plan[2:] {
			from := len(all.made) - 1 - int(plan[0])%len(all.made) // small bytes go on where it was last
			more := strings.Repeat(string(rune('a'+plan[1]%26)), int(plan[1]))
			all.add(r.Append(all.made[from], more), all.want[from]+more)
		}
		all.check()
	})
}

// BenchmarkAppendText streams a text in small pieces. The cost of a piece does not grow with the text.
func BenchmarkAppendText(b *testing.B) {
	const piece = "four"
	for _, size := range []int{1 << 10, 1 << 14, 1 << 18, 1 << 22} {
		b.Run(fmt.Sprintf("%dkB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(piece)))
			b.ReportAllocs()
			r := new(Texts)
			text := ""
			for range b.N {
				if len(text) >= size {
					text = ""
				}
				text = r.Append(text, piece)
			}
		})
	}
}

// BenchmarkAppendTextByTurns streams several texts by turns. The cost of a piece does not grow with
// their number.
func BenchmarkAppendTextByTurns(b *testing.B) {
	const size = 1 << 14
	for _, streams := range []int{1, 16, 17, 100, 1000} {
		b.Run(fmt.Sprintf("texts=%d", streams), func(b *testing.B) {
			b.ReportAllocs()
			r, now := new(Texts), make([]string, streams)
			for i := range b.N {
				text := &now[i%streams]
				if len(*text) >= size {
					*text = ""
				}
				*text = r.Append(*text, "twenty bytes of text")
			}
		})
	}
}
