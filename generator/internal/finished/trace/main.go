// Trace writes down what the finished reducers of a protocol use, beside their sources. Folders named after versions are
// editions: they hold what is otherwise there, and get files of their own. Its arguments are the root of this module and
// the name of the protocol:
//
//	go run ./generator/internal/finished/trace . ahp
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/schemas"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: trace ROOT PROTOCOL")
		os.Exit(2)
	}
	folder := filepath.Join(os.Args[1], "schemas", os.Args[2], "reducers")
	texts, err := texts(folder, os.Args[2], schemas.Editions(os.Args[2]))
	for name, text := range texts {
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o666)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "trace:", err)
		os.Exit(1)
	}
}

// texts are the files that say what the sources use, by name: of the folder itself, and of its editions.
func texts(folder, protocol string, editions []string) (map[string][]byte, error) {
	all := map[string]*finished.Uses{}
	out := map[string][]byte{}
	for _, edition := range append([]string{""}, editions...) {
		lineage := schemas.Lineage(protocol, edition)
		uses, err := trace(folder, protocol, lineage...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", finished.SourceName(edition, "reducers"), err)
		}
		all[edition] = uses
	}
	for edition, uses := range all {
		if lineage := append([]string{""}, schemas.Lineage(protocol, edition)...); edition != "" {
			uses = uses.Over(numbered(all, lineage[:len(lineage)-1]))
		}
		text, err := format(uses)
		if err != nil {
			return nil, err
		}
		out[finished.SourceName(edition, finished.UsesName)] = text
	}
	return out, nil
}

// numbered is what is known about the last edition of a lineage, with the numbers of symbols that a reader gives them.
func numbered(all map[string]*finished.Uses, lineage []string) *finished.Uses {
	out := all[""]
	for _, edition := range lineage[1:] {
		out = all[edition].Over(out).Onto(out)
	}
	return out
}
