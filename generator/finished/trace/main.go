// Trace writes down what the finished reducers of a protocol use, beside their sources. Its arguments
// are the root of this module and the name of the protocol:
//
//	go run ./generator/finished/trace . ahp
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ahpgen/ahpgen/generator/finished"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: trace ROOT PROTOCOL")
		os.Exit(2)
	}
	folder := filepath.Join(os.Args[1], "schemas", os.Args[2], "reducers")
	text, err := trace(folder, os.Args[2])
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, finished.UsesName), text, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "trace:", err)
		os.Exit(1)
	}
}
