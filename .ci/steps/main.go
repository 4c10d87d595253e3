// Steps runs everything that a change has to pass. This file is the list; how steps are run and tests counted is in the
// others.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// whole is set if nothing is left to other commits: for steps that are named, and for all of them.
var whole bool

// The first steps run one after the other: tests wait for other programs, and what runs beside them takes their time. What
// nobody waits for takes what they leave of the processors. Then come four at a time, since some wait a lot: what takes longest
// is first. The last ones look at what is left in the work tree. Each step runs whatever comes of the others, so that one run
// tells everything.
var (
	first = []step{
		{"go mod download", command("go", "mod", "download")},
		{"go test ./...", test("./...")},
	}
	idle = []step{
		{"lint", idly(lint)},
		{"go vet ./...", idly(command("go", "vet", "./..."))}, // behind the linter, since much of it is compiled by then
	}
	beside = []step{
		{"peers", peers},
		{"race", race},
		{"thorough", thorough},
		{"mutations", mutations},
		// In a second no fuzz test learns which inputs lead further. To build all packages so that one could takes minutes.
		{"fuzz", func(r *run) error { return fuzz(r, "1s") }},
		{"benchmarks", benchmarks},
		{"purego", purego}, // what the runtime does with package unsafe, it also does without
	}
	last = []step{
		{"drift", drift},
		{"gofmt", gofmt},
		{"tracked files", tracked},
	}
)

func main() {
	args := os.Args[1:]
	switch {
	case len(args) == 0:
	case args[0] == "fuzz" && len(args) < 3:
		duration := "10s"
		if len(args) == 2 {
			duration = args[1]
		}
		if !do(step{"fuzz", func(r *run) error { return fuzz(r, duration, "-fuzz", ".") }}) {
			os.Exit(1)
		}
		return
	case len(args) == 1 && args[0] == "whole":
		whole = true
	default:
		first, idle, beside, last, whole = named(slices.Concat(first, idle, beside, last), args), nil, nil, nil, true
	}
	started := time.Now()
	_ = os.Setenv("AHPGEN_TESTS", portion())
	findCorpus()
	var behind sync.WaitGroup
	behind.Go(func() {
		for _, s := range idle {
			do(s)
		}
	})
	for _, s := range first {
		do(s)
	}
	workers := &errgroup.Group{}
	workers.SetLimit(4)
	for _, s := range beside {
		workers.Go(func() error {
			do(s)
			return nil
		})
	}
	_ = workers.Wait()
	behind.Wait()
	for _, s := range last {
		do(s)
	}
	fmt.Printf("\n%d steps failed%s, %ds\n", len(failed), strings.TrimSuffix(": "+strings.Join(failed, ", "), ": "), int(time.Since(started).Seconds()))
	for _, name := range twice {
		fmt.Printf("passed only when it was run again: %s\n", name)
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", total.passed, total.failed+extra, total.skipped)
	if len(failed) > 0 {
		os.Exit(1)
	}
}

// named are the steps with some names.
func named(all []step, names []string) []step {
	var out []step
	for _, name := range names {
		i := slices.IndexFunc(all, func(s step) bool { return s.name == name })
		if i < 0 {
			fmt.Fprintf(os.Stderr, "there is no step %q\nusage: .ci/run [whole | fuzz [DURATION] | STEP…]\n", name)
			os.Exit(2)
		}
		out = append(out, all[i])
	}
	return out
}

// portion is the third of the tests that try everything with this commit, where the others take samples.
func portion() string {
	if whole {
		return "all"
	}
	return fmt.Sprintf("%d/3", commits(&run{})%3+1)
}

// findCorpus names the corpus that lies beside the checkout to all tests.
func findCorpus() {
	dir, err := filepath.Abs("../shared/protocols")
	if err != nil {
		panic(err)
	}
	if _, err := os.Stat(dir); err == nil {
		_ = os.Setenv("AHPGEN_CORPUS", dir)
	} else if os.Getenv("CI") == "true" {
		fail("corpus", fmt.Errorf("no folder %s: the corpus has to be beside the checkout", dir), true)
	}
}

// tracked refuses programs and large files in the repository.
func tracked(r *run) error {
	list, err := r.lines("git", "ls-files", "-s")
	var problems []error
	for _, line := range list {
		info, name, _ := strings.Cut(line, "\t")
		text, failed := os.ReadFile(name)
		if failed != nil {
			continue // it is deleted, and not committed yet
		}
		if strings.HasPrefix(info, "100755") && !strings.HasPrefix(string(text), "#!") || isProgram(text) {
			problems = append(problems, fmt.Errorf("%s is a program", name))
		}
		if len(text) > 1<<20 {
			problems = append(problems, fmt.Errorf("%s has %d bytes, more than a megabyte", name, len(text)))
		}
	}
	return errors.Join(append(problems, err)...)
}

// isProgram reports whether a file is something that a system runs: ELF, Mach-O or PE.
func isProgram(text []byte) bool {
	return slices.ContainsFunc([]string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "MZ\x90"}, func(magic string) bool {
		return strings.HasPrefix(string(text), magic)
	})
}

