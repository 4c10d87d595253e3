// Package conform plays scenarios to a program that speaks a protocol, and reports what it does otherwise than the schemas and
// the profile say. It knows no protocol by itself: which scenarios there are, which methods are called and with which values
// follows from these. What the program says is judged as behind a tap.
package conform

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Options configure a run.
type Options struct {
	// Versions are those of the protocol, and Protocol is the one to speak.
	Versions []judge.Version
	Protocol *protocol.Protocol
	// Side is the one that is tested, by default the one that serves.
	Side protocol.Side
	// Connect returns a new connection. Scenarios have one or several each.
	Connect func(context.Context) (*tap.Link, error)
	// Hello has members of the handshake, such as capabilities, and Notify the notifications that follow it.
	Hello  map[string]any
	Notify []string
	// Params are parameters of methods to use instead of examples, as decoded JSON.
	Params map[string]any
	// Only and Skip are patterns of scenarios, and Without patterns of methods that are not called.
	Only, Skip, Without []string
	// Patience is how long to wait for a message, and Quiet how long for one that must not come.
	Patience, Quiet time.Duration
}

// Finding is something that a program does otherwise than it should.
type Finding struct {
	Rule    string `json:"rule"`              // one of [Rules] or of [judge.Rules]
	Subject string `json:"subject,omitempty"` // what was sent
	Path    string `json:"path,omitempty"`    // the place in the message of the program
	Text    string `json:"text"`
	Schema  string `json:"schema,omitempty"` // the type, and the member of it, or a method
	At      string `json:"at,omitempty"`     // file:line:column in the schemas
	Note    bool   `json:"note,omitempty"`   // worth knowing, but no mistake
	// Expected is the reason in the file of expected findings, "" if that has none.
	Expected string `json:"expected,omitempty"`
}

