// Trace writes down what the finished reducers of a protocol use, beside their sources. Folders named after versions hold
// the sources that are others from there on, and get a file of their own. Its arguments are the root of this module and
// the name of the protocol:
//
//	go run ./generator/finished/trace . ahp
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ahpgen/ahpgen/generator/finished"
	"github.com/ahpgen/ahpgen/schemas"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: trace ROOT PROTOCOL")
		os.Exit(2)
	}
	folder := filepath.Join(os.Args[1], "schemas", os.Args[2], "reducers")
	versions := append([]string{""}, schemas.Editions(os.Args[2])...)
	for i := range versions {
		if err := write(folder, os.Args[2], versions[:i+1]); err != nil {
			fmt.Fprintln(os.Stderr, "trace:", err)
			os.Exit(1)
		}
	}
}

// write traces the sources for the last of the versions, "" for those of the folder itself.
func write(folder, protocol string, versions []string) error {
	text, err := trace(folder, protocol, versions[1:]...)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, versions[len(versions)-1], finished.UsesName), text, 0o666)
}
