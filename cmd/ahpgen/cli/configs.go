// Selecting configurations for a command, and remedies if that is ambiguous.

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
)

// refusal is a usage error with command lines to use instead.
type refusal struct {
	generator.UsageError
	lines []string
}

func (r *refusal) Unwrap() error { return &r.UsageError }

// refuse returns a refusal.
func refuse(lines []string, format string, args ...any) error {
	return &refusal{generator.UsageError{Message: fmt.Sprintf(format, args...)}, lines}
}

// linesToType returns the command lines in an error's advice.
func (a *app) linesToType(err error) []string {
	var r *refusal
	if errors.As(err, &r) {
		return r.lines
	}
	var unknown *generator.UnknownNameError
	if errors.As(err, &unknown) && a.cmd != nil {
		var lines []string
		for _, name := range unknown.Alike {
			lines = append(lines, a.line(quote(name)))
		}
		if len(lines) == 0 {
			lines = append(lines, a.line(""))
		}
		return lines
	}
	var noSide *generator.NoSideError
	if errors.As(err, &noSide) && a.cmd != nil {
		return []string{a.line("DIR"), a.line("git:REV:PATH")}
	}
	var owned *generator.OwnedError
	if errors.As(err, &owned) && a.cmd != nil {
		return []string{a.line(argument(filepath.Dir(owned.Config)), "out", "schemas")}
	}
	if a.cmd == nil {
		return nil
	}
	var flag *generator.FlagError
	if errors.As(err, &flag) {
		return a.mended(flag)
	}
	return []string{a.cmd.CommandPath() + " --help"}
}

// mended returns command lines that correct a flag.
func (a *app) mended(e *generator.FlagError) []string {
	name := e.Flag
	if name == "schemas" && a.cmd.Flags().Lookup(name) == nil {
		name = "to" // the flag's name in bump
	}
	switch {
	case name == "" && len(e.Without) == 0:
		return e.Lines
	case name != "" && a.cmd.Flags().Lookup(name) == nil && a.cmd.Name() == "diff":
		return []string{a.line("OLD NEW")}
	case name != "" && a.cmd.Flags().Lookup(name) == nil:
		return append([]string{a.cmd.CommandPath() + " --help"}, e.Lines...)
	}
	var words []string
	switch {
	case name != "" && e.Value == "":
		words = append(words, "--"+name)
	case name != "":
		words = append(words, "--"+name+" "+quote(e.Value))
	}
	for i, arg := range a.args {
		if i == a.cmd.Flags().ArgsLenAtDash() {
			words = append(words, "--")
		}
		words = append(words, quote(arg))
	}
	return append([]string{a.line(strings.Join(words, " "), append(e.Without, name)...)}, e.Lines...)
}

// exitCode is an exit status for an error that was already printed.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// below is the suffix of an argument for all configurations below a folder.
const below = "..."

const configsUsage = `

It works on the ahpgen.json in the working directory or the nearest one above, else on the one below if
there is just one. Folders that are named are taken instead; ./... takes every configuration below, each
on its own, whatever becomes of the others, and names it first. Hidden folders, testdata, vendor,
node_modules and folders that begin with _ are left out.`

// each runs a command for each selected configuration, or once with "" if flags replace it. Configurations outside
// the working directory are named.
func (a *app) each(cmd *cobra.Command, args []string, run func(path string) error) error {
	configs, err := a.choose(cmd, args)
	if err != nil {
		return err
	}
	if len(configs) == 1 {
		a.sayConfig(configs[0])
		return run(configs[0])
	}
	worst := exitClean
	for _, path := range configs {
		a.sayConfig(path)
		err := func() (err error) {
			defer a.diags.Catch(&err)
			return run(path)
		}()
		worst = max(worst, a.finish(err))
		a.diags = diag.List{}
	}
	if worst == exitClean {
		return nil
	}
	return exitCode(worst)
}

// one returns the configuration for a command that takes one, or "" if flags replace it.
func (a *app) one(cmd *cobra.Command) (string, error) {
	configs, err := a.choose(cmd, nil)
	if err != nil {
		return "", err
	}
	a.sayConfig(configs[0])
	return configs[0], nil
}

// sayConfig names a configuration unless it is in the working directory.
func (a *app) sayConfig(path string) {
	if path != "" && !a.quiet && (a.verbose || generator.DisplayPath(path) != generator.ConfigName) {
		fmt.Fprintf(a.stderr, "using %s\n", filepath.ToSlash(generator.DisplayPath(path)))
	}
}

