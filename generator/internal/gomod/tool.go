// Tool: how a module comes to have ahpgen as a tool, and what to type for that.

package gomod

import (
	"fmt"
	goversion "go/version"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/ahpgen/ahpgen/generator/internal/disk"
)

const (
	toolPath = "github.com/ahpgen/ahpgen/cmd/ahpgen"
	toolGo   = "1.26.0"    // the go directive of this module, which a test compares
	toolFile = "tools.mod" // a file for tools if go.mod had better stay as it is
)

// generateLine is what makes the package.
const generateLine = "go generate ./..."

// ToolLines says which file lists ahpgen as a tool, relative to dir, "" for go.mod; and what to type in the module's root
// until the package is there. To require ahpgen raises the go directive of a module to that of ahpgen. If this would
// change what the module asks of those who use it, the tool goes into a file of its own.
func ToolLines(dir string) (file string, next []string, err error) {
	file, next, err = toolLines(dir)
	next = append(next, generateLine)
	if file != "" && inWorkspace(dir) {
		for i := range next {
			next[i] = "GOWORK=off " + next[i]
		}
	}
	return file, next, err
}

// inWorkspace reports whether the go command takes a folder for a part of a workspace, in which it knows no -modfile.
func inWorkspace(dir string) bool {
	if set := os.Getenv("GOWORK"); set != "" {
		return set != "off"
	}
	for at := range disk.Upward(dir) {
		if _, err := os.Stat(filepath.Join(at, "go.work")); err == nil {
			return true
		}
	}
	return false
}

func toolLines(dir string) (file string, next []string, err error) {
	m, err := Of(dir)
	if err != nil || m.Root == "" {
		return "", []string{"go mod init MODULE", "go get -tool " + toolPath}, err
	}
	main, err := readMod(filepath.Join(m.Root, "go.mod"))
	if err != nil {
		return "", nil, err
	}
	if hasTool(main) {
		return "", nil, nil
	}
	name, err := toolFileOf(m.Root)
	if err != nil {
		return "", nil, err
	}
	if name == "" && (main.Go == nil || goversion.Compare("go"+main.Go.Version, goversion.Lang("go"+toolGo)) >= 0) {
		return "", []string{"go get -tool " + toolPath}, nil
	}
	if name == "" {
		name = toolFile
		next = []string{
			fmt.Sprintf("go mod init -modfile=%s %s/tools", toolFile, m.Path),
			fmt.Sprintf("go get -modfile=%s -tool %s", toolFile, toolPath),
		}
	}
	rel, err := filepath.Rel(disk.Absolute(dir), filepath.Join(m.Root, name))
	if err != nil {
		rel = filepath.Join(m.Root, name)
	}
	return filepath.ToSlash(rel), next, nil
}

// toolFileOf finds a file other than go.mod that lists ahpgen as a tool, "" if there is none.
func toolFileOf(root string) (string, error) {
	names, err := fs.Glob(os.DirFS(root), "*.mod")
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if name == "go.mod" {
			continue
		}
		f, err := readMod(filepath.Join(root, name))
		if err == nil && hasTool(f) {
			return name, nil
		}
	}
	return "", nil
}

func hasTool(f *modfile.File) bool {
	return slices.ContainsFunc(f.Tool, func(t *modfile.Tool) bool { return t.Path == toolPath })
}

func readMod(path string) (*modfile.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read module: %w", err)
	}
	f, err := modfile.Parse(disk.Display(path), text, nil)
	if err != nil { // perhaps it is from a newer Go; then what is known of it has to do, which leaves tools out
		f, err = modfile.ParseLax(disk.Display(path), text, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("read module: %w", err)
	}
	return f, nil
}
