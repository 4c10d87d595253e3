package compile

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABuildIsFoundForFilesThatTheOneAtHandLacks(t *testing.T) {
	other := "windows"
	if runtime.GOOS == other {
		other = "linux"
	}
	for _, c := range []struct {
		name, constraint string
		goos, goarch     string
		tags             string
		found            bool
	}{
		{"a.go", "", "", "", "", true},
		{"a_" + other + ".go", "", other, runtime.GOARCH, "", true},
		{"a_js_wasm.go", "", "js", "wasm", "", true},
		{"a.go", "//go:build extra", "", "", "extra", true},
		{"a.go", "//go:build extra && more", "", "", "extra,more", true},
		{"a.go", "//go:build !" + runtime.GOOS, "-", "", "", true},
		{"a.go", "//go:build extra && " + other, other, runtime.GOARCH, "extra", true},
		{"a.go", "//go:build ignore", "", "", "", false},
		{"a.go", "//go:build extra && !extra", "", "", "", false},
		{"a.go", "//go:build go1.999", "", "", "", false},
	} {
		s := parseSource("/m/"+c.name, []byte(c.constraint+"\n\npackage m\n"))
		require.NotNil(t, s)
		build, ok := s.find()
		require.Equal(t, c.found, ok, "%s %s", c.name, c.constraint)
		if c.goos == "-" {
			require.NotEmpty(t, build.goos)
			continue
		}
		require.Equal(t, conditions{c.goos, c.goarch, c.tags}, build, "%s %s", c.name, c.constraint)
	}
}
