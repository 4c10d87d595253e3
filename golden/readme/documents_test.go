// Tests of what documents say in passing: links, commands within the text, and that every document with
// commands is one that is run.

package readme

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
)

// texts returns every document of the repository by its path from the root.
func texts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	root := os.DirFS("../..")
	require.NoError(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(path.Base(name), ".") && name != "." && name != ".github"
		if err == nil && d.IsDir() && (hidden || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if err == nil && path.Ext(name) == ".md" {
			var data []byte
			data, err = fs.ReadFile(root, name)
			all[name] = string(data)
		}
		return err
	}))
	for _, document := range documents {
		require.Contains(t, all, document)
	}
	return all
}

var (
	blocks    = regexp.MustCompile("(?ms)^```.*?^```$")
	commands  = regexp.MustCompile("(?m)^[ >]*(```|~~~)(console|sh|bash|shell|text)|^[ >]*\\$ |^package \\w+$")
	inline    = regexp.MustCompile("`([^`]+)`")
	links     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	functions = regexp.MustCompile(`(?m)^func (Test|Benchmark)\w+`)
	qualified = regexp.MustCompile(`^(\w+)\.([A-Z]\w*)`)
	headings  = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// TestReadmesWithCommandsAreRun wants all documents in which there is something to run on the list of those
// that are.
func TestReadmesWithCommandsAreRun(t *testing.T) {
	for name, text := range texts(t) {
		if !slices.Contains(documents, name) {
			require.Empty(t, commands.FindString(text), "%s has commands: add it to documents", name)
		}
	}
}

// TestLinksInDocumentsLeadSomewhere follows links to files and headings of the repository.
func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	all := texts(t)
	for name, text := range all {
		for _, m := range links.FindAllStringSubmatch(blocks.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, found := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			_, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(target)))
			require.NoError(t, err, "%s: link to %s", name, m[1])
			if found {
				require.Contains(t, anchors(all[target]), anchor, "%s: link to %s", name, m[1])
			}
		}
	}
}

// anchors are those that a forge gives the headings of a document.
func anchors(text string) (out []string) {
	for _, m := range headings.FindAllStringSubmatch(blocks.ReplaceAllString(text, ""), -1) {
		slug := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		out = append(out, strings.ReplaceAll(slug, " ", "-"))
	}
	return out
}

// TestCommandsWithinTextExist looks up commands and flags that stand in a sentence, with names such as DIR
// in the place of arguments.
func TestCommandsWithinTextExist(t *testing.T) {
	checked := 0
	for name, text := range texts(t) {
		if name == "CHANGELOG.md" {
			continue // it has commands from before
		}
		for _, m := range inline.FindAllStringSubmatch(blocks.ReplaceAllString(text, ""), -1) {
			line := strings.ReplaceAll(m[1], `\|`, "|") // as in a table
			line = strings.Join(strings.Fields(line), " ")
			for _, prefix := range []string{"go tool ", "go run ./cmd/"} {
				line = strings.TrimPrefix(line, prefix)
			}
			words := strings.Fields(line)
			switch {
			case strings.HasPrefix(line, "--"):
				flagExists(t, name, words[0])
			case len(words) < 2:
				continue
			case words[0] == "ahpgen":
				ahpgenExists(t, name+": "+m[1], words[1:])
			case strings.HasPrefix(words[1], "-") && ahpgenHelp(words[0]) != "":
				ahpgenExists(t, name+": "+m[1], words)
			case words[0] == "go" && words[1] == "test":
				testExists(t, name+": "+m[1], words[2:])
			default:
				continue
			}
			checked++
		}
	}
	require.Greater(t, checked, 30)
}

