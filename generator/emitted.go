// Emitted files: distinguishing them from hand-written ones.

package generator

import (
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/userfile"
)

const (
	// Suffix ends the names of all emitted files.
	Suffix = emit.Suffix
	// Marker is the beginning of their first line.
	Marker = emit.Marker
	// Unfinished is the code of diagnostics about unchanged stubs.
	Unfinished = string(userfile.Unfinished)
)

// RuntimeFolders returns the subfolders of the runtime, which is emitted below a package or in the configured folder.
func RuntimeFolders() []string { return emit.Folders() }
