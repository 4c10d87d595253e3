// Command ahpgen generates Go packages from the JSON Schemas of a protocol.
package main

import (
	"os"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
)

func main() {
	os.Exit(cli.Main())
}