// choose returns the configurations for a command. A single "" means none.
func (a *app) choose(cmd *cobra.Command, args []string) ([]string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find working directory: %w", err)
	}
	if len(args) > 0 {
		return a.named(cmd, args)
	}
	path, err := generator.FindConfig(wd)
	if path != "" || err != nil {
		return []string{path}, err
	}
	if changed(cmd, "schemas") || hasOut(cmd) && changed(cmd, "out") {
		return []string{""}, nil // they handle a missing configuration themselves
	}
	configs, err := generator.ConfigsBelow(wd)
	switch {
	case err != nil:
		return nil, err
	case len(configs) == 1:
		return configs, nil
	case len(configs) == 0:
		return nil, refuse(a.withoutConfig(cmd), "there is no %s here, above or below", generator.ConfigName)
	}
	return nil, a.tooMany(cmd, configs)
}

// maxLines is the maximum number of configurations listed.
const maxLines = 10

// tooMany returns the refusal for an ambiguous configuration.
func (a *app) tooMany(cmd *cobra.Command, configs []string) error {
	var lines []string
	for i, path := range configs {
		if i == maxLines {
			break
		}
		if cmd.Annotations[takesFolders] != "" {
			lines = append(lines, a.line(argument(filepath.Dir(path))))
		} else {
			lines = append(lines, a.lineIn(filepath.Dir(path)))
		}
	}
	if cmd.Annotations[takesFolders] != "" {
		lines = append(lines, a.line("./"+below))
	}
	return refuse(lines, "there is no %s here or above, and there are %d below", generator.ConfigName, len(configs))
}

// takesFolders marks commands whose arguments are folders with configurations.
const takesFolders = "folders"

// withoutConfig returns command lines for a missing configuration.
func (a *app) withoutConfig(cmd *cobra.Command) []string {
	lines := []string{"ahpgen init"}
	switch {
	case hasOut(cmd):
		lines = append(lines, a.line("--out "+argument(generator.DefaultFolder())))
	case cmd.Name() == "diff":
		lines = append(lines, a.line("OLD NEW"))
	case cmd.Flags().Lookup("schemas") != nil:
		lines = append(lines, a.line("--schemas "+generator.DefaultFolder()))
	}
	return lines
}

// named returns the configurations in the given folders, without duplicates.
func (a *app) named(cmd *cobra.Command, args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		folder, all := strings.CutSuffix(filepath.ToSlash(arg), below)
		if all && folder != "" && !strings.HasSuffix(folder, "/") {
			all = false // a folder name that ends in dots
		}
		found, err := a.configsAt(cmp.Or(folder, "."), arg, all)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && all {
			return nil, refuse([]string{"ahpgen init " + argument(filepath.Join(folder, generator.DefaultFolder()))},
				"there is no %s in or below %s", generator.ConfigName, cmp.Or(strings.TrimSuffix(folder, "/"), "the working directory"))
		}
		if len(found) == 0 {
			lines := []string{"ahpgen init " + argument(arg)}
			if holdsSchemas(arg) && cmd.Flags().Lookup("schemas") != nil {
				more := "--schemas " + argument(arg)
				if hasOut(cmd) && !changed(cmd, "out") {
					more += " --out " + argument(generator.DefaultFolder())
				}
				lines = []string{a.line(more, "schemas")}
			} else if under, err := generator.ConfigsBelow(arg); err == nil && len(under) > 0 {
				lines = []string{a.line(argument(arg) + "/" + below)}
			}
			return nil, refuse(lines, "there is no %s in %s", generator.ConfigName, arg)
		}
		for _, path := range found {
			if !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	if len(out) < 2 {
		return out, nil
	}
	for _, name := range []string{"schemas", "profile", "protocol-version", "out", "package", "markdown", "overlay", "replace"} {
		if changed(cmd, name) {
			return nil, refuse(a.oneByOne(out, name), "--%s goes with one configuration, and there are %d", name, len(out))
		}
	}
	if first, second, ok := generator.SharedOutput(out); ok && changesFolders(cmd) {
		return nil, refuse([]string{a.line(argument(filepath.Dir(first))), a.line(argument(filepath.Dir(second)))},
			"%s and %s generate into one folder: give one of them another, or take one", generator.DisplayPath(first), generator.DisplayPath(second))
	}
	return out, nil
}

// oneByOne returns a command line for each configuration, with separate report files.
func (a *app) oneByOne(configs []string, flag string) []string {
	var lines []string
	files, isReport := a.cmd.Flags().Lookup(flag).Value.(pflag.SliceValue)
	for _, path := range configs[:min(len(configs), maxLines)] {
		dir := filepath.Dir(path)
		if !isReport {
			lines = append(lines, a.line(argument(dir)))
			continue
		}
		var words []string
		for _, out := range files.GetSlice() {
			form, file, ok := strings.Cut(out, "=")
			if !ok {
				form, file = "", out
			} else {
				form += "="
			}
			own := strings.ReplaceAll(filepath.ToSlash(generator.DisplayPath(dir)), "/", "-") + "-" + filepath.Base(file)
			words = append(words, "--"+flag+" "+quote(form+filepath.ToSlash(filepath.Join(filepath.Dir(file), own))))
		}
		lines = append(lines, a.line(strings.Join(append(words, argument(dir)), " "), flag))
	}
	return lines
}

// holdsSchemas reports whether a folder appears to contain schemas.
func holdsSchemas(folder string) bool {
	found, err := fs.Glob(os.DirFS(folder), "*.schema.json")
	return err == nil && len(found) > 0
}

// changesFolders reports whether a command writes output folders.
func changesFolders(cmd *cobra.Command) bool { return cmd.Name() != "lint" }

// configsAt returns the configuration in a folder, or all below it.
func (a *app) configsAt(folder, arg string, all bool) ([]string, error) {
	at := folder
	if !all {
		at = arg
	}
	if filepath.Base(at) == generator.ConfigName {
		at = filepath.Dir(at) // the file itself
	}
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil, refuse([]string{a.line("./" + below), a.line("DIR")}, "%s: there is no such folder", arg)
	case !info.IsDir():
		return nil, refuse([]string{a.line(argument(filepath.Dir(at)))}, "%s is a file: name the folder of an %s", arg, generator.ConfigName)
	case all:
		return absolutes(generator.ConfigsBelow(at))
	}
	path, err := generator.ConfigIn(at)
	if path == "" || err != nil {
		return nil, err
	}
	return absolutes([]string{path}, nil)
}

