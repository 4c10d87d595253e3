// The rules command.

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/conform"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
)

// ruleRow is a rule in JSON output.
type ruleRow struct {
	ID       change.Rule `json:"id"`
	Category string      `json:"category"`
	Meaning  string      `json:"meaning"`
	Mirror   change.Rule `json:"mirror"`
	Advice   bool        `json:"advice"`
}

func (a *app) rules() *cobra.Command {
	var asJSON, ofTap, ofConform bool
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules by which diff reports changes, and tap and conform mistakes",
		Long: `Rules lists every rule of ahpgen diff: its identifier, its category, the rule that a comparison the
other way round reports in its place, and what it means. A rule marked with * informs and has no
verdict. With --tap it lists the rules of ahpgen tap, and with --conform those that ahpgen conform has
beside them.`,
		Example: `  ahpgen rules
  ahpgen rules --tap
  ahpgen rules --conform
  ahpgen rules --json | jq -r '.[].id'`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			switch {
			case ofTap && ofConform:
				return &generator.FlagError{Message: "--tap and --conform list different rules: choose one", Without: []string{"conform"}}
			case ofTap:
				return printTapRules(a.stdout, judge.Rules, asJSON)
			case ofConform:
				return printTapRules(a.stdout, conform.Rules, asJSON)
			}
			if asJSON {
				rows := []ruleRow{}
				for _, r := range verdict.Rules {
					rows = append(rows, ruleRow{r.ID, r.Category, r.Meaning, r.Mirror, r.Advice})
				}
				enc := json.NewEncoder(a.stdout)
				enc.SetIndent("", "  ")
				return enc.Encode(rows)
			}
			t := tabwriter.NewWriter(a.stdout, 0, 4, 2, ' ', 0)
			fmt.Fprintln(t, "RULE\tCATEGORY\tMIRROR\tMEANING")
			for _, r := range verdict.Rules {
				mark := ""
				if r.Advice {
					mark = "*"
				}
				fmt.Fprintf(t, "%s%s\t%s\t%s\t%s\n", r.ID, mark, r.Category, dash(string(r.Mirror)), r.Meaning)
			}
			return t.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&ofTap, "tap", false, "list the rules of tap instead")
	cmd.Flags().BoolVar(&ofConform, "conform", false, "list the rules of conform instead")
	return cmd
}

// printTapRules lists rules of tap or of conform.
func printTapRules(w io.Writer, rules [][2]string, asJSON bool) error {
	if asJSON {
		type row struct {
			ID      string `json:"id"`
			Meaning string `json:"meaning"`
		}
		rows := []row{}
		for _, r := range rules {
			rows = append(rows, row{r[0], r[1]})
		}
		return printJSON(w, rows)
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "RULE\tMEANING")
	for _, r := range rules {
		fmt.Fprintf(t, "%s\t%s\n", r[0], r[1])
	}
	return t.Flush()
}
