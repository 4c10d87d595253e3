// Export data of the standard library, cached for all packages of a repository.

package compile

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// exports caches export data files by [exportKey].
var exports sync.Map

// exportKey identifies the export data of a standard library package for a build. The folder implies the Go version.
type exportKey struct{ folder, build string }

// standardFolder returns the folder of a standard library package, or "".
func standardFolder(p *packages.Package) string {
	first, _, _ := strings.Cut(p.PkgPath, "/")
	if p.Module != nil || strings.Contains(first, ".") || len(p.GoFiles) == 0 {
		return ""
	}
	return filepath.Dir(p.GoFiles[0])
}

// exportKey returns the key for a package in a folder. Builds depend on the environment of the go command.
func (c conditions) exportKey(folder string) exportKey {
	var build strings.Builder
	for _, pair := range append(c.env(), c.flags()...) {
		if strings.HasPrefix(pair, "GO") || strings.HasPrefix(pair, "CGO_") || strings.HasPrefix(pair, "-") {
			build.WriteString(pair + "\n")
		}
	}
	return exportKey{folder, build.String()}
}

// knownExport returns the cached file of a package, or "" if it is missing.
func (c conditions) knownExport(folder string) string {
	if folder == "" {
		return ""
	}
	file, ok := exports.Load(c.exportKey(folder))
	if !ok {
		return ""
	}
	name, _ := file.(string)
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return name
}

func (c conditions) noteExport(folder, file string) {
	if folder != "" {
		exports.Store(c.exportKey(folder), file)
	}
}
