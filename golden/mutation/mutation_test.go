// The campaign: as many mutated inputs as are asked for, and what was found by earlier ones.

package mutation

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/exported"
)

var (
	mutations = flag.Int("mutations", 0, "how many mutated inputs to try")
	first     = flag.Uint64("first", 0, "number of the first mutated input")
	seedFlag  = flag.Uint64("seed", 1, "number that decides on the mutations")
	combined  = flag.Bool("combinations", false, "try every combination of options on all small protocols")
	workers   = flag.Int("workers", 2, "how many processes try them")
	findings  = flag.String("findings", "", "folder for shrunk inputs that fail (default testdata/found)")
	shrinkFor = flag.Duration("shrinkfor", 30*time.Second, "time for shrinking each")
)

// kept is the folder of inputs that failed once.
const kept = "testdata/failed"

// TestInputsThatFailedOnceHoldNow goes through everything that a campaign has found and somebody
// mended.
func TestInputsThatFailedOnceHoldNow(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(kept, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	c := newCampaign(t)
	for i := range files {
		files[i], err = filepath.Abs(files[i])
		require.NoError(t, err)
	}
	for len(files) > 0 {
		j := c.job(0)
		j.Inputs = files
		last, died := c.start(j, func(r report) {
			if r.Failure != nil {
				t.Errorf("%s: %s: %s\n%s", filepath.Base(files[r.Run]), r.Failure.Class, r.Failure.Sign, r.Failure.Detail)
			}
		})
		if died == nil {
			return
		}
		t.Errorf("%s: %s: %s\n%s", filepath.Base(files[last]), died.Class, died.Sign, died.Detail)
		files = files[last+1:]
	}
}

// TestMutationsDoNoHarm tries mutated inputs. Each way to fail is reported once, with an input that
// is as small as can be found in little time.
func TestMutationsDoNoHarm(t *testing.T) {
	if *mutations == 0 {
		t.Skip("-mutations asks for them, as .ci/run does")
	}
	c := newCampaign(t)
	c.plant()
	began := time.Now()
	var group sync.WaitGroup
	for lane := range *workers {
		group.Go(func() { c.lane(lane) })
	}
	group.Wait()
	t.Logf("%d inputs, %d accepted (%d %%), %d failures of %d kinds, %s", c.done, c.accepted, 100*c.accepted/max(c.done, 1), c.failures, len(c.found), time.Since(began).Round(time.Second))
	if testing.Verbose() {
		for _, name := range slices.Sorted(maps.Keys(c.steps)) {
			t.Logf("%-20s %7d inputs, %2d %% accepted", name, c.steps[name][0], 100*c.steps[name][1]/max(c.steps[name][0], 1))
		}
	}
	require.GreaterOrEqual(t, c.done+c.lost, *mutations)
	require.Greater(t, c.accepted, c.done/20, "hardly anything is accepted: the mutations test nothing but refusals")
	for _, sign := range slices.Sorted(maps.Keys(c.found)) {
		f := c.found[sign]
		c.shrink(f)
		t.Errorf("%d× %s: %s\nfirst in run %d of seed %d, kept as %s\n%s", f.times, f.Class, f.Sign, f.run, *seedFlag, f.path, f.Detail)
	}
}

// finding is one way to fail.
type finding struct {
	*failure
	run   uint64
	times int
	path  string
}

// campaign is a set of runs.
type campaign struct {
	t       *testing.T
	dir     string
	exports map[string]string
	seeds   []*input

	mu                       sync.Mutex
	done, accepted, failures int
	lost                     int // runs of workers that died before they reported them
	steps                    map[string][2]int
	found                    map[string]*finding
}

// newCampaign prepares what workers need of the standard library: export data.
func newCampaign(t *testing.T) *campaign {
	t.Helper()
	c := &campaign{t: t, dir: t.TempDir(), steps: map[string][2]int{}, found: map[string]*finding{}, exports: exports(t)}
	require.NoError(t, os.MkdirAll(filepath.Join(c.dir, "seeds"), 0o755))
	return c
}

// plant makes the seeds, with their locks, of which mutated inputs are made.
func (c *campaign) plant() {
	for i, s := range allSeeds(c.t) {
		require.NoError(c.t, os.WriteFile(filepath.Join(c.dir, "seeds", fmt.Sprintf("%04d.txtar", i)), s.archive(s.seed+"\n"), 0o644))
	}
	// Positions differ between what was read and what is read again; runs have to see the latter.
	var err error
	c.seeds, err = readSeeds(filepath.Join(c.dir, "seeds"))
	require.NoError(c.t, err)
}

// made are the seeds, once they were made: a package of each is planned for its lock.
var made []*input

// allSeeds makes the seeds once for all tests, which leave them as they are.
func allSeeds(t *testing.T) []*input {
	t.Helper()
	if made == nil {
		corpus := os.Getenv("AHPGEN_CORPUS")
		if corpus != "" && !filepath.IsAbs(corpus) {
			corpus = filepath.Join(moduleDir, corpus)
		}
		t.Chdir(t.TempDir())
		var err error
		made, err = loadSeeds(moduleDir, corpus)
		require.NoError(t, err)
		t.Chdir(filepath.Join(moduleDir, "golden", "mutation"))
	}
	return made
}

// exportData lists the files with export data of the packages that emitted ones import.
var exportData = sync.OnceValues(func() (map[string]string, error) {
	return exported.Files(moduleDir, append([]string{"github.com/ahpgen/ahpgen/templates/wire/..."}, standardImports...)...)
})

func exports(t *testing.T) map[string]string {
	t.Helper()
	out, err := exportData()
	require.NoError(t, err)
	return out
}

// job is one for a lane, with nothing to do yet.
func (c *campaign) job(lane int) job {
	dir := filepath.Join(c.dir, fmt.Sprintf("lane%d", lane))
	return job{
		Seeds: filepath.Join(c.dir, "seeds"), Exports: c.exports, Dir: filepath.Join(dir, "work"), State: filepath.Join(dir, "state"), MaxTime: maxTime, Seed: *seedFlag,
	}
}

// lane goes through its share of the runs, with one process after the other.
func (c *campaign) lane(lane int) {
	limit := *first + uint64(*mutations)
	next := *first + uint64(lane)
	for next < limit {
		j := c.job(lane)
		j.First, j.Step, j.Limit = next, uint64(*workers), limit
		done := 0
		last, died := c.start(j, func(r report) {
			done += r.Done
			c.note(r)
		})
		if died == nil {
			return
		}
		if died.Class == "test" {
			c.t.Errorf("%s", died.Detail)
			return
		}
		if c.confirmed(lane, last, died) {
			c.note(report{Run: last, Failure: died})
		}
		c.mu.Lock()
		c.lost += int((last-next)/uint64(*workers)) + 1 - done
		c.mu.Unlock()
		next = last + uint64(*workers)
	}
}

// confirmed reports whether a run that was stopped has to be stopped again: a machine that is busy
// with other things is slow as well.
func (c *campaign) confirmed(lane int, run uint64, f *failure) bool {
	if f.Class != "hang" {
		return true
	}
	j := c.job(lane)
	j.First, j.Step, j.Limit = run, 1, run+1
	_, died := c.start(j, func(report) {})
	return died != nil
}

// note adds up what a worker tells.
func (c *campaign) note(r report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.done / 10_000
	c.done += r.Done
	c.accepted += r.Accepted
	for name, n := range r.Steps {
		c.steps[name] = [2]int{c.steps[name][0] + n[0], c.steps[name][1] + n[1]}
	}
	if c.done/10_000 > before && testing.Verbose() {
		fmt.Printf("%s: %d inputs, %d accepted, %d failures of %d kinds\n", time.Now().Format(time.TimeOnly), c.done, c.accepted, c.failures, len(c.found))
	}
	if r.Failure == nil {
		return
	}
	c.failures++
	sign := r.Failure.Class + ": " + r.Failure.Sign
	if f := c.found[sign]; f != nil {
		f.times++
		return
	}
	f := &finding{failure: r.Failure, run: r.Run, times: 1}
	c.found[sign] = f
	c.keep(f, mutate(c.seeds, *seedFlag, r.Run))
	if testing.Verbose() {
		fmt.Printf("%s: run %d: %s\n", time.Now().Format(time.TimeOnly), r.Run, sign)
	}
}

var notWord = regexp.MustCompile(`[^A-Za-z0-9]+`)

// keep writes the input of a failure.
func (c *campaign) keep(f *finding, in *input) {
	dir := *findings
	if dir == "" {
		dir = "testdata/found"
	}
	require.NoError(c.t, os.MkdirAll(dir, 0o755))
	name := strings.Trim(notWord.ReplaceAllString(f.Class+" "+f.Sign, "-"), "-")
	hash := fnv.New32()
	hash.Write([]byte(f.Class + f.Sign))
	f.path = filepath.Join(dir, fmt.Sprintf("%.70s-%08x.txtar", name, hash.Sum32()))
	comment := fmt.Sprintf("%s\n%s: %s\nmutated by: %s\n%s\n", in.seed, f.Class, f.Sign, strings.Join(in.steps, ", "), strings.ReplaceAll(f.Detail, "\n-- ", "\n - "))
	require.NoError(c.t, os.WriteFile(f.path, in.archive(comment), 0o644))
}

// shrink makes the kept input of a failure as small as it gets.
func (c *campaign) shrink(f *finding) {
	if *shrinkFor == 0 {
		return
	}
	best := filepath.Join(c.dir, "best.txtar")
	in := mutate(c.seeds, *seedFlag, f.run)
	steps := in.steps
	require.NoError(c.t, os.WriteFile(best, in.archive(in.seed+"\n"), 0o644))
	deadline := time.Now().Add(*shrinkFor)
	s := shrinkJob{Best: best, Class: f.Class, Sign: f.Sign}
	for time.Now().Before(deadline) {
		j := c.job(99)
		j.Shrink, j.MaxTime = &s, maxTime/2
		j.Limit = uint64(time.Until(deadline).Milliseconds())
		shrunk := false
		last, died := c.start(j, func(r report) { shrunk = shrunk || r.Shrunk })
		if shrunk || died == nil || died.Class == "test" {
			break
		}
		s.From = int(last) + 1
		if s.same(died) { // the edit keeps the failure
			small, err := readInput(best)
			require.NoError(c.t, err)
			edits(small)[last]()
			require.NoError(c.t, os.WriteFile(best, small.archive(small.seed+"\n"), 0o644))
			s.From, s.Moved = int(last), true
		}
	}
	in, err := readInput(best)
	require.NoError(c.t, err)
	in.steps = steps
	c.keep(f, in)
}

// start runs a worker and passes on what it tells. Where it does not end well, the number of the run
// that it was in is returned, and why it ended.
func (c *campaign) start(j job, tell func(report)) (last uint64, death *failure) {
	require.NoError(c.t, os.RemoveAll(j.Dir))
	require.NoError(c.t, os.MkdirAll(j.Dir, 0o755))
	data, err := json.Marshal(j)
	require.NoError(c.t, err)
	require.NoError(c.t, os.WriteFile(j.State+".json", data, 0o644))
	require.NoError(c.t, os.WriteFile(j.State, make([]byte, 8), 0o644))
	self, err := os.Executable()
	require.NoError(c.t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), jobEnv+"="+j.State+".json", moduleEnv+"="+moduleDir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(c.t, err)
	require.NoError(c.t, cmd.Start())
	if j.Shrink != nil {
		timer := time.AfterFunc(time.Duration(j.Limit)*time.Millisecond, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var r report
		if json.Unmarshal(line, &r) != nil {
			fmt.Printf("%s", line)
			continue
		}
		if r.Failure != nil && (r.Failure.Class == "hang" || r.Failure.Class == "memory") {
			death = r.Failure
			continue
		}
		tell(r)
	}
	err = cmd.Wait()
	if err == nil {
		return 0, nil
	}
	state, readErr := os.ReadFile(j.State)
	require.NoError(c.t, readErr)
	last = binary.LittleEndian.Uint64(state)
	if death != nil {
		return last, death
	}
	if cmd.ProcessState.ExitCode() == 9 {
		return last, fail("test", "worker", "%s", stderr.String())
	}
	return last, died(stderr.String())
}