func gofmt(r *run) error {
	files, err := r.lines("git", "ls-files", "*.go")
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(name string) bool { _, err := os.Stat(name); return err != nil })
	list, err := r.lines("gofmt", append([]string{"-l"}, files...)...)
	if len(list) > 0 {
		return fmt.Errorf("not formatted, run make fmt:\n%s", strings.Join(list, "\n"))
	}
	return err
}

// drift generates anew. The goldens have been compared by the tests.
func drift(r *run) error {
	if err := r.command("go", "generate", "./..."); err != nil {
		return err
	}
	changed, err := r.lines("git", "status", "--porcelain", "generated", "golden", "cmd")
	if len(changed) > 0 {
		return fmt.Errorf("not what the generator says now, or not committed:\n%s", strings.Join(changed, "\n"))
	}
	return err
}

// The turns: what takes longest, of which each commit has the next. All of it on two cores would take too long for one.
const (
	raceOfRuntime = iota
	raceOfDemos
	raceOfAHP
	peersOfMCP
	peersOfACP
	linting
	turns
)

// inTurn reports whether it is one of the turns.
func inTurn(r *run, turn int) bool { return isNext(r, turn, turns) }

// isNext reports whether this commit has one of several parts. Where nothing is left to others, it has all.
func isNext(r *run, part, parts int) bool { return whole || commits(r)%parts == part }

// shares are arguments of go test for tests that try more, with -thorough or flags of their own, where they otherwise take
// a sample. Each commit has the next one. What they do again with other numbers is for make thorough.
var shares = [][]string{
	{"./golden/cli", "-thorough", "-run", "^TestCLI$"},
	{"./golden/cli", "-thorough", "-run", "^TestErrors$"},
	{"./cmd/ahpdemo", "-thorough", "-run", "^TestPackagesOfOlderVersionsAreServed$"},
	{"./golden/corpus", "-thorough", "-run", "^TestOlderReducersFollowTheirRules$"},
	{"./golden/run", "-thorough", "-run", "^TestRun$"},
	{"./golden/readme", "-thorough", "-run", "^TestConsumerWithVendorFolder$"},
	{"./schemas/ahp/translations", "-thorough", "-run", "^TestListsAreExact$"},
	{"./generator/change", "-run", "^TestEveryMutationIsSeen$", "-all"},
	{"./golden/laws", "-thorough", "-run", "^TestProgramsOfOlderVersions$"},
	{"./golden/run", "-thorough", "-run", "^TestPackagesOfTwoVersionsLiveInOneModule$"},
	{"./golden/types", "-thorough", "-run", "^Test(DefinitionsMayHaveAnyName|NoTextOfAnInputBecomesCode)$"},
	{"./golden/readme", "-thorough", "-run", "^TestEmittedCodeIsForTheGoThatTheReadmeNames$"},
	{"./golden/upgrade", "-thorough", "-run", "^Test(MadeUpBumpsOfTheExample|ABumpKnowsOtherSystems)$", "-bumps", "20"},
	{"./golden/upgrade", "-thorough", "-run", "^TestMadeUpBumpsOfAHP$", "-bumps", "5"},
	{"./generator/internal/finished", "-run", "^TestOptionalMembersLoseNoReducer$", "-all"},
	{"./golden/writes", "-thorough", "-run", "^TestBumpKilledAtRandomMoments$"},
	{"./generated/ahp", "-run", "^Test(ReducersAgreeWithReference|Simulation)$", "-seed", "101", "-sequences", "650", "-seeds", "100"},
	// Attacks on hosts are rows of tables.
	{"./golden/hostile", "-thorough", "-third", "0", "-run", "Floods$|Giants"},
	{"./golden/hostile", "-thorough", "-third", "1", "-run", "Floods$|Giants"},
	{"./golden/hostile", "-thorough", "-third", "2", "-run", "Floods$|Giants"},
}

