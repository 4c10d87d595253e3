// Test of a package with reducers that follows a protocol from version to version.

package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const todo = "\t// TODO(ahpgen): return a changed copy, or s where nothing changes.\n\treturn s\n"

// finished are bodies that a person could have written in the place of a stub's, not all of them tidy.
var finished = []string{
	"\tnext := *s\n\treturn &next\n",
	"\tif a == nil  { return   s } // odd   formatting\n\n\n\treturn s\n",
	"\t/* nothing to do\n\t   for us */ return s\n",
	"\treturn func() *%s { return s } ( )\n", // %s is the type of the state
	"\t// TODO: look at this again\n\tvar _ = a\n\treturn s\n",
}

// TestBump follows the published schemas through three versions, and one that is newer than they are, in a
// module with the reducers of a person.
func TestBump(t *testing.T) {
	published := filepath.Join(corpus(t), "ahp")
	newest := newVersion(t)
	t.Chdir(place(t))
	writeFile(t, "go.mod", "module consumer\n\ngo 1.24\n")
	added := map[string]int{}
	for _, version := range []string{"0.6.0", "0.7.0", "0.8.0-dev", "0.8.1"} {
		schemas := filepath.Join(published, version, "schema")
		if version == "0.8.1" {
			schemas = newest
		}
		args := []string{"--schemas", schemas, "--profile", "ahp", "--protocol-version", version, "--out", "ahp"}
		before := handFiles(t)
		printed, code := ahpgen(append([]string{"generate"}, args...)...)
		require.Zero(t, code, printed)
		after := handFiles(t)
		todos := 0
		for name, content := range after {
			requireInserted(t, name, before[name], content)
			todos += strings.Count(content, todo)
		}
		for name := range before {
			require.Contains(t, after, name, "a person's file is gone")
		}
		require.Equal(t, todos > 0, strings.Contains(printed, " for you to write: "), printed)
		added[version] = todos
		if version == "0.8.1" {
			require.Contains(t, printed, "  chatInputCompleted: the finished reducer does not fit: ")
			require.Contains(t, printed, "ResponsePart has SparkleResponsePart, unlike where the reducer was written\n")
		}

		again, code := ahpgen(append([]string{"generate"}, args...)...)
		require.Zero(t, code, again)
		require.Equal(t, after, handFiles(t), "a second run changes something")
		checked, code := ahpgen(append([]string{"check"}, args...)...)
		require.Equal(t, todos > 0, code == 1, checked)
		require.Equal(t, todos, strings.Count(checked, " is unfinished"), checked)
		for name, content := range after {
			for i, line := range strings.Split(content, "\n") {
				if strings.Contains(line, "TODO(ahpgen)") {
					require.Contains(t, checked, fmt.Sprintf("ahp/%s:%d:2: warning: Reducer.", name, i+1))
				}
			}
		}
		run(t, ".", "go", "vet", "./...")

		finish(t, after)
		run(t, ".", "go", "vet", "./...")
		checked, code = ahpgen(append([]string{"check"}, args...)...)
		require.Zero(t, code, checked)
	}
	require.Contains(t, handFiles(t)["reducers_chat.go"], "chatSparkled(", "it goes where the others of its channel are")
	require.NotZero(t, added["0.6.0"], "nothing to begin with: the test shows nothing")
	// The other is chatInputCompleted: whether a response part of the new kind waits for the user is not for a
	// finished reducer of today to say.
	require.Equal(t, 2, added["0.8.1"], "a new action, and one whose finished reducer tells response parts apart")
}

// handFiles reads the files of the package that are a person's.
func handFiles(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	if _, err := os.Stat("ahp"); err != nil {
		return out
	}
	for name, content := range folder(t, "ahp") {
		if !strings.HasSuffix(name, "_gen.go") {
			out[name] = content
		}
	}
	return out
}

// requireInserted wants a file to be the old one with whole stubs in between.
func requireInserted(t *testing.T, name, before, after string) {
	t.Helper()
	rest := strings.SplitAfter(before, "\n")
	var inserted strings.Builder
	for _, line := range strings.SplitAfter(after, "\n") {
		if len(rest) > 0 && line == rest[0] {
			rest = rest[1:]
			continue
		}
		inserted.WriteString(line)
	}
	require.Empty(t, strings.Join(rest, ""), "%s lost what a person wrote", name)
	if before != "" {
		require.Equal(t, strings.Count(inserted.String(), todo), strings.Count(inserted.String(), "\nfunc (r *Reducer) "), "%s got more than stubs:\n%s", name, inserted.String())
	}
}

// finish writes bodies for every stub, in turn.
func finish(t *testing.T, files map[string]string) {
	t.Helper()
	i := 0
	for name, content := range files {
		for {
			head, tail, ok := strings.Cut(content, todo)
			if !ok {
				break
			}
			body := finished[i%len(finished)]
			i++
			if strings.Contains(body, "%s") {
				signature := head[strings.LastIndex(head, "\nfunc "):]
				state := signature[strings.LastIndex(signature, "*")+1:]
				body = fmt.Sprintf(body, strings.TrimSuffix(strings.TrimSpace(state), " {"))
			}
			content = head + body + tail
		}
		writeFile(t, filepath.Join("ahp", name), content)
	}
}
