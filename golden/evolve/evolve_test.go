// Tests of what happens to a person's reducers when the protocol changes.

package evolve

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// TestEvolve generates from the schemas a, puts a person's files in place of the stubs, and
// generates from the schemas b, twice.
func TestEvolve(t *testing.T) {
	cases, err := filepath.Glob("*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), evolveModule)
	compiling := vetStates(t, module)
	for _, file := range cases {
		path, err := filepath.Abs(file)
		require.NoError(t, err)
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			require.NotEmpty(t, archive.Comment, "say at the top what the case shows")
			t.Chdir(kit.Place(t))
			compareEvolved(t, path, archive, evolveCase(t, archive, compiling))
		})
	}
}

const evolveModule = "module evolve\n\ngo 1.24\n"

// evolveCase runs one case and returns what belongs under want. What has to compile is kept.
func evolveCase(t *testing.T, archive *txtar.Archive, compiling *states) []txtar.File {
	kit.WriteFile(t, "go.mod", evolveModule)
	var flags []string
	config := ""
	for _, f := range archive.Files {
		switch {
		case f.Name == "flags":
			flags = strings.Fields(string(f.Data))
		case f.Name == "ahpgen.json":
			config = string(f.Data)
		case strings.HasPrefix(f.Name, "a/"), strings.HasPrefix(f.Name, "b/"):
			kit.WriteFile(t, f.Name, string(f.Data))
		}
	}
	out, code := kit.Ahpgen("generate", "--schemas", "a", "--out", "p", "--package", "p")
	require.Zero(t, code, out)
	for name := range kit.Folder(t, "p") {
		if !strings.HasSuffix(name, "_gen.go") {
			require.NoError(t, os.Remove(filepath.Join("p", name)))
		}
	}
	forms := map[string]form{}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "hand/"); ok {
			name, form := formOf(name)
			forms[name] = form
			kit.WriteFile(t, filepath.Join("p", name), form.write(string(f.Data)))
		}
	}
	if config != "" {
		kit.WriteFile(t, "ahpgen.json", config)
	}
	before := kit.Folder(t, "p")

	args := slices.Concat([]string{"--schemas", "b", "--out", "p", "--package", "p"}, flags)
	generated, code := kit.Ahpgen(append([]string{"generate"}, args...)...)
	want := []txtar.File{{Name: "want-generate", Data: fmt.Appendf(nil, "%sexit code %d\n", generated, code)}}
	after := kit.Folder(t, "p")
	if strings.Contains(generated, "nothing was written") {
		require.Equal(t, before, after, "something was written")
	}
	checked, code := kit.Ahpgen(append([]string{"check"}, args...)...)
	want = append(want, txtar.File{Name: "want-check", Data: fmt.Appendf(nil, "%sexit code %d\n", checked, code)})

	_, _ = kit.Ahpgen(append([]string{"generate"}, args...)...)
	require.Equal(t, after, kit.Folder(t, "p"), "a second run changes something")
	gone := strings.Contains(checked, "is no longer wanted") // and so is the type of its action
	if !testing.Short() && (code == 0 || strings.Contains(checked, "ahpgen: 0 errors") && !gone) {
		compiling.keep(t, "p")
		compiling.keepRuntime(t, "p", "p")
	}
	for name, content := range after {
		if !strings.HasSuffix(name, "_gen.go") {
			want = append(want, txtar.File{Name: "want/" + name, Data: []byte(forms[name].read(t, content))})
		}
	}
	slices.SortFunc(want, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	return want
}

// form describes how a file differs from the lines that a txtar archive can hold.
type form string

const (
	plain form = ""
	crlf  form = ".crlf" // lines end in CR LF
	bare  form = ".bare" // nothing ends the last line
)

func formOf(name string) (string, form) {
	for _, f := range []form{crlf, bare} {
		if short, ok := strings.CutSuffix(name, string(f)); ok {
			return short, f
		}
	}
	return name, plain
}

func (f form) write(text string) string {
	switch f {
	case crlf:
		return strings.ReplaceAll(text, "\n", "\r\n")
	case bare:
		return strings.TrimSuffix(text, "\n")
	}
	return text
}

// read undoes write. A line that ends otherwise than the rest shows.
func (f form) read(t *testing.T, content string) string {
	if f != crlf {
		return content
	}
	require.Equal(t, strings.Count(content, "\n"), strings.Count(content, "\r\n"), "line ends are mixed")
	return strings.ReplaceAll(content, "\r\n", "\n")
}

// compareEvolved compares by name, or rewrites what is wanted.
func compareEvolved(t *testing.T, path string, archive *txtar.Archive, got []txtar.File) {
	t.Helper()
	isWanted := func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want") }
	if *kit.Update {
		archive.Files = append(slices.DeleteFunc(archive.Files, isWanted), got...)
		require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
		return
	}
	wanted, have := map[string]string{}, map[string]string{}
	for _, f := range archive.Files {
		if isWanted(f) {
			wanted[f.Name] = string(f.Data)
		}
	}
	for _, f := range got {
		have[f.Name] = string(f.Data)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(wanted)), slices.Collect(maps.Keys(have)), "files")
	c := kit.Causes.For(t)
	for _, name := range slices.Sorted(maps.Keys(have)) {
		c.Same(name, wanted[name], have[name])
	}
	c.End()
}
