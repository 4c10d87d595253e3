// The inspect command.

package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/visible"
)

func (a *app) inspect() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect",
		Short: "Show what a protocol's schemas mean",
		Long: `Inspect prints tables of the actions, methods, unions, types and error codes that the schemas and
the profile describe.`,
		Example: `  ahpgen inspect --schemas ./schema --profile ahp
  ahpgen inspect --schemas ./schema --profile ahp --json | jq .actions`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := a.one(cmd)
			if err != nil {
				return err
			}
			g, err := a.generator(cmd, path)
			if err != nil {
				return err
			}
			p, err := g.Analyze()
			if err != nil {
				return err
			}
			r := generator.Describe(p)
			if asJSON {
				enc := json.NewEncoder(a.stdout)
				enc.SetIndent("", "  ")
				enc.SetEscapeHTML(false)
				return enc.Encode(r)
			}
			return printReport(a.stdout, r)
		},
	}
	a.inputFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printReport(w io.Writer, r *generator.Report) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	title := func(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }
	row := func(cells ...any) {
		for i, cell := range cells {
			if i > 0 {
				fmt.Fprint(t, "\t")
			}
			fmt.Fprint(t, visible.Name(fmt.Sprint(cell))) // a cell is neither two nor two lines
		}
		fmt.Fprintln(t)
	}
	title("%s: %s, %s, %s, %s, %s, %s\n", visible.Name(strings.TrimSpace(cmp.Or(r.Name, "protocol")+" "+r.Version)),
		plural(len(r.Types), "object"), plural(len(r.Unions), "union"), plural(len(r.Enums), "enum"),
		plural(len(r.Actions), "action"), plural(len(r.Methods), "method"), plural(len(r.Errors), "error code"))
	if len(r.Actions) > 0 {
		title("ACTION\tTYPE\tCHANNEL\tCLIENT\tSINCE")
		for _, x := range r.Actions {
			row(x.Action, x.Type, x.Channel, yes(x.Client), x.Since)
		}
		title("")
	}
	if len(r.Methods) > 0 {
		title("METHOD\tFROM\tKIND\tPARAMS\tRESULT\tSINCE")
		for _, x := range r.Methods {
			row(x.Method, x.From, x.Kind, dash(x.Params), dash(x.Result), x.Since)
		}
		title("")
	}
	if len(r.Unions) > 0 {
		title("UNION\tTOLD APART BY\tOPEN\tVARIANTS")
		for _, x := range r.Unions {
			row(x.Name, x.By, yes(x.Open), len(x.Variants))
		}
		title("")
	}
	if len(r.Enums) > 0 {
		title("ENUM\tKIND\tOPEN\tVALUES")
		for _, x := range r.Enums {
			row(x.Name, x.Kind, yes(x.Open), len(x.Values))
		}
		title("")
	}
	title("TYPE\tMEMBERS\tREQUIRED")
	for _, x := range r.Types {
		row(x.Name, x.Members, x.Required)
	}
	if len(r.Errors) > 0 {
		title("\nERROR\tCODE\tDATA")
		for _, x := range r.Errors {
			row(x.Name, x.Code, dash(x.Data))
		}
	}
	return t.Flush()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "-"
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
