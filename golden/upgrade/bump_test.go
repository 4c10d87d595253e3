// Test of a package with reducers that follows a protocol from version to version.

package upgrade

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// finished are bodies that a person could have written in the place of a stub's, not all of them tidy.
var finished = []string{
	"\tnext := *s\n\treturn &next\n",
	"\tif a == nil  { return   s } // odd   formatting\n\n\n\treturn s\n",
	"\t/* nothing to do\n\t   for us */ return s\n",
	"\treturn func() *%s { return s } ( )\n", // %s is the type of the state
	"\t// TODO: look at this again\n\tvar _ = a\n\treturn s\n",
}

// taken are the reducers that the person takes over, by the first version with the action. Some come with a body to start
// from; the others, whose effects are stated, as stubs.
var taken = []struct {
	version         string
	finished, stubs []string
}{
	{"0.6.0", []string{"chatTurnStarted", "chatPendingMessageSet", "sessionCustomizationToggled", "terminalData"}, []string{"chatDelta", "chatUsage", "sessionReady", "sessionTitleChanged", "changesetCleared", "rootAgentsChanged"}},
	{"0.7.0", []string{"chatTruncated"}, []string{"chatReasoning"}},
	{"0.8.0-dev", []string{"terminalCommandExecuted"}, nil},
	{"0.8.1", nil, nil},
}

// configure has the person take over what they do up to a version. It returns how many of the bodies are new.
func configure(t *testing.T, schemas, version string) int {
	t.Helper()
	var own []string
	for _, step := range taken {
		for _, method := range slices.Concat(step.finished, step.stubs) {
			i := strings.IndexFunc(method, unicode.IsUpper)
			own = append(own, method[:i]+"/"+strings.ToLower(method[i:i+1])+method[i+1:])
		}
		if step.version == version {
			kit.WriteFile(t, "ahpgen.json", string(kit.ToJSON(t, map[string]any{
				"schemas": schemas, "profile": "ahp", "protocolVersion": version, "out": "ahp", "reducers": map[string]any{"own": own},
			})))
			return len(step.finished)
		}
	}
	t.Fatal(version)
	return 0
}

// TestBump follows the published schemas through three versions, and one that is newer than they are, in a
// module with the reducers of a person, who takes over more of them on the way.
func TestBump(t *testing.T) {
	published := filepath.Join(kit.Corpus(t), "ahp")
	newest := newVersion(t)
	t.Chdir(kit.Place(t))
	kit.WriteFile(t, "go.mod", "module consumer\n\ngo 1.24\n")
	added := map[string]int{}
	for _, version := range []string{"0.6.0", "0.7.0", "0.8.0-dev", "0.8.1"} {
		schemas := filepath.Join(published, version, "schema")
		if version == "0.8.1" {
			schemas = newest
		}
		bodies := configure(t, schemas, version)
		before := handFiles(t)
		printed, code := kit.Ahpgen("generate")
		require.Zero(t, code, printed)
		after := handFiles(t)
		todos := 0
		for name, content := range after {
			bodies -= requireInserted(t, name, before[name], content)
			todos += strings.Count(content, "\t// TODO(ahpgen): ")
		}
		drafts := strings.Count(printed, ": the finished reducer does not fit: ")
		require.Equal(t, drafts, -bodies, "each body that is new is a finished reducer's, be it one that no longer fits: %s", printed)
		for name := range before {
			require.Contains(t, after, name, "a person's file is gone")
		}
		require.Equal(t, todos > 0, strings.Contains(printed, " for you to write: "), printed)
		added[version] = todos
		if version == "0.8.1" {
			require.Contains(t, printed, "  chatInputCompleted: the finished reducer does not fit: ")
			require.Contains(t, printed, "isForUser: ResponsePart has variants that it does not know: SparkleResponsePart\n")
		}

		again, code := kit.Ahpgen("generate")
		require.Zero(t, code, again)
		require.Equal(t, after, handFiles(t), "a second run changes something")
		checked, code := kit.Ahpgen("check")
		require.Equal(t, todos > 0, code == 1, checked)
		require.Equal(t, todos, strings.Count(checked, " is unfinished"), checked)
		for name, content := range after {
			for i, line := range strings.Split(content, "\n") {
				if strings.Contains(line, "TODO(ahpgen)") {
					require.Contains(t, checked, fmt.Sprintf("ahp/%s:%d:2: warning: Reducer.", name, i+1))
				}
			}
		}
		kit.Emitted(t, ".", "vet", "./...")

		finish(t, after)
		after = handFiles(t)
		printed, code = kit.Ahpgen("generate") // helpers go that nothing calls any more
		require.Zero(t, code, printed)
		require.Equal(t, after, handFiles(t), "what a person finished has changed")
		kit.Emitted(t, ".", "vet", "./...")
		checked, code = kit.Ahpgen("check")
		require.Zero(t, code, checked)
	}
	require.Contains(t, handFiles(t)["reducers_chat.go"], "chatSparkled(", "it goes where the others of its channel are")
	for _, step := range taken[:3] {
		require.Equal(t, len(step.stubs), added[step.version], "%s: an action is a person's that they did not ask for", step.version)
	}
	// Beside the new action these are eight that tell response parts apart: what becomes of parts of the new kind is not for a
	// finished reducer of today to say. The new member of turns is carried along.
	require.Equal(t, 8+1, added["0.8.1"], "a new action, and those whose finished reducers do not fit")
}

