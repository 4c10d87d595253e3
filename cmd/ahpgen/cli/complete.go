// Shell completion of arguments and flags.

package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/schemas"
)

// completion is the signature of cobra's completion functions.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// words completes fixed words, and folders or files where allowed.
func words(directive cobra.ShellCompDirective, list ...string) completion {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, word := range list {
			if strings.HasPrefix(word, typed) {
				out = append(out, word)
			}
		}
		if len(out) > 0 {
			return out, directive & cobra.ShellCompDirectiveNoFileComp
		}
		return nil, directive
	}
}

// embedded returns the names of embedded schemas: protocols with and without version, and versions.
func embedded() []string {
	var out []string
	for _, p := range schemas.Protocols() {
		name, version, _ := strings.Cut(p, "@")
		out = append(out, name, p, version)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// versions returns the embedded versions.
func versions() []string {
	var out []string
	for _, p := range schemas.Protocols() {
		_, version, _ := strings.Cut(p, "@")
		out = append(out, version)
	}
	return out
}

// completeFlags registers completions for those flags that the command has.
func completeFlags(cmd *cobra.Command) {
	const folders, files = cobra.ShellCompDirectiveFilterDirs, cobra.ShellCompDirectiveDefault
	for name, f := range map[string]completion{
		"schemas": words(files, embedded()...), "to": words(files, embedded()...), "against": words(files, embedded()...), "profile": words(files, schemas.Profiles()...),
		"protocol-version": words(cobra.ShellCompDirectiveNoFileComp, versions()...), "out": words(folders),
		"package": words(cobra.ShellCompDirectiveNoFileComp), "transports": words(cobra.ShellCompDirectiveNoFileComp, generator.Transports()...),
		"parts":   words(cobra.ShellCompDirectiveNoFileComp, generator.Parts()...),
		"framing": words(cobra.ShellCompDirectiveNoFileComp, string(record.Lines), string(record.Headers)),
	} {
		if cmd.Flags().Lookup(name) == nil {
			continue
		}
		if name == "to" && cmd.Name() == "replay" {
			f = words(cobra.ShellCompDirectiveNoFileComp, string(protocol.FromClient), string(protocol.FromHost))
		}
		if err := cmd.RegisterFlagCompletionFunc(name, f); err != nil {
			panic(err) // the flag exists
		}
	}
}

// completeFolders completes folders with configurations.
func (a *app) completeFolders(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if a.enter() != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	wd, err := os.Getwd()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	configs, err := generator.ConfigsBelow(wd)
	if err != nil || len(configs) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	var out []string
	for _, path := range configs {
		folder := argument(folderOf(path))
		if strings.HasPrefix(folder, typed) || strings.HasPrefix(strings.TrimPrefix(folder, "./"), typed) {
			out = append(out, folder)
		}
	}
	if strings.HasPrefix("./"+below, typed) {
		out = append(out, "./"+below)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeSides completes embedded schemas and folders for a comparison.
func (a *app) completeSides(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return words(cobra.ShellCompDirectiveFilterDirs, embedded()...)(cmd, args, typed)
}

// completeNames completes names of actions, types, methods and channels.
func (a *app) completeNames(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	a.cmd, a.quiet = cmd, true
	if len(args) > 0 || a.enter() != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	configs, err := a.choose(cmd, nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	config, err := a.config(cmd, configs[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	g, err := generator.New(config, &diag.List{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names, err := g.Names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return words(cobra.ShellCompDirectiveNoFileComp, names...)(cmd, args, typed)
}
