package compile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// module has a package that changes, packages that use it, tests within and beside them, and packages
// that have nothing to do with it.
const module = `
-- go.mod --
module example.com/m

go 1.22
-- a/a.go --
package a

type T struct{ Old string }
-- a/a_test.go --
package a

var inside = T{Old: "x"}
-- a/outside_test.go --
package a_test

import (
	"testing"

	"example.com/m/a"
	"example.com/m/b"
)

func TestB(t *testing.T) { t.Log(b.Of(a.T{}), a.T{}.Old) }
-- b/b.go --
package b

import (
	"net/http"

	"example.com/m/a"
)

func Of(t a.T) http.Header { return http.Header{"Old": {t.Old}} }
-- apart/apart.go --
package apart

import "net/http"

var Wrong int = http.MethodGet
-- apart/user/user.go --
package user

import "example.com/m/apart"

var Wrong string = apart.Wrong
-- gone/gone.go --
package gone

import "example.com/m/nowhere"

var _ = nowhere.X
-- round/a/a.go --
package a

import "example.com/m/round/b"

var X = b.X
-- round/b/b.go --
package b

import "example.com/m/round/a"

var X = a.X
-- syntax/syntax.go --
package syntax

unfinished
`

func TestFindingsBeforeAndAfterAStep(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(module)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, f.Data, 0o644))
	}
	t.Chdir(dir)
	result, err := Check(Step{Dir: "a", Overlay: map[string][]byte{
		filepath.Join("a", "a.go"):          []byte("package a\n\nimport \"example.com/m/a/extra\"\n\ntype T struct{ New extra.E }\n"),
		filepath.Join("a", "extra", "e.go"): []byte("package extra\n\ntype E string\n"),
	}})
	require.NoError(t, err)

	open := []string{
		"apart/apart.go:5:17: cannot use http.MethodGet",
		"apart/user/user.go:5:20: cannot use apart.Wrong",
		"gone/gone.go:3:8: could not import example.com/m/nowhere",
		"gone/gone.go:3:8: no required module provides package example.com/m/nowhere",
		"round/a/a.go:3:8: could not import example.com/m/round/b",
		"syntax/syntax.go:3:1: expected declaration, found unfinished",
	}
	require.Equal(t, open, said(result.Before))
	require.Equal(t, append([]string{
		"a/a_test.go:3:16: unknown field Old in struct literal of type T",
		"a/outside_test.go:10:53: a.T{}.Old undefined",
	}, slices.Insert(slices.Clone(open), 2,
		"b/b.go:9:59: t.Old undefined",
	)...), said(result.After))
	require.Empty(t, result.Changed)
	require.Empty(t, result.Unchecked)
}

// said lists findings by position, without what the go command and the type checker add in brackets or behind a semicolon.
func said(list []diag.Diagnostic) []string {
	var out []string
	for _, d := range list {
		end := strings.IndexAny(d.Message+";", "(;")
		out = append(out, d.Pos.String()+": "+strings.TrimSpace(d.Message[:end]))
	}
	return out
}