// handFiles reads the files of the package that are a person's.
func handFiles(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	if _, err := os.Stat("ahp"); err != nil {
		return out
	}
	for name, content := range kit.Folder(t, "ahp") {
		if !strings.HasSuffix(name, "_gen.go") {
			out[name] = content
		}
	}
	return out
}

// requireInserted wants a file to be the old one with whole stubs and bodies of finished reducers in between. It returns
// how many of the latter there are.
func requireInserted(t *testing.T, name, before, after string) int {
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
	methods := strings.Count(inserted.String(), "\nfunc (r *Reducer) ")
	if before != "" {
		syntax, err := parser.ParseFile(token.NewFileSet(), name, "package p\n"+inserted.String(), 0)
		require.NoError(t, err, "%s got more than whole methods:\n%s", name, inserted.String())
		imports := len(slices.DeleteFunc(slices.Clone(syntax.Decls), func(d ast.Decl) bool { _, ok := d.(*ast.FuncDecl); return ok }))
		require.Len(t, syntax.Decls, methods+imports, "%s got more than reducers:\n%s", name, inserted.String())
		require.LessOrEqual(t, imports, len(syntax.Imports), "%s got more than imports:\n%s", name, inserted.String())
	}
	return methods - strings.Count(inserted.String(), kit.Todo)
}

// mine is what a person adds at the start of a finished reducer that they took over, and instead what they write in the
// place of the body whose helpers go one day.
const (
	mine    = "\tvar _   = a // mine, not formatted\n"
	allMine = mine + "\treturn   s"
)

// finish writes bodies for every stub, in turn, and edits those of finished reducers.
func finish(t *testing.T, files map[string]string) {
	t.Helper()
	i := 0
	for name, content := range files {
		content = regexp.MustCompile(`(?m)^\t// TODO\(ahpgen\): the finished reducer does not fit: .*\n`).ReplaceAllString(content, "")
		for {
			head, tail, ok := strings.Cut(content, kit.Todo)
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
		for _, step := range taken {
			for _, method := range step.finished {
				start, rest, ok := strings.Cut(content, "\nfunc (r *Reducer) "+method+"(")
				signature, body, _ := strings.Cut(rest, "{\n")
				if !ok || strings.HasPrefix(body, mine) {
					continue
				}
				edited := mine + body
				if method == "chatTurnStarted" {
					edited = allMine + body[strings.Index(body, "\n}\n"):]
				}
				content = start + "\nfunc (r *Reducer) " + method + "(" + signature + "{\n" + edited
			}
		}
		kit.WriteFile(t, filepath.Join("ahp", name), content)
	}
}
