// Workers: processes of their own that go through inputs, so that one that kills its process or has
// to be stopped is known by its number.

package mutation

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/yard"
)

const (
	jobEnv    = "AHPGEN_MUTATION_JOB"    // file with the job of a worker
	moduleEnv = "AHPGEN_MUTATION_MODULE" // folder of the module, for workers

	maxTime   = 5 * time.Second  // of work: a machine may be busy with other things
	maxWait   = 60 * time.Second // for whatever does not even work
	maxMemory = 1 << 30
	deepEvery = 16
)

// job is what a worker has to do: a range of runs, or inputs that are at hand.
type job struct {
	Seeds   string            // folder of seeds
	Exports map[string]string // import path → file with export data
	Dir     string            // folder to work in
	State   string            // file with the number of the run that is under way
	MaxTime time.Duration

	Seed               uint64
	First, Step, Limit uint64 // runs First, First+Step, … below Limit

	Inputs []string // or these files
	Shrink *shrinkJob
}

// report is a line that a worker prints.
type report struct {
	Run      uint64
	Failure  *failure
	Done     int // inputs so far
	Accepted int
	Steps    map[string][2]int `json:",omitempty"` // mutation → inputs with it, and accepted ones
	Shrunk   bool              `json:",omitempty"`
}

func TestMain(m *testing.M) {
	if name := os.Getenv(jobEnv); name != "" {
		if err := work(name); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(9)
		}
		os.Exit(0)
	}
	if flags.Updating() {
		return // there are no golden files here
	}
	os.Exit(yard.Run("mutation", m))
}

// worker is a process that does a job.
type worker struct {
	job    job
	oracle *oracle
	state  *os.File
	out    *json.Encoder

	run     atomic.Uint64
	started atomic.Int64 // in nanoseconds, 0 between runs
	spent   atomic.Int64 // by the process until then, likewise
}

func work(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	w := &worker{out: json.NewEncoder(os.Stdout)}
	if err := json.Unmarshal(data, &w.job); err != nil {
		return err
	}
	if err := os.Chdir(w.job.Dir); err != nil {
		return err
	}
	debug.SetMaxStack(256 << 20)
	debug.SetGCPercent(300)
	runtime.GOMAXPROCS(1) // there is a process for each
	if w.state, err = os.OpenFile(w.job.State, os.O_CREATE|os.O_RDWR, 0o644); err != nil {
		return err
	}
	w.oracle = newOracle(newChecker(w.job.Exports, func(name string) (io.ReadCloser, error) { return os.Open(name) }))
	w.oracle.step = w.start
	go w.watch()
	switch {
	case w.job.Shrink != nil:
		return w.shrink()
	case w.job.Inputs != nil:
		return w.files()
	}
	return w.mutations()
}

// mutations makes and tries the inputs of a range.
func (w *worker) mutations() error {
	seeds, err := readSeeds(w.job.Seeds)
	if err != nil {
		return err
	}
	bySeed := map[string]*input{}
	for _, s := range seeds {
		bySeed[s.seed] = s
	}
	total := report{Steps: map[string][2]int{}}
	told := time.Now()
	for run := w.job.First; run < w.job.Limit; run += w.job.Step {
		w.begin(run)
		in := mutate(seeds, w.job.Seed, run)
		res := w.oracle.run(in, bySeed[in.seed], run%deepEvery == 0)
		w.started.Store(0)
		total.Run = run
		total.Done++
		for i, step := range in.steps {
			if slices.Contains(in.steps[:i], step) {
				continue
			}
			n := total.Steps[step]
			n[0]++
			if res.accepted {
				n[1]++
			}
			total.Steps[step] = n
		}
		if res.accepted {
			total.Accepted++
		}
		if res.failure != nil {
			if err := w.out.Encode(report{Run: run, Failure: res.failure}); err != nil {
				return err
			}
		}
		if time.Since(told) > time.Second/4 {
			if err := w.out.Encode(total); err != nil {
				return err
			}
			total = report{Steps: map[string][2]int{}}
			told = time.Now()
		}
	}
	return w.out.Encode(total)
}

