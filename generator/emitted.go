// Emitted files: how to tell them from those that people write.

package generator

import (
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/userfile"
)

const (
	// Suffix ends the name of every file that belongs to the tool.
	Suffix = emit.Suffix
	// Marker starts the first line of each of them.
	Marker = emit.Marker
	// Unfinished is the code of a diagnostic about a method that still is as ahpgen inserted it.
	Unfinished = string(userfile.Unfinished)
)

// RuntimeFolders are the subfolders of the runtime, which is emitted below a package or where its configuration says.
func RuntimeFolders() []string { return emit.Folders() }
