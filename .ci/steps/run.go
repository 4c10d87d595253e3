// Run: how a step is run, and tests are counted.

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// asUsual runs a program with the memory that it would have anywhere: only the compiler may use more before it collects.
const asUsual = "env -u GOGC -u GOMEMLIMIT"

type step struct {
	name string
	do   func(*run) error
}

// run is a step that runs.
type run struct {
	dir  string
	idle bool // its commands give way to others
	log  *bytes.Buffer
	cpu  *time.Duration
}

var (
	mutex  sync.Mutex
	failed []string // steps
	extra  int      // those of them that no failed test stands for
	twice  []string // tests that failed once, and passed when they were run again
	total  struct{ passed, failed, skipped int }
)

// do runs a step, and prints what it said once it is over: several run at a time.
func do(s step) bool {
	started := time.Now()
	r := &run{log: &bytes.Buffer{}, cpu: new(time.Duration)}
	mutex.Lock()
	before := total.failed
	mutex.Unlock()
	err := s.do(r)
	mutex.Lock()
	tests := total.failed > before
	mutex.Unlock()
	if err != nil {
		fail(s.name, err, !tests)
	}
	mutex.Lock()
	defer mutex.Unlock()
	result := "ok"
	if err != nil {
		result = "FAILED"
	}
	fmt.Printf("== %s\n%s   %s, %ds, %ds of processor time\n", s.name, r.log, result, int(time.Since(started).Seconds()), int(r.cpu.Seconds()))
	return err == nil
}

// fail notes that a step failed. It counts as a test where none of its tests did.
func fail(name string, err error, counts bool) {
	mutex.Lock()
	defer mutex.Unlock()
	failed = append(failed, name)
	if counts {
		extra++
	}
	fmt.Printf("   %s: %v\n", name, err)
}

func (r *run) say(format string, args ...any) { fmt.Fprintf(r.log, "   "+format+"\n", args...) }

// in is the same step in another folder.
func (r *run) in(dir string) *run { return &run{dir: dir, idle: r.idle, log: r.log, cpu: r.cpu} }

// apart is a part of the step in another folder, which may run beside others, and is added at the end.
func (r *run) apart(dir string) *run {
	return &run{dir: dir, idle: r.idle, log: &bytes.Buffer{}, cpu: new(time.Duration)}
}

// add adds what a part said, and its processor time.
func (r *run) add(part *run) {
	r.log.Write(part.log.Bytes())
	*r.cpu += *part.cpu
}

// idly has a step's commands take the processor time that others leave.
func idly(do func(*run) error) func(*run) error {
	return func(r *run) error { return do(&run{dir: r.dir, idle: true, log: r.log, cpu: r.cpu}) }
}

func (r *run) cmd(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	if r.idle {
		cmd = exec.Command("nice", append([]string{"-n", "19", name}, args...)...)
	}
	cmd.Dir = r.dir
	cmd.Env = os.Environ()
	if name == "go" {
		cmd.Env = append(cmd.Env, "GOGC=800", "GOMEMLIMIT=2GiB")
	}
	return cmd
}

// output runs a command, and returns all that it printed.
func (r *run) output(name string, args ...string) (string, error) {
	cmd := r.cmd(name, args...)
	started := time.Now()
	out, err := cmd.CombinedOutput()
	r.count(cmd, started)
	return string(out), err
}