// TestNamesWithinTextExist looks up names of emitted packages, such as rpc.Conn, in their API.
func TestNamesWithinTextExist(t *testing.T) {
	apis, err := filepath.Glob("../api/*.txt")
	require.NoError(t, err)
	exported := map[string]string{}
	for _, file := range apis {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		exported[strings.TrimPrefix(strings.TrimSuffix(filepath.Base(file), ".txt"), "wire_")] = string(data)
	}
	checked := 0
	for name, text := range texts(t) {
		if name == "CHANGELOG.md" {
			continue // it has names from before
		}
		for _, m := range inline.FindAllStringSubmatch(blocks.ReplaceAllString(text, ""), -1) {
			if q := qualified.FindStringSubmatch(m[1]); q != nil && exported[q[1]] != "" {
				require.Regexp(t, `(?m)^(const|func|type|var) `+q[2]+`\b`, exported[q[1]], "%s: %s", name, m[1])
				checked++
			}
		}
	}
	require.Greater(t, checked, 20)
}

// ahpgenHelp returns the help of a command, or of ahpgen without one, and "" if there is no such command.
func ahpgenHelp(name ...string) string {
	key := strings.Join(name, " ")
	text, known := helps[key]
	if !known {
		var help bytes.Buffer
		if cli.Run(append([]string{"help"}, name...), &help, &help) == 0 {
			text = help.String()
		}
		helps[key] = text
	}
	return text
}

var helps = map[string]string{} // by command

// ahpgenExists wants the command to be there, and to have the flags.
func ahpgenExists(t *testing.T, at string, words []string) {
	t.Helper()
	if words[0] == "help" {
		words = words[1:]
	}
	if words[0] == "COMMAND" {
		return
	}
	help := ahpgenHelp(words[0])
	require.NotEmpty(t, help, at)
	for _, word := range words[1:] {
		if flag, _, _ := strings.Cut(word, "="); strings.HasPrefix(flag, "-") {
			require.Regexp(t, `(?m)^ .*`+regexp.QuoteMeta(flag)+`[ ,]`, help, at)
		}
	}
}

// flagExists wants the command that a document is about to have a flag: the one in its folder, or any of ahpgen.
func flagExists(t *testing.T, document, flag string) {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join("..", "..", filepath.Dir(document), "*.go"))
	require.NoError(t, err)
	for _, file := range sources {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(data), `"`+strings.TrimPrefix(flag, "--")+`"`) {
			return
		}
	}
	all := ""
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+) `).FindAllStringSubmatch(ahpgenHelp(), -1) {
		all += ahpgenHelp(m[1])
	}
	require.Regexp(t, `(?m)^ .*`+regexp.QuoteMeta(flag)+`[ ,]`, all, "%s: %s", document, flag)
}

// testExists wants the package to be there, and to have the flags and what the patterns are about.
func testExists(t *testing.T, at string, words []string) {
	t.Helper()
	i := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "./") })
	require.GreaterOrEqual(t, i, 0, at)
	source := ""
	for _, file := range sourcesOf(t, words[i]) {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		source += string(data)
	}
	require.NotEmpty(t, source, at)
	for i, word := range words {
		switch {
		case word == "-run" || word == "-bench":
			pattern := strings.Trim(words[i+1], "'")
			require.True(t, pattern == "^$" || pattern == "NAME" || slices.ContainsFunc(functions.FindAllString(source, -1), func(name string) bool {
				return regexp.MustCompile(pattern).MatchString(strings.TrimPrefix(name, "func "))
			}), at)
		case strings.HasPrefix(word, "-") && !slices.Contains([]string{"-benchmem", "-benchtime", "-count", "-v", "-race", "-short", "-tags"}, word):
			require.Regexp(t, `flag\.\w+\("`+word[1:]+`"`, source, at)
		}
	}
}

// sourcesOf lists the test files of the packages that match a pattern of the go command, and the files that declare flags for
// those below golden.
func sourcesOf(t *testing.T, pattern string) []string {
	t.Helper()
	dir, below := strings.CutSuffix(pattern, "...")
	dir = filepath.Join("..", "..", dir)
	var out []string
	require.NoError(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case entry.IsDir() && !below && name != dir:
			return fs.SkipDir
		case strings.HasSuffix(name, "_test.go"):
			out = append(out, name)
		}
		return err
	}))
	flags, err := filepath.Glob("../flags/*.go")
	require.NoError(t, err)
	if strings.HasPrefix(pattern, "./golden/") {
		out = append(out, flags...)
	}
	return out
}
