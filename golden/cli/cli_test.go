// Tests that run scripts of commands.

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// TestErrors runs the scripts of bad input.
func TestErrors(t *testing.T) { runScripts(t, "../errors") }

// TestCLI runs the scripts of whole commands.
func TestCLI(t *testing.T) { runScripts(t, ".") }

func runScripts(t *testing.T, dir string) {
	cache := strings.TrimSpace(kit.Run(t, ".", "go", "env", "GOCACHE"))
	dir, err := filepath.Abs(dir)
	require.NoError(t, err)
	deadline, _ := t.Deadline()
	testscript.RunT(oneByOne{t}, testscript.Params{
		Dir:         dir,
		Deadline:    deadline,
		WorkdirRoot: kit.Place(t),
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOCACHE", cache) // scripts have no home, and what they compile is there from other runs
			for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
				env.Setenv(name, os.Getenv(name))
			}
			name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
			text, err := os.ReadFile(filepath.Join(dir, name+".txtar"))
			if err != nil {
				return err
			}
			if !strings.Contains(string(text), "\nenv ") && !*kit.Thorough {
				env.Values[inProcess{}] = env.Vars
			}
			return nil
		},
		UpdateScripts: *kit.Update,
		Condition: func(name string) (bool, error) { // all: see flags.All
			if name != "all" {
				return false, fmt.Errorf("no condition %q", name)
			}
			return flags.All(t) || *kit.Update, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":   code,
			"absent": absent,
		},
		RequireExplicitExec: true,
	})
}

// inProcess is the key of a script's environment, if its commands run in this process: to start one for each takes longer
// than most of what they do. They do run in their own where the script changes its environment, and if the tests are thorough.
type inProcess struct{}

// code N COMMAND… runs a command and wants the exit code to be N.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [argument ...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if env, ok := ts.Value(inProcess{}).([]string); ok && args[1] == "ahpgen" {
		got = runHere(ts, env, args[2:])
	} else if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// oneByOne runs the scripts one after the other: this process has one environment and one folder.
type oneByOne struct{ *testing.T }

func (oneByOne) Parallel() {}

func (o oneByOne) Run(name string, f func(testscript.T)) {
	o.T.Run(name, func(t *testing.T) { f(oneByOne{t}) })
}

func (oneByOne) Verbose() bool { return testing.Verbose() }

// runHere runs a command line of ahpgen as a process of a script would: with its environment, in its folder.
func runHere(ts *testscript.TestScript, env, args []string) int {
	folder, err := os.Getwd()
	ts.Check(err)
	before := os.Environ()
	defer func() {
		setEnviron(before)
		if err := os.Chdir(folder); err != nil {
			panic(err)
		}
	}()
	setEnviron(env)
	there := ts.MkAbs(".")
	ts.Check(os.Setenv("PWD", there))
	ts.Check(os.Chdir(there))
	return cli.Run(args, ts.Stdout(), ts.Stderr())
}

// setEnviron makes the environment that of the list.
func setEnviron(env []string) {
	os.Clearenv()
	for _, pair := range env {
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
			_ = os.Setenv(name, value)
		}
	}
}

// absent FILE… wants none of the files to exist.
func absent(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		if _, err := os.Lstat(ts.MkAbs(name)); (err == nil) != neg {
			ts.Fatalf("%s: exists is %v", name, err == nil)
		}
	}
}
