// The inspect command.

package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
)

func (a *app) inspect() *cobra.Command {
	var asJSON, speaks bool
	var options generator.InspectOptions
	cmd := &cobra.Command{
		Use:   "inspect [NAME | --speaks [VERSION]]",
		Short: "Show what a protocol's schemas mean",
		Long: `Inspect prints tables of the actions, methods, unions, types and error codes that the schemas and
the profile describe. With the name of an action, type, method, channel or error code, on the wire or in
Go, it shows that one with its members and what all of it is called in Go, and of a type whose values have
a status, which actions change that. With --uses it also shows what needs a type: members, variants, methods,
channels and errors.

With --speaks it lists what is not the same for peers of an older version: of those that the package speaks, or
of one that is named.`,
		Example: `  ahpgen inspect
  ahpgen inspect chat/delta --schemas ahp
  ahpgen inspect URI --uses
  ahpgen inspect --speaks
  ahpgen inspect --schemas ./schema --profile ahp
  ahpgen inspect --schemas ./schema --profile ahp --json | jq .actions`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.Uses && len(args) == 0 {
				return &generator.FlagError{Message: "--uses is about one type: name it", Flag: "uses", Value: "NAME"}
			}
			path, err := a.one(cmd)
			if err != nil {
				return err
			}
			g, err := a.generator(cmd, path)
			if err != nil {
				return err
			}
			found, show, err := inspected(g, args, speaks, options)
			if show == nil {
				return err
			}
			if asJSON {
				return cmp.Or(printJSON(a.stdout, found), err)
			}
			return cmp.Or(show(a.stdout), err)
		},
	}
	a.inputFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&speaks, "speaks", false, "list what is not the same for older versions")
	cmd.Flags().BoolVar(&options.Uses, "uses", false, "show what needs the type as well")
	return cmd
}

// inspected returns what is asked for, and how it is printed as text.
func inspected(g *generator.Generator, args []string, speaks bool, options generator.InspectOptions) (found any, show func(io.Writer) error, err error) {
	switch {
	case speaks:
		reports, err := g.InspectSpeaks(strings.Join(args, ""))
		if len(reports) == 0 && err != nil {
			return nil, nil, err
		}
		return reports, func(w io.Writer) error { return printSpeaks(w, reports) }, err
	case len(args) == 1:
		details, err := g.Inspect(args[0], options)
		if err != nil {
			return nil, nil, err
		}
		return details, func(w io.Writer) error { return printDetails(w, details) }, err
	}
	p, err := g.Analyze()
	if err != nil {
		return nil, nil, err
	}
	report := generator.Describe(p)
	return report, func(w io.Writer) error { return printReport(w, report) }, nil
}

func printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// printDetails prints each entity with its members as a table.
func printDetails(w io.Writer, found []generator.Detail) error {
	for i, d := range found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s %s\n", d.Kind, inside.VisibleName(d.Name))
		for _, line := range wrap(d.Doc, textWidth) {
			fmt.Fprintf(w, "    %s\n", line)
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fact := func(what, value string) {
			if value != "" {
				fmt.Fprintf(t, "  %s\t%s\n", what, inside.VisibleName(value))
			}
		}
		fact("in Go", d.Go)
		if d.Constant != d.Go {
			fact("constant", d.Constant)
		}
		fact("channel", d.Channel)
		fact("sent by", strings.Join(d.Senders, " and "))
		fact("since", d.Since)
		fact("reducer", d.Reducer)
		fact("parameters", d.Params)
		if d.Null {
			d.Result += ", or null"
		}
		fact("result", d.Result)
		fact("URI", d.URI)
		fact("state", d.State)
		fact("told apart by", d.By)
		fact("kept like unknown", strings.Join(d.Apart, ", "))
		if d.Code != nil {
			fact("code", fmt.Sprint(*d.Code))
		}
		switch {
		case d.Instead != "":
			fact("deprecated", "use "+d.Instead+" instead")
		case d.Deprecated:
			fact("deprecated", "yes")
		}
		fact("stability", d.Stability)
		fact("at", d.Pos)
		printMembers(t, d)
		printLifecycle(t, d.Lifecycle)
		printUses(t, d.Uses)
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// printMembers prints the members of an entity as a table.
func printMembers(t io.Writer, d generator.Detail) {
	if len(d.Members) == 0 {
		return
	}
	switch d.Kind {
	case "action", "object", "method", "notification":
		fmt.Fprint(t, "\nMEMBER\tIN GO\tTYPE\tREQUIRED\n")
		for _, m := range d.Members {
			value := m.Type
			if m.Constant != "" {
				value = "always " + m.Constant
			}
			if m.Time != "" {
				value += ", " + m.Time
			}
			if m.Stability != "" {
				value += ", " + m.Stability
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", inside.VisibleName(m.Name), dash(m.Go), inside.VisibleName(value), yes(m.Required))
		}
		return
	case "alias":
		fmt.Fprintf(t, "  is\t%s\n", d.Members[0].Type)
		return
	}
	title := map[string]string{"union": "VARIANT", "enum": "VALUE", "bitset": "FLAG", "channel": "ACTION"}[d.Kind]
	fmt.Fprintf(t, "\n%s\tIN GO\n", title)
	for _, m := range d.Members {
		fmt.Fprintf(t, "%s\t%s\n", inside.VisibleName(dash(m.Name)), dash(m.Go))
	}
}

// printUses prints the uses of a type, if requested.
func printUses(t io.Writer, uses *[]generator.DetailUse) {
	switch {
	case uses == nil:
		return
	case len(*uses) == 0:
		fmt.Fprint(t, "\nNothing uses it.\n")
		return
	}
	fmt.Fprint(t, "\nUSED BY\tAS\n")
	for _, u := range *uses {
		fmt.Fprintf(t, "%s\t%s\n", inside.VisibleName(u.By), u.As)
	}
}

// printLifecycle prints the actions that change the status of a type's values.
func printLifecycle(t io.Writer, l *generator.DetailLifecycle) {
	if l == nil {
		return
	}
	fmt.Fprint(t, "\nACTION\tFROM\tTO\tWHEN\n")
	row := func(d generator.DetailTransition, from, to string) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", inside.VisibleName(d.Action), inside.VisibleName(from), inside.VisibleName(to), inside.VisibleName(dash(d.When)))
	}
	to := func(d generator.DetailTransition) string {
		if d.As != "" {
			return "as in " + d.As
		}
		return strings.Join(d.To, ", ")
	}
	for _, d := range l.Begins {
		row(d, "(begins)", to(d))
	}
	for _, d := range l.Transitions {
		row(d, statuses(l, d), to(d))
	}
	for _, d := range l.Ends {
		row(d, statuses(l, d), "(ends)")
	}
}

// statuses formats source statuses, abbreviated if nearly all are included.
func statuses(l *generator.DetailLifecycle, d generator.DetailTransition) string {
	var others []string
	for _, name := range l.States {
		if !slices.Contains(d.From, name) && !slices.Equal(d.To, []string{name}) {
			others = append(others, name)
		}
	}
	switch {
	case len(others) == 0:
		return "any"
	case 2*len(others) < len(d.From):
		return "any but " + strings.Join(others, ", ")
	}
	return strings.Join(d.From, ", ")
}

func printReport(w io.Writer, r *generator.Report) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	title := func(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }
	row := func(cells ...any) { printRow(t, cells) }
	title("%s: %s, %s, %s, %s, %s, %s\n", inside.VisibleName(strings.TrimSpace(cmp.Or(r.Name, "protocol")+" "+r.Version)),
		plural(len(r.Types), "object"), plural(len(r.Unions), "union"), plural(len(r.Enums), "enum"),
		plural(len(r.Actions), "action"), plural(len(r.Methods), "method"), plural(len(r.Errors), "error code"))
	if len(r.Actions) > 0 {
		title("ACTION\tTYPE\tCHANNEL\t%s\tSINCE", inside.VisibleName(strings.ToUpper(r.Sides.In("client"))))
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
	printApart(title, r)
	if n := len(r.Undecided); n > 0 {
		title("UNDECIDED UNION, RAW JSON (%d)\n%s\n", n, visibleLines(r.Undecided))
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
	if len(r.HTTP) > 0 {
		title("\nOVER HTTP\tIS")
		for _, x := range r.HTTP {
			row(x.What, x.Value)
		}
	}
	return t.Flush()
}

// printApart lists the alternatives that are in no decision of their unions.
func printApart(title func(format string, args ...any), r *generator.Report) {
	var lines []string
	for _, u := range r.Unions {
		for _, name := range u.Apart {
			lines = append(lines, u.Name+": "+name)
		}
	}
	if len(lines) > 0 {
		title("ALTERNATIVE KEPT LIKE AN UNKNOWN ONE (%d)\n%s\n", len(lines), visibleLines(lines))
	}
}

// printRow prints a row of a table. A name cannot span cells or lines.
func printRow(w io.Writer, cells []any) {
	for i, cell := range cells {
		if i > 0 {
			fmt.Fprint(w, "\t")
		}
		fmt.Fprint(w, inside.VisibleName(fmt.Sprint(cell)))
	}
	fmt.Fprintln(w)
}

// visibleLines joins names, each on a line.
func visibleLines(names []string) string {
	var lines []string
	for _, name := range names {
		lines = append(lines, inside.VisibleName(name))
	}
	return strings.Join(lines, "\n")
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
