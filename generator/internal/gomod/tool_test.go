package gomod

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

// TestToolGoIsThatOfThisModule compares what init tells consumers with what the go command would do.
func TestToolGoIsThatOfThisModule(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	require.NoError(t, err)
	f, err := modfile.Parse("go.mod", text, nil)
	require.NoError(t, err)
	require.Equal(t, toolGo, f.Go.Version)
	require.Contains(t, toolPath, f.Module.Mod.Path+"/")
}

func TestToolLines(t *testing.T) {
	const (
		tool = "\ntool github.com/ahpgen/ahpgen/cmd/ahpgen\n"
		get  = "go get -tool github.com/ahpgen/ahpgen/cmd/ahpgen"
		gen  = "go generate ./..."
	)
	t.Setenv("GOWORK", "")
	inFile := []string{"go mod init -modfile=tools.mod example.com/m/tools", "go get -modfile=tools.mod -tool github.com/ahpgen/ahpgen/cmd/ahpgen", gen}
	for _, c := range []struct {
		name  string
		files map[string]string
		dir   string
		file  string
		next  []string
	}{
		{"the tool is there", map[string]string{"go.mod": "module example.com/m\n\ngo 1.26.0\n" + tool}, "p", "", []string{gen}},
		{"it is among others", map[string]string{"go.mod": "module example.com/m\n\ngo 1.26.0\n\ntool (\n\texample.com/other\n\tgithub.com/ahpgen/ahpgen/cmd/ahpgen\n)\n"}, "p", "", []string{gen}},
		{"it is not, and Go is as new", map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n"}, "p", "", []string{get, gen}},
		{"Go is newer", map[string]string{"go.mod": "module example.com/m\n\ngo 1.99.1\n"}, "p", "", []string{get, gen}},
		{"Go is older", map[string]string{"go.mod": "module example.com/m\n\ngo 1.22\n"}, "p", "../tools.mod", inFile},
		{"Go is older, further down", map[string]string{"go.mod": "module example.com/m\n\ngo 1.22.3\n"}, "internal/p", "../../tools.mod", inFile},
		{"Go is older, in the root", map[string]string{"go.mod": "module example.com/m\n\ngo 1.22\n"}, ".", "tools.mod", inFile},
		{"a file of its own is there", map[string]string{"go.mod": "module example.com/m\n\ngo 1.22\n", "go.tool.mod": "module example.com/m/t\n\ngo 1.26.0\n" + tool}, "p", "../go.tool.mod", []string{gen}},
		{"Go is older, in a workspace", map[string]string{"m/go.mod": "module example.com/m\n\ngo 1.22\n", "go.work": "go 1.22\n\nuse ./m\n"}, "m/p", "../tools.mod", []string{
			"GOWORK=off " + inFile[0], "GOWORK=off " + inFile[1], "GOWORK=off " + gen,
		}},
		{"Go is as new, in a workspace", map[string]string{"m/go.mod": "module example.com/m\n\ngo 1.26\n", "go.work": "go 1.26\n\nuse ./m\n"}, "m/p", "", []string{get, gen}},
		{"no go directive", map[string]string{"go.mod": "module example.com/m\n"}, "p", "", []string{get, gen}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range c.files {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777))
				require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o666))
			}
			file, next, err := ToolLines(filepath.Join(root, c.dir))
			require.NoError(t, err)
			require.Equal(t, c.file, file)
			require.Equal(t, c.next, next)
		})
	}
}
