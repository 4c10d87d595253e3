// The oracle: what has to hold for every input.

package mutation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime/debug"
	"strings"
	"unicode"

	"github.com/ahpgen/ahpgen/generator"
	diff "github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// failure is something that must not happen.
type failure struct {
	Class  string // such as panic
	Sign   string // what it is recognised by
	Detail string
}

func fail(class, sign, format string, args ...any) *failure {
	return &failure{class, sign, fmt.Sprintf(format, args...)}
}

// oracle takes inputs through ahpgen in one folder, which is the current one.
//
// Every run reads the configuration and plans the package. Refusals have to say why, in text that no
// terminal takes for anything else. What is accepted is taken apart: files, names, build constraints,
// imports, directives, declarations, hidden characters, every call of another package; then it is
// type-checked. The floor is compared with its templates, and type-checked once for each import path.
//
// None of these may take 5 s or 1 GiB.
//
// A deep run also plans once more and compares, writes the package and plans again, which has to
// change nothing, lints, drafts an overlay, tabulates, compares with the seed in each format, and accepts
// what differs. Few compare the Go API too.
type oracle struct {
	now    folder
	before folder // schemas of the seed, for comparisons
	checks *checker
	step   func() // called before each thing that ahpgen is asked for
}

func newOracle(checks *checker) *oracle {
	return &oracle{now: folder{dir: "."}, before: folder{dir: "before", bare: true}, checks: checks, step: func() {}}
}

// result is what came of a run.
type result struct {
	accepted bool
	failure  *failure
}

// run takes an input through ahpgen. Panics are failures.
func (o *oracle) run(in, seed *input, deep bool) (res result) {
	defer func() {
		if r := recover(); r != nil {
			res.failure = panicked(r, debug.Stack())
		}
	}()
	if err := o.now.write(in); err != nil {
		return result{failure: fail("test", "write", "%v", err)}
	}
	plan, config, f := o.plan()
	if plan != nil && f == nil {
		o.step()
		f = o.checks.check(plan, deep)
	}
	if f == nil && deep {
		f = o.deep(plan, config, seed)
	}
	return result{plan != nil, f}
}

// plan reads the configuration and plans. It returns nil where the input is refused.
func (o *oracle) plan() (*generator.Plan, generator.Config, *failure) {
	o.step()
	var diags diag.List
	config, err := generator.ReadConfig(generator.ConfigName, &diags)
	if err != nil {
		return nil, config, refused(err, &diags)
	}
	g, err := generator.New(config, &diags)
	if err != nil {
		return nil, config, refused(err, &diags)
	}
	plan, err := g.Plan()
	if err != nil {
		return nil, config, refused(err, &diags)
	}
	if f := messages(&diags); f != nil {
		return nil, config, f
	}
	if diags.HasErrors() {
		return nil, config, fail("accepted with errors", "", "%v", diags.Sorted())
	}
	for _, d := range plan.Findings {
		if f := message(d); f != nil {
			return nil, config, f
		}
	}
	return plan, config, nil
}

// refused holds a refusal against what people need of one.
func refused(err error, diags *diag.List) *failure {
	if f := messages(diags); f != nil {
		return f
	}
	var usage *generator.UsageError
	var path *fs.PathError
	switch {
	case errors.Is(err, generator.ErrFindings):
		if !diags.HasErrors() {
			return fail("refused without a word", "", "%v", diags.Sorted())
		}
	case errors.As(err, &usage), errors.As(err, &path), errors.Is(err, fs.ErrNotExist):
	default:
		return fail("internal error", normal(err.Error()), "%v", err)
	}
	return nil // the command makes text of it that is fit for a terminal
}

func messages(diags *diag.List) *failure {
	for _, d := range diags.Sorted() {
		if f := message(d); f != nil {
			return f
		}
	}
	return nil
}

var badFormat = regexp.MustCompile(`%!([a-zA-Z]?\(|\()`)

// message checks the text of a diagnostic.
func message(d diag.Diagnostic) *failure {
	if d.Pos.IsZero() {
		return fail("message without a place", d.Code, "%s", d)
	}
	if badFormat.MatchString(d.Message + d.Hint) {
		return fail("text as a format", d.Code, "%q", d.String())
	}
	lines := 1
	if d.Hint != "" {
		lines += 1 + strings.Count(d.Hint, "\n")
	}
	printed := strings.Split(d.String(), "\n")
	if len(printed) > lines {
		return fail("message of more lines than it has", "", "%q", cut(d.String()))
	}
	for _, line := range printed {
		if f := printable("a diagnostic", line); f != nil {
			return f
		}
	}
	return nil
}

// printable checks a text of one line that goes to terminals.
func printable(what, text string) *failure {
	for _, r := range text {
		if hidden(r) {
			return fail("message with hidden characters", what, "%U in %q", r, cut(text))
		}
	}
	return nil
}

// hidden reports whether a character shows nothing of itself, or changes what is around it.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}

func cut(text string) string {
	if len(text) > 600 {
		return text[:600] + "…"
	}
	return text
}

// deep is what a run in depth looks at besides.
func (o *oracle) deep(plan *generator.Plan, config generator.Config, seed *input) *failure {
	if plan != nil {
		again, _, f := o.plan()
		if f != nil {
			return f
		}
		if again == nil || !reflect.DeepEqual(plan.Files, again.Files) || !reflect.DeepEqual(plan.Findings, again.Findings) {
			return fail("second run differs", "", "%s", differing(plan, again))
		}
		if f := o.applied(plan, config); f != nil {
			return f
		}
	}
	var diags diag.List
	g, err := generator.New(config, &diags)
	if err != nil {
		return refused(err, &diags)
	}
	o.step()
	if _, err := g.Overlay(); err != nil { // lints too
		if f := lintRefused(err, &diags); f != nil {
			return f
		}
	}
	if plan == nil || config.Schemas != schemaFolder {
		return nil
	}
	o.step()
	if f := described(g); f != nil {
		return f
	}
	return o.compared(config, seed)
}