// thorough runs the share of this commit, or all of them.
func thorough(r *run) error {
	var errs []error
	for i, args := range shares {
		if isNext(r, i, len(shares)) {
			r.say("share %d of %d: %s", i+1, len(shares), strings.Join(args, " "))
			errs = append(errs, r.test(append(slices.Clone(args), "-count=1")...))
		}
	}
	return errors.Join(errs...)
}

// race looks for data races where several goroutines are at work: in packages that synchronize something, and in those that
// use them. What emitted code does on its own is in the other runs.
func race(r *run) error {
	var errs []error
	if inTurn(r, raceOfRuntime) {
		list, err := r.lines("go", "list", "-f", `{{if or .TestGoFiles .XTestGoFiles}}{{range .Imports}}{{if or (eq . "sync") (eq . "sync/atomic")}}{{$.ImportPath}}
{{end}}{{end}}{{end}}`, "./templates/...")
		slices.Sort(list)
		packages := append(slices.Compact(list), "./generator/internal/compile", "./generator/internal/apply")
		errs = append(errs, err, r.test(append([]string{"-race", "-count=1"}, packages...)...))
	}
	if inTurn(r, raceOfDemos) {
		errs = append(errs,
			r.test("-race", "-count=1", "./cmd/ahpdemo", "./cmd/acpdemo", "./cmd/mcpdemo"),
			r.test("-race", "-count=1", "./golden/hostile", "-run", "^Test(Peers|Nonsense|Requests|Impostures|AnID)"))
	}
	if inTurn(r, raceOfAHP) {
		errs = append(errs,
			r.test("-race", "-count=1", "./generated/ahp", "-runs", "50", "-seeds", "40", "-kills", "3",
				"-skip", "^Test(RandomActionsHaveEffects|ReducersAgreeWithReference)$|^Fuzz"),
			r.in("golden/peers/nats").test("-race", "-count=1", "-run", "Kit", "."))
	}
	return errors.Join(errs...)
}

// purego runs what has other files without package unsafe.
func purego(r *run) error {
	list, err := r.lines("go", "list", "-tags", "purego", "-f", "{{if .IgnoredGoFiles}}{{.ImportPath}}{{end}}", "./templates/...")
	if err == nil && len(list) == 0 {
		err = errors.New("no package has files for the tag purego")
	}
	if err != nil {
		return err
	}
	return r.test(append([]string{"-count=1", "-tags", "purego"}, list...)...)
}

// mutations tries other schemas, and other mutated inputs, for each commit, always the same ones for one. The latter start from
// the schemas of the corpus as well, where there is one.
func mutations(r *run) error {
	seed := fmt.Sprint(commits(r))
	if err := r.test("-count=1", "./golden/roundtrip", "-run", "TestValuesComeBack", "-schemas", "500", "-seed", seed); err != nil {
		return err
	}
	return r.test("-count=1", "./golden/mutation", "-run", "MutationsDoNoHarm|EveryCombination", "-combinations", "-mutations", "300", "-seed", seed)
}

// lint runs golangci-lint, which is in a module of its own and needs a registry. It is built without symbols for debuggers,
// and before it runs: the flags are not for what it looks at.
func lint(r *run) error {
	if !inTurn(r, linting) {
		r.say("it has its turn with another commit")
		return nil
	}
	const modules = "-modfile=.github/lint/go.mod"
	if r.quiet("go", "mod", "download", modules) != nil {
		r.say("skipped: the modules of .github/lint cannot be downloaded")
		return nil
	}
	dir, err := os.MkdirTemp("", "lint")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	linter := filepath.Join(dir, "golangci-lint.exe")
	args := []string{"build", modules, "-ldflags=-s -w", "-o", linter}
	for _, path := range []string{"github.com", "golang.org", "honnef.co"} {
		args = append(args, "-gcflags="+path+"/...=-dwarf=false")
	}
	if err := r.command("go", append(args, "github.com/golangci/golangci-lint/v2/cmd/golangci-lint")...); err != nil {
		return err
	}
	return errors.Join(r.command(linter, "run"), r.command(linter, "run", "--config", ".github/lint/emitted.yml", "./generated/..."))
}