// Result is the result of a scenario.
type Result struct {
	Name     string    `json:"name"`
	Text     string    `json:"text"`
	Schema   string    `json:"schema,omitempty"` // the method or type that it is about
	At       string    `json:"at,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	// Skipped says why it was not played to the end, or is "".
	Skipped string        `json:"skipped,omitempty"`
	Took    time.Duration `json:"-"`
}

// Failed reports whether there are findings beyond notes and what is expected.
func (r *Result) Failed() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return !f.Note && f.Expected == "" })
}

// Scenario is a conversation with a program.
type Scenario struct {
	Name, Text string
	method     *protocol.Method // that it is about, or nil
	play       func(*stage)
}

// Matches reports whether a name fits a pattern: the same, the beginning up to a slash, or with * for any text.
func Matches(pattern, name string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == name || strings.HasPrefix(name, pattern+"/")
	}
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	ok, _ := regexp.MatchString("^"+strings.Join(parts, ".*")+"$", name)
	return ok
}

// fits reports whether a name fits one of several patterns.
func fits(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Matches(p, name) })
}

// Scenarios returns those for a protocol that the patterns choose.
func Scenarios(o *Options) []Scenario {
	r := &run{Options: *o}
	r.Side = cmp.Or(r.Side, protocol.FromHost)
	return slices.DeleteFunc(r.all(), func(s Scenario) bool {
		return len(o.Only) > 0 && !fits(o.Only, s.Name) || fits(o.Skip, s.Name) || s.method != nil && fits(o.Without, s.method.Name)
	})
}

// all returns the scenarios in the order in which they are played.
func (r *run) all() []Scenario {
	if r.Side == protocol.FromClient {
		return r.clients()
	}
	return slices.Concat(r.handshakes(), r.methods(), r.params(), r.members(), r.variants(), r.notifications(), r.unknowns(),
		r.malformed(), r.ids(), r.calls(), r.asked(), r.replication(), r.limits(), r.endings())
}

// run is what scenarios share.
type run struct {
	Options
	table    *spec.Table
	judged   []judge.Version
	values   *values
	plans    map[*protocol.Method]*plan
	creators map[*protocol.Channel]*protocol.Method
	shared   *talk              // a connection for scenarios that do it no harm, or nil
	usual    []string           // methods that a client sends if nothing is unusual
	capable  *talk              // another one, of a client that has advertised everything
	asking   []*protocol.Method // requests during which the program sends some
	refused  string             // why the connection cannot be opened, or ""
	talks    int
	said     bool // the program has said something
	tried    bool // it was asked only to hear something
}

// Run plays the scenarios, and calls each with the results in their order. It fails if the program cannot be reached.
func Run(ctx context.Context, o Options, each func(Result)) error {
	o.Patience, o.Quiet = cmp.Or(o.Patience, 5*time.Second), cmp.Or(o.Quiet, 15*time.Millisecond)
	o.Side = cmp.Or(o.Side, protocol.FromHost)
	folder, err := os.MkdirTemp("", "conform")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	r := &run{Options: o, plans: map[*protocol.Method]*plan{}, creators: map[*protocol.Channel]*protocol.Method{}}
	r.judged = []judge.Version{{Protocol: o.Protocol}}
	for i := range o.Versions {
		if p := o.Versions[i].Get(); p != nil && p != o.Protocol {
			r.judged = append(r.judged, judge.Version{Protocol: p})
		}
	}
	j := judge.New(r.judged)
	r.table = j.Table()
	if r.values, err = newValues(o.Protocol, j, folder); err != nil {
		return err
	}
	if err := r.reach(ctx); err != nil {
		return err
	}
	defer func() {
		for _, t := range []*talk{r.shared, r.capable} {
			if t != nil {
				t.end()
			}
		}
	}()
	for _, s := range Scenarios(&o) {
		each(r.play(ctx, &s))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// reach finds out whether the program can be started.
func (r *run) reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, max(r.Patience, time.Second))
	defer cancel()
	l, err := r.Connect(ctx)
	if err != nil {
		return err
	}
	if l.Cut(); l.Kill != nil {
		l.Kill()
	}
	_ = l.Close("over")
	return nil
}

// play plays one scenario.
func (r *run) play(ctx context.Context, s *Scenario) Result {
	start := time.Now()
	st := &stage{run: r, ctx: ctx, judge: judge.New(r.judged), about: s.method}
	st.attempt(s.play)
	for _, shared := range []**talk{&r.shared, &r.capable} {
		if t := *shared; t != nil && (t.lost || t.closed) {
			*shared = nil
			t.end()
		}
	}
	for _, t := range st.talks {
		t.end()
	}
	out := Result{Name: s.Name, Text: s.Text, Findings: st.findings, Skipped: st.skipped, Took: time.Since(start)}
	if s.method != nil {
		out.Schema, out.At = s.method.Name, s.method.Pos.String()
	}
	for i := range out.Findings {
		out.Findings[i].Text = r.values.steady(out.Findings[i].Text)
	}
	return out
}

// stage is a scenario that is being played.
type stage struct {
	*run
	ctx      context.Context
	judge    *judge.Judge
	about    *protocol.Method // or nil
	talks    []*talk          // those that end with it
	findings []Finding
	skipped  string
}

// over ends a scenario early.
type over struct{}

// attempt plays until the end, or until the connection is of no more use.
func (s *stage) attempt(play func(*stage)) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(over); !ok {
				panic(v)
			}
		}
	}()
	play(s)
}

// skip ends a scenario that cannot be played.
func (s *stage) skip(format string, args ...any) {
	s.skipped = fmt.Sprintf(format, args...)
	panic(over{})
}

// find notes a finding. What is the same but for its text is noted once.
func (s *stage) find(f Finding) {
	same := func(o Finding) bool { return o.Rule == f.Rule && o.Subject == f.Subject && o.Path == f.Path }
	if !slices.ContainsFunc(s.findings, same) {
		s.findings = append(s.findings, f)
	}
}

// wrong notes what is wrong with the answer to a subject.
func (s *stage) wrong(rule, subject, format string, args ...any) {
	s.find(s.finding(rule, subject, fmt.Sprintf(format, args...)))
}

// note is the same for what is no mistake.
func (s *stage) note(rule, subject, format string, args ...any) {
	f := s.finding(rule, subject, fmt.Sprintf(format, args...))
	f.Note = true
	s.find(f)
}

func (s *stage) finding(rule, subject, text string) Finding {
	f := Finding{Rule: rule, Subject: subject, Text: text}
	if s.about != nil {
		f.Schema, f.At = s.about.Name, s.about.Pos.String()
	}
	return f
}
