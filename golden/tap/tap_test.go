// Package tap has conversations with violations, and the report of ahpgen show on each.
package tap

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// TestFindings: the cases are conversations in which each line is sent by the client (→) or by the host (←).
func TestFindings(t *testing.T) {
	cases, err := filepath.Glob("*.txtar")
	require.NoError(t, err)
	named := map[string]bool{}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(name, ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			folder := t.TempDir()
			schemas, framing := "acp", record.Lines
			var talk string
			want := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
			for _, f := range archive.Files {
				switch f.Name {
				case "talk":
					talk = string(f.Data)
				case "schemas":
					schemas = strings.TrimSpace(string(f.Data))
				case "framing":
					framing = record.Framing(strings.TrimSpace(string(f.Data)))
				case "want":
				default:
					kit.WriteFile(t, filepath.Join(folder, filepath.FromSlash(f.Name)), string(f.Data))
				}
			}
			kit.WriteFile(t, filepath.Join(folder, "talk.jsonl"), recorded(t, talk, schemas, framing))
			out, code := kit.InFolder(t, folder, "show", "talk.jsonl", "--errors", "--fail")
			if len(out) == 0 || code > 1 {
				t.Fatalf("exit code %d: %s", code, out)
			}
			for _, rule := range judge.Rules {
				if strings.Contains(out, " "+rule[0]+": ") {
					named[rule[0]] = true
				}
			}
			if *kit.Update {
				archive.Files[want].Data = []byte(out)
				kit.WriteFile(t, name, string(txtar.Format(archive)))
				return
			}
			require.Equal(t, string(archive.Files[want].Data), out)
		})
	}
	for _, rule := range judge.Rules {
		require.True(t, named[rule[0]], "no case has a finding of %s", rule[0])
	}
}

// recorded makes a recording of a conversation, in which a message comes each millisecond. A line that begins with a quotation
// mark is a Go string, and goes into a message as it is.
func recorded(t *testing.T, talk, schemas string, f record.Framing) string {
	t.Helper()
	var out bytes.Buffer
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w, err := record.NewWriter(&out, record.Head{Schemas: schemas, Framing: f, Started: at})
	require.NoError(t, err)
	splitters := map[protocol.Side]*record.Splitter{protocol.FromClient: record.NewSplitter(f), protocol.FromHost: record.NewSplitter(f)}
	for line := range strings.Lines(talk) {
		at = at.Add(time.Millisecond)
		arrow, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		from := map[string]protocol.Side{"→": protocol.FromClient, "←": protocol.FromHost}[arrow]
		put := func(e record.Entry) {
			e.Time, e.Conn, e.From = at, 1, from
			require.NoError(t, w.Write(&e))
		}
		s := splitters[from]
		require.NotNil(t, s, line)
		switch {
		case text == "end":
			s.Finish(put)
			put(record.Entry{End: true})
			continue
		case strings.HasPrefix(text, "lost "):
			n, err := strconv.Atoi(strings.TrimPrefix(text, "lost "))
			require.NoError(t, err)
			put(record.Entry{Lost: n})
			continue
		case strings.HasPrefix(text, "over "):
			e := record.Entry{}
			_, err := fmt.Sscan(strings.TrimPrefix(text, "over "), &e.Over, &e.Status)
			require.NoError(t, err)
			put(e)
			continue
		case text == "large":
			text = `{"x":"` + strings.Repeat("x", record.Limit) + `"}` + "\n"
		case strings.HasPrefix(text, `"`):
			raw, err := strconv.Unquote(text)
			require.NoError(t, err, line)
			text = raw
		case f == record.Headers:
			text = "Content-Length: " + strconv.Itoa(len(text)) + "\r\n\r\n" + text
		case f == record.Messages:
			body, shared := strings.CutPrefix(text, "shared ")
			put(record.Entry{Data: []byte(body), Shared: shared})
			continue
		default:
			text += "\n"
		}
		s.Split([]byte(text), put)
	}
	return out.String()
}

// TestRightConversationsHaveNoFindings: the recordings are of the demos.
func TestRightConversationsHaveNoFindings(t *testing.T) {
	names, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			_, err := os.Stat(name)
			require.NoError(t, err)
			out, code := kit.Ahpgen("show", name, "--errors", "--fail")
			require.Zero(t, code, out)
			require.Contains(t, out, ", 0 findings")
			require.NotContains(t, out, judge.UnknownState)
		})
	}
}
