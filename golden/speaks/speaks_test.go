// Tests of translators between two versions of made-up protocols: what is derived, what they make of messages, and what is
// refused.

package speaks

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

func TestMain(m *testing.M) { kit.Main(m) }

// TestTranslators derives the translator of each case and converts its messages: lines of a direction, what is converted, and
// JSON, such as `lower params open {}`, `lift result open {}`, `lower envelope {}` and `lower snapshot {}`.
func TestTranslators(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	cases, err := filepath.Glob(filepath.Join(here, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.NotEmpty(t, archive.Comment, "say at the top what the case shows")
			config, messages, wanted := unpack(t, archive)
			got := outcome(t, config, messages)
			if *kit.Update {
				last := len(archive.Files) - 1
				archive.Files[last] = txtar.File{Name: "want", Data: []byte(got)}
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			require.Equal(t, wanted, got)
			require.Equal(t, got, outcome(t, config, messages), "a second run differs")
		})
	}
}

// unpack writes the files of a case, of which want is the last.
func unpack(t *testing.T, archive *txtar.Archive) (config generator.Config, messages, wanted string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	config = generator.Config{Schemas: "newer", Speaks: []string{"./older"}}
	for _, f := range archive.Files {
		switch f.Name {
		case "messages":
			messages = string(f.Data)
		case "want":
			wanted = string(f.Data)
		case "profile.json":
			config.Profile = "./profile.json"
			fallthrough
		default:
			kit.WriteFile(t, filepath.Join(dir, f.Name), string(f.Data))
		}
	}
	return config, messages, wanted
}

// outcome returns what is derived and what becomes of messages, or what is wrong.
func outcome(t *testing.T, config generator.Config, messages string) string {
	t.Helper()
	var diags diag.List
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	pairs, err := g.Translations()
	if errors.Is(err, generator.ErrFindings) {
		var out strings.Builder
		for _, d := range diags.Sorted() {
			fmt.Fprintf(&out, "%s: %s\n\t%s\n", d.Pos, d.Message, d.Hint)
		}
		return out.String()
	}
	require.NoError(t, err)
	require.Zero(t, diags.Len(), "%s", diags.Sorted())
	require.Len(t, pairs, 1)
	var out strings.Builder
	for _, l := range pairs[0].Losses {
		fmt.Fprintf(&out, "%s\n", l)
	}
	version, err := pairs[0].Version.Translator(functions)
	require.NoError(t, err)
	for line := range strings.Lines(messages) {
		fmt.Fprintf(&out, "%s\t%s\n", line, converted(t, version, strings.TrimSpace(line)))
	}
	return out.String()
}

// converted returns what becomes of a message.
func converted(t *testing.T, v *translate.Version, line string) string {
	t.Helper()
	way, rest, _ := strings.Cut(line, " ")
	what, rest, _ := strings.Cut(rest, " ")
	d := &v.Lower
	if way == "lift" {
		d = &v.Lift
	}
	method := ""
	if what == "params" || what == "result" {
		method, rest, _ = strings.Cut(rest, " ")
	}
	require.True(t, json.Valid([]byte(rest)), "%s", line)
	var out []json.RawMessage
	var one json.RawMessage
	var err error
	switch what {
	case "params":
		out, err = d.Params(method, []byte(rest), &translate.Context{})
	case "result":
		one, err = d.Result(method, []byte(rest), &translate.Context{})
	case "snapshot":
		one, err = d.State([]byte(rest), &translate.Context{})
	case "envelope":
		out, err = d.Actions([]byte(rest), &translate.Context{})
	default:
		t.Fatal(line)
	}
	if err != nil {
		return err.Error()
	}
	if one != nil {
		out = append(out, one)
	}
	if len(out) == 0 {
		return "left out"
	}
	var texts []string
	for _, m := range out {
		require.True(t, json.Valid(m), "%s", m)
		texts = append(texts, string(m))
	}
	return strings.Join(texts, "\n\t")
}

// functions are those that the profiles of the cases name.
var functions = map[string]translate.Func{
	"lowerNote": func(o *translate.Object, _ *translate.Context) error {
		text := o.Object("body").Text("text")
		o.Take("body")
		o.SetText("text", text)
		return nil
	},
	"liftNote": func(o *translate.Object, _ *translate.Context) error {
		body := &translate.Object{}
		body.Set("text", o.Take("text"))
		o.SetObject("body", body)
		return nil
	},
	"liftTitle":  func(o *translate.Object, _ *translate.Context) error { o.Rename("title", "text"); return nil },
	"lowerTitle": func(o *translate.Object, _ *translate.Context) error { o.Rename("text", "title"); return nil },
	"refuseAll": func(o *translate.Object, c *translate.Context) error {
		if o.Has("task") {
			return c.Impossible("the answer is a task")
		}
		return nil
	},
	"refuseCall": func(o *translate.Object, c *translate.Context) error {
		if o.Text("kind") == "call" {
			return c.Impossible("there are no calls")
		}
		return nil
	},
	"lowerAsk": func(o *translate.Object, c *translate.Context) error {
		if o.Text("mode") == "page" {
			return c.Impossible("it is a page")
		}
		return nil
	},
	"liftAsk": func(o *translate.Object, _ *translate.Context) error { o.SetText("mode", "form"); return nil },
	"lowerContent": func(o *translate.Object, _ *translate.Context) error {
		if items := o.Items("content"); items != nil {
			o.Set("content", items[0])
		}
		return nil
	},
	"lowerAnswers": func(o *translate.Object, _ *translate.Context) error {
		content := o.Object("content")
		for _, name := range content.Names() {
			if items := content.Items(name); items != nil {
				content.Set(name, items[0])
			}
		}
		o.SetObject("content", content)
		return nil
	},
	"lowerAll": func(_ *translate.Object, c *translate.Context) error {
		c.Drop()
		return nil
	},
}
