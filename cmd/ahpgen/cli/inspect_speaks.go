// The lists of inspect --speaks: what is not the same for peers of older versions.

package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
)

// printSpeaks prints a list for each older version, with a table for each direction.
func printSpeaks(w io.Writer, reports []generator.SpeaksReport) error {
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s %s for peers of %s: %s with differences on the way there, %d on the way back\n", inside.VisibleName(r.Protocol), inside.VisibleName(r.Version),
			inside.VisibleName(r.Older), plural(r.Lowered, "type"), r.Lifted)
		if len(r.Yours) > 0 {
			fmt.Fprintf(w, "functions of yours: %s\n", visibleList(r.Yours))
		}
		for _, way := range []struct{ direction, title string }{{"lower", "TO "}, {"lift", "FROM "}} {
			rows := merged(r.Losses, way.direction)
			if len(rows) == 0 {
				continue
			}
			t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
			fmt.Fprintf(t, "\n%s%s\tAT\tWHAT\n", way.title, inside.VisibleName(r.Older))
			for _, l := range rows {
				printRow(t, []any{l.Kind, l.At, dash(l.What)})
			}
			if err := t.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// merged joins what is at the same place.
func merged(losses []generator.SpeaksLoss, direction string) []generator.SpeaksLoss {
	var out []generator.SpeaksLoss
	for _, l := range losses {
		last := len(out) - 1
		switch {
		case l.Direction != direction:
		case last >= 0 && out[last].Kind == l.Kind && out[last].At == l.At:
			out[last].What += ", " + l.What
		default:
			out = append(out, l)
		}
	}
	return out
}

func visibleList(names []string) string { return strings.ReplaceAll(visibleLines(names), "\n", ", ") }