// files tries inputs that are at hand.
func (w *worker) files() error {
	for i, name := range w.job.Inputs {
		in, err := readInput(name)
		if err != nil {
			return err
		}
		w.begin(uint64(i))
		res := w.oracle.run(in, in, true)
		w.started.Store(0)
		r := report{Run: uint64(i), Failure: res.failure, Done: 1}
		if res.accepted {
			r.Accepted = 1
		}
		if err := w.out.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// begin notes which run is under way, for the parent and for the watchdog.
func (w *worker) begin(run uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], run)
	_, _ = w.state.WriteAt(b[:], 0)
	w.run.Store(run)
	w.start()
}

// start begins to measure time.
func (w *worker) start() {
	w.spent.Store(int64(cpuTime()))
	w.started.Store(time.Now().UnixNano())
}

// watch ends the process where a run takes too long or too much memory.
func (w *worker) watch() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for {
		time.Sleep(20 * time.Millisecond)
		started := w.started.Load()
		if started == 0 {
			continue
		}
		metrics.Read(sample)
		class := ""
		switch {
		case sample[0].Value.Uint64() > maxMemory:
			class = "memory"
		case cpuTime()-time.Duration(w.spent.Load()) > w.job.MaxTime, time.Since(time.Unix(0, started)) > maxWait:
			class = "hang"
		default:
			continue
		}
		stack := make([]byte, 1<<20)
		stack = stack[:runtime.Stack(stack, true)]
		_ = w.out.Encode(report{Run: w.run.Load(), Failure: fail(class, outermost(string(stack)), "%s", cutStack(stack[max(0, strings.Index(string(stack), "\n\n")):]))})
		os.Exit(8)
	}
}

// outermost names the functions of ours that are under way in the goroutine of the run.
func outermost(stack string) string {
	for _, g := range strings.Split(stack, "\n\n") {
		if !strings.Contains(g, "(*oracle).run") {
			continue
		}
		var out []string
		frames := ownFrame.FindAllStringSubmatch(g, -1)
		slices.Reverse(frames)
		for _, f := range frames {
			if name := f[1][strings.LastIndexByte(f[1], '/')+1:]; len(out) < 6 && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		return strings.Join(out, " > ")
	}
	return "?"
}

var fatalError = regexp.MustCompile(`(?m)^(?:fatal error|panic|runtime): .*$`)

// died makes a failure of what a process printed that ended by itself.
func died(stderr string) *failure {
	message := "the process ended"
	if m := fatalError.FindAllString(stderr, -1); len(m) > 0 {
		message = m[0]
		if strings.Contains(stderr, "stack overflow") {
			message = "stack overflow"
		}
	}
	seen := map[string]bool{}
	for _, f := range ownFrame.FindAllStringSubmatch(stderr, 40) {
		seen[strings.TrimSuffix(f[1], "(...")] = true
	}
	var where []string
	for name := range seen {
		where = append(where, name)
	}
	slices.Sort(where)
	if len(stderr) > 3000 {
		stderr = stderr[:3000]
	}
	return fail("fatal", normal(message)+" in "+strings.Join(where[:min(len(where), 3)], ", "), "%s", stderr)
}

// readSeeds reads the seeds that the parent has written, in their order.
func readSeeds(dir string) ([]*input, error) {
	matches, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	var out []*input
	for _, name := range matches {
		in, err := readInput(name)
		if err != nil {
			return nil, err
		}
		in.rich = richness(in)
		out = append(out, in)
	}
	return out, nil
}

// readInput reads an input that was kept. The first line names its seed.
func readInput(name string) (*input, error) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		return nil, err
	}
	comment, _, _ := strings.Cut(string(archive.Comment), "\n")
	in := &input{seed: comment, refused: true}
	for _, f := range archive.Files {
		if plain, err := strconv.Unquote(f.Name); err == nil {
			f.Name = plain
		}
		in.set(newFile(f.Name, f.Data))
		if f.Name == generator.LockName {
			in.refused = false
		}
	}
	return in, nil
}
