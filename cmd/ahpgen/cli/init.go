// The init command.

package cli

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
)

// initLong is the help text of init.
const initLong = `Init writes four files into a folder (./ahp by default): ahpgen.json, which says what to generate
from what; its schema, by which editors complete and check it, also without a network; a Go file with the
go:generate line that does it; and .gitattributes, by which forges fold what is generated. Files that are
there already are left alone, and named. From then on go generate writes the package and ahpgen check
compares it.

Where the module does not have ahpgen as a tool yet, init says what to type for that. To have it in go.mod
raises the go directive there to that of ahpgen. Where yours is older, the lines to type put the tool into
a file of its own, and the go:generate line names it with -modfile.

Without --schemas the package comes from embedded schemas: those of the protocol that the folder is named
after, and the default ones under any other name. Ahpgen version lists them.

With --from the schemas are those that somebody else has published, as they are: a file, with those that it
refers to, or a folder. Init finds the messages in them, what they look like and who sends them as far as it
can, and writes that into profile.json. What only a person can say is listed, with the line to write. Schemas
from outside of the module are copied into the folder.

With --example the schemas are those of a small protocol, to be changed into one of your own: init writes
them too, and Go files of yours with a reducer, its test, and a host with a client.`

func (a *app) init() *cobra.Command {
	var example bool
	var from, name string
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Set a folder up for a generated package",
		Long:  initLong,
		Example: `  go get -tool github.com/ahpgen/ahpgen/cmd/ahpgen
  go tool ahpgen init
  go generate ./...
  go tool ahpgen init acp
  go tool ahpgen init --example
  go tool ahpgen init notes --from ./downloads/notes.json
  go tool ahpgen init ./internal/wire --schemas ./schema --profile ahp --package wire`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, set := generator.DefaultFolder(), generator.Init
			if example {
				dir, set = "notes", generator.InitExample
			}
			if len(args) == 1 {
				dir = args[0]
			}
			if from != "" {
				if example {
					return &generator.FlagError{Message: "the example brings its own schemas", Without: []string{"from"}}
				}
				return a.initFrom(slices.Concat(args, []string{""})[0], from, name)
			}
			files, next, err := set(dir, a.flags)
			if err != nil {
				return err
			}
			a.tellSetUp(files, next)
			return nil
		},
	}
	a.inputFlags(cmd)
	cmd.Flags().BoolVar(&example, "example", false, "begin with a small protocol of its own, with a reducer, its test, a host and a client (default folder: ./notes)")
	cmd.Flags().StringVar(&from, "from", "", "begin with published schemas, a file or a folder, and draft a profile for them")
	cmd.Flags().StringVar(&name, "name", "", "name of the protocol in the profile, which is drafted even if ahpgen has one (default: that of the folder or of the schemas)")
	cmd.Flags().StringVar(&a.flags.Package, "package", "", "name of the package (default: that of the folder)")
	cmd.Flags().StringSliceVar(&a.flags.Parts, "parts", nil, "what to have beside types and codecs: reducers, store, client, host, connection, server, validate, random, or none (default: all but the last two)")
	cmd.Flags().StringSliceVar(&a.flags.Transports, "transports", nil, "what to have beside streams: http, or websocket, which needs github.com/coder/websocket")
	cmd.Flags().StringSliceVar(&a.flags.Logs, "logs", nil, "what a server can keep its log in: bolt, a file, which needs go.etcd.io/bbolt, or jetstream, for several machines, which needs github.com/nats-io/nats.go; logtest adds tests for a shared log of your own")
	cmd.Flags().StringSliceVar(&a.flags.Observers, "observers", nil, "what to observe connections with, beside log/slog and counts: opentelemetry, which needs go.opentelemetry.io/otel")
	return cmd
}

// initFrom begins with published schemas, and prints what is left to say about them.
func (a *app) initFrom(dir, from, name string) error {
	defer a.working("reading")()
	out, err := generator.InitFrom(dir, from, name, a.flags, &a.diags)
	if err != nil {
		return err
	}
	for i, line := range out.Says {
		a.say("%-6s %s\n", [2]string{"found:"}[min(i, 1)], line)
	}
	if len(out.Points) > 0 {
		a.say("what only a person can say, for the profile:\n")
	}
	for i, p := range out.Points {
		a.say("%3d. %s\n", i+1, p.Text)
		if p.Line != "" {
			a.say("     %s\n", p.Line)
		}
	}
	a.tellSetUp(out.Files, out.Next)
	return nil
}

// tellSetUp prints what init did and the next steps.
func (a *app) tellSetUp(files []generator.StarterFile, next []string) {
	for _, f := range files {
		what := "wrote"
		if !f.Written {
			what = "kept"
		}
		a.say("%s %s\n", what, filepath.ToSlash(f.Path))
		if f.Lacks != "" {
			a.say("     add this line to it: %s\n", f.Lacks)
		}
	}
	var libraries []string
	for _, path := range generator.Libraries(a.flags.Transports, a.flags.Logs, a.flags.Observers) {
		libraries = append(libraries, "go get "+path)
	}
	word := "next:"
	for _, line := range slices.Insert(next, len(next)-1, libraries...) {
		a.say("%-5s %s\n", word, line)
		word = ""
	}
}