// lintRefused is refused for a lint, whose findings may be warnings.
func lintRefused(err error, diags *diag.List) *failure {
	if errors.Is(err, generator.ErrFindings) && diags.Len() > 0 {
		return messages(diags)
	}
	return refused(err, diags)
}

// applied writes the package: then there is nothing left to do.
func (o *oracle) applied(plan *generator.Plan, config generator.Config) *failure {
	if config.Out != outFolder || config.Schemas != schemaFolder {
		return nil
	}
	lock, _ := os.ReadFile(generator.LockName)
	defer func() {
		_ = os.RemoveAll(outFolder)
		_ = os.Remove(generator.LockName)
		if lock != nil {
			_ = os.WriteFile(generator.LockName, lock, 0o644)
		}
	}()
	o.step()
	if err := plan.Apply(); err != nil {
		return fail("cannot be written", normal(err.Error()), "%v", err)
	}
	again, _, f := o.plan()
	if f != nil {
		f.Class = "after writing: " + f.Class
		return f
	}
	if again == nil {
		return fail("refused after it was written", "", "")
	}
	if !again.Clean() {
		return fail("not clean after it was written", "", "%s", cut(again.Diff()))
	}
	return nil
}

func differing(a, b *generator.Plan) string {
	if b == nil {
		return "the second is refused"
	}
	for i := range min(len(a.Files), len(b.Files)) {
		if !bytes.Equal(a.Files[i].New, b.Files[i].New) {
			return a.Files[i].Name
		}
	}
	return fmt.Sprintf("%d and %d files", len(a.Files), len(b.Files))
}

// compared compares the schemas of the seed with those at hand, there and back.
func (o *oracle) compared(config generator.Config, seed *input) *failure {
	if seed == nil {
		return nil
	}
	if err := o.before.write(seed); err != nil {
		return fail("test", "write", "%v", err)
	}
	for _, pair := range [][2]string{{"before", schemaFolder}, {schemaFolder, "before"}} {
		o.step()
		var diags diag.List
		d, err := generator.Compare(pair[0], pair[1], generator.DiffOptions{Profile: config.Profile}, &diags)
		if err != nil {
			return refused(err, &diags)
		}
		for _, format := range []string{"text", "markdown", "json", "github"} {
			var b strings.Builder
			if err := d.Write(&b, format, protocol.FromBoth); err != nil {
				return fail("internal error", "diff "+normal(err.Error()), "%v", err)
			}
			if format != "json" && strings.ContainsFunc(b.String(), func(r rune) bool { return r != '\n' && hidden(r) }) {
				return fail("report with hidden characters", "diff "+format, "%q", cut(b.String()))
			}
		}
	}
	return o.accepted(config)
}

// accepted accepts every change there is. Then there is none left, by what was written of it.
func (o *oracle) accepted(config generator.Config) *failure {
	const file = "accepted.json"
	defer func() { _ = os.Remove(file) }()
	options := generator.DiffOptions{Profile: config.Profile, Accepted: file, Accept: "It is so."}
	for _, reason := range []string{options.Accept, ""} {
		o.step()
		options.Accept = reason
		var diags diag.List
		d, err := generator.Compare("before", schemaFolder, options, &diags)
		if err != nil {
			return fail("changes cannot be accepted", normal(err.Error()), "%v\n%v", err, diags.Sorted())
		}
		if d.Fails(diff.Any, protocol.FromBoth) { // advice is not accepted
			return fail("changes cannot be accepted", "some are left", "%v", d.Findings)
		}
	}
	return nil
}

// described tabulates the protocol, as inspect does.
func described(g *generator.Generator) *failure {
	p, err := g.Analyze()
	if err != nil {
		return nil // has been said before
	}
	if _, err := json.Marshal(generator.Describe(p)); err != nil {
		return fail("internal error", "describe "+normal(err.Error()), "%v", err)
	}
	return nil
}

var (
	quoted    = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|` + "`[^`]*`")
	wordsOnly = regexp.MustCompile(`\b[a-z]{2,}\b`)
	ownFrame  = regexp.MustCompile(`(?m)^github\.com/ahpgen/ahpgen/((?:generator|generated|templates|schemas|cmd)[^\s]*)\(`)
)

// normal is a message without what differs from case to case.
func normal(message string) string {
	if i := strings.IndexByte(message, '\n'); i >= 0 {
		message = message[:i]
	}
	message = quoted.ReplaceAllString(message, "")
	out := strings.Join(wordsOnly.FindAllString(message, 12), " ")
	return out
}

// panicked makes a failure of a panic, by the innermost function of ours.
func panicked(r any, stack []byte) *failure {
	frames := ownFrame.FindAllSubmatch(stack, 3)
	where := "?"
	if len(frames) > 0 {
		where = strings.TrimSuffix(string(frames[0][1]), "(...")
	}
	return fail("panic", normal(fmt.Sprint(r))+" in "+where, "%v\n%s", r, cutStack(stack))
}

func cutStack(stack []byte) []byte {
	if len(stack) > 4000 {
		return stack[:4000]
	}
	return stack
}

// moduleDir is the folder of the module that is tested.
var moduleDir = func() string {
	if env := os.Getenv(moduleEnv); env != "" {
		return env
	}
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		panic(err)
	}
	return dir
}()