// peersInTurn are the turns of the modules of golden/peers.
var peersInTurn = map[string]int{
	"a2a": raceOfRuntime, "codec": raceOfRuntime, "dap": raceOfRuntime, "jsonrpc": raceOfRuntime, "lines": raceOfRuntime, "websocket": raceOfRuntime,
	"nats": raceOfAHP, "otel": raceOfAHP,
	"mcp": peersOfMCP,
	"acp": peersOfACP, "pages": peersOfACP,
}

// peers tests against software that others wrote. It is in modules of their own, which need a registry. They wait a lot, so two
// are run at a time.
func peers(r *run) error {
	files, err := r.lines("git", "ls-files", "golden/peers/*/go.mod")
	errs := []error{err}
	var modules []*run
	for _, file := range files {
		at := r.in(filepath.Dir(file))
		turn, has := peersInTurn[filepath.Base(at.dir)]
		switch {
		case !has:
			errs = append(errs, fmt.Errorf("%s has no turn in .ci/steps", at.dir))
		case !inTurn(r, turn):
			r.say("%s has its turn with another commit", at.dir)
		default:
			modules = append(modules, r.apart(at.dir))
		}
	}
	results := make([]error, len(modules))
	workers := &errgroup.Group{}
	workers.SetLimit(2)
	for i, m := range modules {
		workers.Go(func() error {
			results[i] = peer(m)
			return nil
		})
	}
	_ = workers.Wait()
	for _, m := range modules {
		r.add(m)
	}
	return errors.Join(append(errs, results...)...)
}

// peer tests one module.
func peer(r *run) error {
	if filepath.Base(r.dir) == "pages" {
		installBrowser(r)
	}
	if r.quiet("go", "mod", "download") != nil {
		r.say("skipped %s: its modules cannot be downloaded", r.dir)
		return nil
	}
	return errors.Join(r.command("go", "vet", "./..."), r.test("-count=1", "./..."))
}

// installBrowser installs one where there is none, on a machine of CI, which it may be put on. Without one, and without npm,
// the tests that need them are skipped.
func installBrowser(r *run) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell"} {
		if r.quiet("bash", "-c", "command -v "+name) == nil {
			return
		}
	}
	if os.Getenv("CI") == "true" && os.Getuid() == 0 {
		_ = r.quiet("bash", "-c", "timeout 60 apt-get update -qq && DEBIAN_FRONTEND=noninteractive timeout 240 apt-get install -y -qq --no-install-recommends chromium")
	}
}

// fuzz runs every fuzz test for a time, in binaries that are built with the flags.
func fuzz(r *run, duration string, flags ...string) error {
	found, err := r.functions("Fuzz")
	if err != nil || len(found) == 0 {
		return errors.Join(err, errors.New("no fuzz tests found"))
	}
	dir, err := os.MkdirTemp("", "fuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var errs []error
	for folder, names := range found {
		binary := filepath.Join(dir, strings.ReplaceAll(folder, "/", "-")+".test.exe")
		if err := r.command("go", slices.Concat([]string{"test", "-vet=off", "-c", "-o", binary}, flags, []string{"./" + folder})...); err != nil {
			errs = append(errs, err)
			continue
		}
		for _, name := range names {
			r.say("%s %s", folder, name)
			errs = append(errs, r.in(folder).fuzz(binary, name, duration, dir))
		}
	}
	return errors.Join(errs...)
}

// late reports whether a fuzz run ended because of its time alone, which package testing sometimes calls an error.
func late(out string) bool {
	return strings.Contains(out, "context deadline exceeded") && !strings.Contains(out, "Failing input")
}

func benchmarks(r *run) error {
	found, err := r.functions("Benchmark")
	if err != nil || len(found) == 0 {
		return errors.Join(err, errors.New("no benchmarks found"))
	}
	args := []string{"test", "-vet=off", "-exec", asUsual, "-run", "^$", "-bench", ".", "-benchtime", "1x"}
	for folder := range found {
		args = append(args, "./"+folder)
	}
	return r.command("go", args...)
}

var declaration = regexp.MustCompile(`(?m)^func ((?:Fuzz|Benchmark)[A-Za-z0-9_]*)\(`)
