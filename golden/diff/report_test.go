// Tests of reports: that they fit where they are read, and the workflow that shows them.

package diff

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// firstScreen is how many lines of a report a reader sees at once.
const firstScreen = 24

// reports prints a comparison in each form.
func reports(t *testing.T, args ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, form := range []string{"text", "markdown", "github", "json"} {
		var stdout, stderr bytes.Buffer
		code := cli.Run(append([]string{"diff", "--format", form, "--fail-on", "none"}, args...), &stdout, &stderr)
		require.Zero(t, code, stderr.String())
		out[form] = stdout.String()
	}
	return out
}

// TestFirstScreens holds what a reader sees first of each form, for the embedded versions.
func TestFirstScreens(t *testing.T) {
	const file = "testdata/first-screens.txtar"
	all := reports(t, "0.4.0", "0.7.0")
	archive := &txtar.Archive{Comment: []byte("The first screen of ahpgen diff 0.4.0 0.7.0 in each form; of JSON the summary. golden/cli/bump.txtar has those of bump.\n")}
	for _, form := range []string{"text", "markdown", "github"} {
		lines := strings.SplitAfter(all[form], "\n")
		archive.Files = append(archive.Files, txtar.File{Name: form, Data: []byte(strings.Join(lines[:min(len(lines), firstScreen)], ""))})
	}
	var report struct{ Summary json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(all["json"]), &report))
	archive.Files = append(archive.Files, txtar.File{Name: "json", Data: append(report.Summary, '\n')})
	if *kit.Update {
		require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(txtar.Format(archive)))
}

// TestReportsFit holds reports of two embedded versions against the room that there is for them.
func TestReportsFit(t *testing.T) {
	flags.SkipUnlessAll(t)
	requireFits(t, reports(t, "0.4.0", "0.7.0"))
	requireFits(t, reports(t, "0.7.0", "0.4.0"))
}

// TestReportsOfPublishedSchemasFit does so with what people compare.
func TestReportsOfPublishedSchemasFit(t *testing.T) {
	folder := filepath.Join(kit.Corpus(t), "ahp")
	t.Chdir(folder)
	for _, pair := range [][2]string{{"0.4.0", "0.7.0"}, {"0.7.0", "0.8.0-dev"}, {"0.8.0-dev", "0.4.0"}} {
		requireFits(t, reports(t, pair[0]+"/schema", pair[1]+"/schema", "--profile", "ahp"))
	}
}

func requireFits(t *testing.T, all map[string]string) {
	t.Helper()
	for line := range strings.Lines(all["text"]) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 120, line)
	}
	require.Less(t, len(all["markdown"]), 60_000)
	unfolded := regexp.MustCompile(`(?s)<details>.*?</details>`).ReplaceAllString(all["markdown"], "")
	require.Less(t, strings.Count(unfolded, "\n"), firstScreen, "the summary comes first, the rest is folded")
	for _, level := range []string{"error", "warning", "notice"} {
		require.LessOrEqual(t, strings.Count("\n"+all["github"], "\n::"+level+" "), 10, "a forge shows ten")
	}
	var report struct {
		Changes []struct{ Rule, Subject, Cause string }
		Summary struct {
			Causes map[string]int
			Text   string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(all["json"]), &report))
	first, _, _ := strings.Cut(all["text"], "\n")
	require.Equal(t, first, report.Summary.Text)
	leads := map[string]bool{}
	for _, c := range report.Changes {
		leads[c.Rule+": "+c.Subject] = true
	}
	for _, c := range report.Changes {
		require.True(t, leads[c.Cause], "%s %s follows from %s, which is no change", c.Rule, c.Subject, c.Cause)
	}
}