// count adds the processor time of a command, and says which one took long.
func (r *run) count(cmd *exec.Cmd, started time.Time) {
	if cmd.ProcessState == nil {
		return
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	*r.cpu += cpu
	if took := time.Since(started); took > 20*time.Second {
		line := strings.Join(cmd.Args, " ")
		if len(line) > 150 {
			line = line[:150] + "…"
		}
		r.say("%ds, %ds of processor time: %s %s", int(took.Seconds()), int(cpu.Seconds()), r.dir, line)
	}
}

// command runs a command, and notes what it printed if it failed.
func (r *run) command(name string, args ...string) error {
	out, err := r.output(name, args...)
	if err != nil {
		r.log.WriteString(out)
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return nil
}

// quiet runs a command of which only the result counts.
func (r *run) quiet(name string, args ...string) error {
	_, err := r.output(name, args...)
	return err
}

// lines runs a command, and returns the lines that it printed.
func (r *run) lines(name string, args ...string) ([]string, error) {
	out, err := r.cmd(name, args...).Output()
	return slices.DeleteFunc(strings.Split(string(out), "\n"), func(line string) bool { return strings.TrimSpace(line) == "" }), err
}

func command(name string, args ...string) func(*run) error {
	return func(r *run) error { return r.command(name, args...) }
}

func test(args ...string) func(*run) error {
	return func(r *run) error { return r.test(args...) }
}

// event is a line of what go test -json prints.
type event struct {
	Action, Package, ImportPath, Test, Output string

	Elapsed float64 // in seconds
}

// failure is a test that failed, or a package that did without one.
type failure struct{ at, test, text string }

// isSure reports whether a failure cannot come from slowness.
func (f failure) isSure() bool {
	return f.test == "" || strings.Contains(f.text, "DATA RACE") || strings.Contains(f.text, "panic: ")
}

// mayBeSlow is how many tests may fail because the machine is busy. If more fail, something is wrong.
const mayBeSlow = 3

// test runs go test, counts the tests, and notes what failed. A step of its own runs go vet, once. Some tests wait for what
// others do in time, such as servers that elect a leader: a few that fail are run once more, and named at the end.
func (r *run) test(args ...string) error {
	failures, err := r.testOnce(args)
	if err == nil {
		return nil
	}
	var tests []failure // without those within others, which run again with them
	for _, f := range failures {
		if !strings.Contains(f.test, "/") {
			tests = append(tests, f)
		}
	}
	if len(tests) == 0 || len(tests) > mayBeSlow || slices.ContainsFunc(failures, failure.isSure) {
		r.wrong(failures)
		return err
	}
	for _, f := range failures {
		r.log.WriteString(f.text)
	}
	flags := slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		return strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "github.com/")
	})
	var errs []error
	for _, t := range tests {
		left, err := r.testOnce(slices.Concat([]string{t.at}, flags, []string{"-count=1", "-run", "^" + t.test + "$"}))
		if err == nil {
			mutex.Lock()
			twice = append(twice, t.test+" of "+t.at)
			mutex.Unlock()
		}
		r.wrong(left)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// wrong counts and prints failures.
func (r *run) wrong(failures []failure) {
	mutex.Lock()
	defer mutex.Unlock()
	for _, f := range failures {
		r.log.WriteString(f.text)
		total.failed++
	}
}

// testOnce runs go test, counts what passed, and returns what failed.
func (r *run) testOnce(args []string) ([]failure, error) {
	cmd := r.cmd("go", append([]string{"test", "-vet=off", "-exec", asUsual, "-json"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	failures := r.read(out)
	err = cmd.Wait()
	r.count(cmd, started)
	if err != nil {
		r.log.Write(wrong.Bytes())
		err = fmt.Errorf("go test: %w", err)
	}
	return failures, err
}

// read counts the events of tests. A package that fails without a failed test, because it does not build for example,
// is a failure of its own.
func (r *run) read(out io.Reader) (failures []failure) {
	texts := map[[2]string]*strings.Builder{}
	blamed := map[string]bool{}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil {
			key := [2]string{e.Package + e.ImportPath, e.Test}
			if texts[key] == nil {
				texts[key] = &strings.Builder{}
			}
			switch e.Action {
			case "output", "build-output":
				texts[key].WriteString(e.Output)
			case "pass", "skip":
				if e.Test != "" {
					passed(e.Action == "pass")
				} else if e.Elapsed > 40 {
					r.say("%ds: %s", int(e.Elapsed), e.Package)
				}
				delete(texts, key)
			case "build-fail":
				r.log.WriteString(texts[key].String()) // the package fails as well
			case "fail":
				if e.Test != "" || !blamed[e.Package] {
					failures = append(failures, failure{key[0], e.Test, texts[key].String()})
				}
				blamed[e.Package] = true
				delete(texts, key)
			}
		} else if len(line) > 0 {
			r.log.Write(line)
		}
		if err != nil {
			return failures
		}
	}
}

// passed counts a test that passed, or was skipped.
func passed(ran bool) {
	mutex.Lock()
	defer mutex.Unlock()
	if ran {
		total.passed++
	} else {
		total.skipped++
	}
}

// commits is how many the history has.
func commits(r *run) int {
	out, err := r.lines("git", "rev-list", "--count", "HEAD")
	if err != nil || len(out) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(out[0])
	return n
}

// functions are those of the tests whose names begin so, by folder.
func (r *run) functions(prefix string) (map[string][]string, error) {
	files, err := r.lines("git", "ls-files", "*_test.go")
	out := map[string][]string{}
	for _, name := range files {
		if strings.Contains(name, "testdata/") || strings.HasPrefix(name, "golden/peers/") {
			continue // they are in modules of their own
		}
		text, failed := os.ReadFile(name)
		if failed != nil {
			continue
		}
		for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(m[1], prefix) {
				folder := filepath.ToSlash(filepath.Dir(name))
				out[folder] = append(out[folder], m[1])
			}
		}
	}
	return out, err
}

// fuzz runs one fuzz test of a binary. One that ends because of its time is run again, once.
func (r *run) fuzz(binary, name, duration, cache string) error {
	args := []string{"-test.run", "^$", "-test.fuzz", "^" + name + "$", "-test.fuzztime", duration, "-test.fuzzminimizetime", "10x", "-test.fuzzcachedir", filepath.Join(cache, "found")}
	for range 2 {
		out, err := r.output(binary, args...)
		switch {
		case err == nil:
			return nil
		case !late(out):
			r.log.WriteString(out)
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return errors.Join() // it stopped at its time twice, and found nothing
}
