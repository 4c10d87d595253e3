// GitHub: the report as annotations for a workflow.

package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/visible"
)

// github is annotations for a workflow: one line for each finding.
func (d *Diff) github(w io.Writer, as protocol.Side) error {
	var b strings.Builder
	for s := range sections {
		for _, g := range d.groups(s, as) {
			for _, f := range g {
				b.WriteString(annotation(f, s, as))
			}
		}
	}
	if d.API != nil {
		for _, m := range d.API.Unexplained {
			fmt.Fprintf(&b, "::warning title=%s::%s\n", property("go-api"), message(plain(m)))
		}
	}
	fmt.Fprintf(&b, "::notice title=%s::%s\n", property("ahpgen diff"), message(d.Summary(as)))
	return emit(w, b.String())
}

func annotation(f verdict.Finding, s section, as protocol.Side) string {
	command := [...]string{"error", "warning", "notice", "notice"}[s]
	var at []string
	if pos := checkedOut(f); !pos.IsZero() {
		at = append(at, "file="+property(visible.Line(pos.File)), fmt.Sprintf("line=%d", max(pos.Line, 1)))
		if pos.Col > 0 {
			at = append(at, fmt.Sprintf("col=%d", pos.Col))
		}
	}
	at = append(at, "title="+property(string(f.Change.Rule)))
	parts := []string{plain(f.Change.String())}
	for _, text := range []string{group{f}.verdicts(as), goText(f)} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return fmt.Sprintf("::%s %s::%s\n", command, strings.Join(at, ","), message(strings.Join(parts, "\n")))
}

// checkedOut is where an annotation goes: into a file of the working folder, the new one if there is a
// choice. For what went that is where it would have stood.
func checkedOut(f verdict.Finding) diag.Pos {
	for _, pos := range []diag.Pos{f.New, f.Old} {
		if !pos.IsZero() && !strings.HasPrefix(pos.File, "git:") && !strings.HasPrefix(pos.File, "embedded:") {
			return pos
		}
	}
	return diag.Pos{}
}

// message escapes the text of a workflow command, so that none of it can be a command.
func message(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// property escapes the value of a parameter of a workflow command.
func property(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
