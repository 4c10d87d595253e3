// Logs, for a package that a consumer has generated.

package readme

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

const logProgram = `package main

import (
	"fmt"
	"os"

	"example.com/consumer/ahp"
	"example.com/consumer/ahp/wire/bolt"
)

func main() {
	log, err := bolt.Open(os.Args[1], nil)
	if err != nil {
		panic(err)
	}
	defer log.Close()
	host, err := ahp.NewServer(&ahp.ServerOptions{Log: log})
	if err != nil {
		panic(err)
	}
	defer host.Close()
	fmt.Println(host.Channels(), host.OpenChannel("ahp-root://", &ahp.RootState{Agents: []ahp.AgentInfo{}}))
}
`

func TestAConsumersOwnServerKeepsItsLog(t *testing.T) {
	kit.Wide(t)
	dir := consumer(t)
	require.Equal(t, "wrote ahp/ahpgen.json\nwrote ahp/ahpgen-schema.json\nwrote ahp/generate.go\nwrote ahp/.gitattributes\nnext: go get go.etcd.io/bbolt\n      go generate ./...\n",
		kit.Run(t, dir, "go", "tool", "ahpgen", "init", "--logs", "bolt"))
	kit.Run(t, dir, "go", "generate", "./...")
	kit.Run(t, dir, "go", "get", "go.etcd.io/bbolt")
	kit.WriteFile(t, filepath.Join(dir, "main.go"), logProgram)
	at := filepath.Join(t.TempDir(), "log")
	require.Equal(t, "[] <nil>\n", kit.Run(t, dir, "go", "run", ".", at))
	require.Equal(t, "[ahp-root://] the channel exists already\n", kit.Run(t, dir, "go", "run", ".", at))
	require.NotContains(t, kit.Run(t, dir, "go", "list", "-deps", "./ahp"), "bbolt")

	config := filepath.Join(dir, "ahp", "ahpgen.json")
	const plain = `{"schemas": "ahp", "out": ".", "package": "ahp"}`
	kit.WriteFile(t, config, plain)
	printed, code := kit.InFolder(t, filepath.Dir(config), "generate")
	require.Zero(t, code, printed)
	require.NoFileExists(t, filepath.Join(dir, "ahp", "wire", "bolt", "bolt_gen.go"))

	for options, want := range map[string]string{
		`, "logs": ["stone"]}`:                            "ahpgen.json:1:",
		`, "logs": ["bolt"], "reducers": {"omit": true}}`: "the package has no server\n    hint: leave logs out",
	} {
		kit.WriteFile(t, config, strings.TrimSuffix(plain, "}")+options)
		printed, code := kit.InFolder(t, filepath.Dir(config), "generate")
		require.NotZero(t, code)
		require.Contains(t, printed, want)
	}
}