// absolutes returns absolute paths for comparison.
func absolutes(paths []string, err error) ([]string, error) {
	for i, path := range paths {
		abs, absErr := filepath.Abs(path)
		if absErr != nil {
			return nil, fmt.Errorf("find %s: %w", generator.ConfigName, absErr)
		}
		paths[i] = abs
	}
	return paths, err
}

func changed(cmd *cobra.Command, flag string) bool {
	f := cmd.Flags().Lookup(flag)
	return f != nil && f.Changed
}

// line returns the current command line without some flags and with additional arguments.
func (a *app) line(behind string, without ...string) string {
	return strings.TrimSpace(strings.Join(append(append([]string{a.cmd.CommandPath()}, a.flagsTyped(without)...), behind), " "))
}

// lineIn returns the current command line adapted to another folder.
func (a *app) lineIn(dir string) string {
	line := []string{a.cmd.Root().Name(), "-C", argument(filepath.Join(a.dir, generator.DisplayPath(dir)))}
	line = append(line, strings.TrimPrefix(a.cmd.CommandPath(), a.cmd.Root().Name()+" "))
	line = append(line, a.flagsTyped([]string{"chdir"})...)
	for _, arg := range a.args {
		if rel, err := filepath.Rel(generator.DisplayPath(dir), arg); err == nil && a.cmd.Name() == "diff" && isThere(arg) {
			arg = argument(rel) // relative to that folder
		}
		line = append(line, quote(arg))
	}
	return strings.Join(line, " ")
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (a *app) flagsTyped(without []string) []string {
	var out []string
	a.cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(without, f.Name):
		case f.Value.Type() == "bool" && f.Value.String() == "true":
			out = append(out, "--"+f.Name)
		case f.Value.Type() == "bool":
			out = append(out, "--"+f.Name+"="+f.Value.String())
		case f.Value.Type() == "stringSlice":
			out = append(out, "--"+f.Name+" "+quote(strings.Trim(f.Value.String(), "[]")))
		case f.Value.Type() == "stringArray":
			for _, v := range f.Value.(pflag.SliceValue).GetSlice() {
				if f.Name == headerFlag {
					v = withoutSecret(v)
				}
				out = append(out, "--"+f.Name+" "+quote(v))
			}
		default:
			out = append(out, "--"+f.Name+" "+quote(f.Value.String()))
		}
	})
	return out
}

// folderOf returns the folder of a configuration, relative if possible.
func folderOf(path string) string { return generator.DisplayPath(filepath.Dir(path)) }

// argument returns a folder with a leading dot, so that it is not mistaken for something else.
func argument(folder string) string {
	folder = filepath.ToSlash(folder)
	if filepath.IsAbs(folder) {
		folder = filepath.ToSlash(generator.DisplayPath(folder))
	}
	if !filepath.IsAbs(folder) && !strings.HasPrefix(folder, ".") {
		folder = "./" + folder
	}
	return quote(folder)
}

// quote quotes a word for a shell.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/@:,=+%", r) || r > '~'
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(inside.VisibleLine(word), "'", `'\''`) + "'"
}

// hasOut reports whether --out of a command is the package folder. For reports it is a file.
func hasOut(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup("out")
	return f != nil && f.Value.Type() == "string"
}
