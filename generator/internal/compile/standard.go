// What the compiler exports of the standard library: the same for all packages of a repository, so that the go command is
// asked once, and not for each package that goes to another version.

package compile

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// exports are the files with what the compiler exports, by [exportKey].
var exports sync.Map

// exportKey tells what the compiler exports of a package of the standard library for one build from that for another. The
// folder says which Go it is of.
type exportKey struct{ folder, build string }

// standardFolder is the folder of a package of the standard library, "" for others.
func standardFolder(p *packages.Package) string {
	first, _, _ := strings.Cut(p.PkgPath, "/")
	if p.Module != nil || strings.Contains(first, ".") || len(p.GoFiles) == 0 {
		return ""
	}
	return filepath.Dir(p.GoFiles[0])
}

// exportKey is the key for a package in a folder. A build depends on what the environment tells the go command.
func (c conditions) exportKey(folder string) exportKey {
	var build strings.Builder
	for _, pair := range append(c.env(), c.flags()...) {
		if strings.HasPrefix(pair, "GO") || strings.HasPrefix(pair, "CGO_") || strings.HasPrefix(pair, "-") {
			build.WriteString(pair + "\n")
		}
	}
	return exportKey{folder, build.String()}
}

// knownExport is the file for the package in a folder, "" if it is not known, or not there any more.
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
