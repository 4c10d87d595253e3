// Builds: files for other systems or behind build tags are checked in a build that includes them.

package compile

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// conditions is a build configuration. The zero value is the default of the go command.
type conditions struct {
	goos, goarch string
	tags         string // comma-separated
}

// maxBuilds is the maximum number of additional builds, each of which takes about as long as the first.
const maxBuilds = 8

// maxTags is the number of tags of which all combinations are tried.
const maxTags = 6

// env returns the go command's environment for a build.
func (c conditions) env() []string {
	env := os.Environ()
	if c.goos != "" {
		env = append(env, "GOOS="+c.goos, "GOARCH="+c.goarch, "CGO_ENABLED=0")
	}
	return env
}

func (c conditions) flags() []string {
	if c.tags == "" {
		return nil
	}
	return []string{"-tags=" + c.tags}
}

// context returns the build context for matching files.
func (c conditions) context() build.Context {
	ctx := build.Default
	if c.goos != "" {
		ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled = c.goos, c.goarch, false
	}
	if c.tags != "" {
		ctx.BuildTags = append(slices.Clone(ctx.BuildTags), strings.Split(c.tags, ",")...)
	}
	return ctx
}

// source is a Go file of the module.
type source struct {
	path    string // absolute
	content []byte
	imports []string
	tags    []string // tags in its constraint
}

// matches reports whether a build includes the file.
func (s *source) matches(c conditions) bool {
	ctx := c.context()
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s.content)), nil }
	ok, err := ctx.MatchFile(filepath.Dir(s.path), filepath.Base(s.path))
	return ok && err == nil
}

// sources returns the Go files that may be part of the module.
func sources(root string, overlay map[string][]byte) ([]*source, error) {
	var out []*source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // reported by the go command if it matters
		}
		base := d.Name()
		hidden := strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
		if d.IsDir() {
			if name == root {
				return nil
			}
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if hidden || base == "testdata" || base == "vendor" || err == nil {
				return fs.SkipDir
			}
			return nil
		}
		if hidden || !strings.HasSuffix(base, ".go") || !d.Type().IsRegular() {
			return nil
		}
		content, ok := overlay[name]
		if !ok {
			if content, err = os.ReadFile(name); err != nil {
				return nil //nolint:nilerr // likewise
			}
		}
		if s := parseSource(name, content); s != nil {
			out = append(out, s)
		}
		return nil
	})
	return out, err
}

func parseSource(name string, content []byte) *source {
	syntax, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return nil // reported when it is loaded
	}
	s := &source{path: name, content: content}
	for _, spec := range syntax.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			s.imports = append(s.imports, p)
		}
	}
	s.tags = tagsOf(syntax)
	return s
}

// tagsOf returns the tags in a file's constraint.
func tagsOf(syntax *ast.File) []string {
	var out []string
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			if comment.Pos() > syntax.Package || !constraint.IsGoBuild(comment.Text) {
				continue
			}
			expr, err := constraint.Parse(comment.Text)
			if err != nil {
				continue
			}
			expr.Eval(func(tag string) bool { // is asked for each, whatever it returns
				out = append(out, tag)
				return false
			})
		}
	}
	return out
}

// Systems and architectures tried for a file: the current one, those it names, then common ones for files with
// negative constraints.
var (
	systems       = []string{"linux", "windows", "darwin", "freebsd", "js", "wasip1", "android", "ios", "netbsd", "openbsd", "dragonfly", "solaris", "illumos", "aix", "plan9"}
	architectures = []string{"amd64", "arm64", "386", "arm", "wasm", "riscv64", "loong64", "mips", "mipsle", "mips64", "mips64le", "ppc64", "ppc64le", "s390x"}
	common        = 3 // number of common ones tried
)

// find returns a build that includes the file, if there is one. A file tagged "ignore" belongs to no package.
func (s *source) find() (conditions, bool) {
	words := append(slices.Clone(s.tags), strings.Split(strings.TrimSuffix(filepath.Base(s.path), ".go"), "_")...)
	tried := func(all []string, here string) []string {
		out := []string{here}
		for i, name := range all {
			if name != here && (i < common || slices.Contains(words, name)) {
				out = append(out, name)
			}
		}
		return out
	}
	var tags []string
	for _, tag := range s.tags {
		known := slices.Contains(systems, tag) || slices.Contains(architectures, tag) || tag == "unix" || tag == "cgo" || tag == "gc" || strings.HasPrefix(tag, "go1.")
		if !known && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	if len(tags) > maxTags || slices.Contains(tags, "ignore") {
		return conditions{}, false
	}
	var sets []string // sets of tags, small ones first
	for bits := range 1 << len(tags) {
		var set []string
		for i, tag := range tags {
			if bits&(1<<i) != 0 {
				set = append(set, tag)
			}
		}
		sets = append(sets, strings.Join(set, ","))
	}
	slices.SortStableFunc(sets, func(a, b string) int { return cmp.Compare(strings.Count(a, ","), strings.Count(b, ",")) })
	for _, set := range sets {
		for _, goos := range tried(systems, runtime.GOOS) {
			for _, goarch := range tried(architectures, runtime.GOARCH) {
				c := conditions{goos, goarch, set}
				if goos == runtime.GOOS && goarch == runtime.GOARCH {
					c.goos, c.goarch = "", ""
				}
				if (goos == "js" || goos == "wasip1") != (goarch == "wasm") {
					continue
				}
				if s.matches(c) {
					return c, true
				}
			}
		}
	}
	return conditions{}, false
}

// others determines the additional builds for files that the first one excludes and that concern the packages. It
// returns the paths of files without a build.
func others(files []*source, matters func(*source) bool) (builds []conditions, unchecked []string) {
	for _, s := range files {
		if !matters(s) || s.matches(conditions{}) || slices.ContainsFunc(builds, s.matches) {
			continue
		}
		c, ok := s.find()
		if !ok || len(builds) == maxBuilds {
			unchecked = append(unchecked, s.path)
			continue
		}
		builds = append(builds, c)
	}
	return builds, unchecked
}

// importPath returns the import path of the package in a folder.
func importPath(module, root, dir string) string {
	rel, err := filepath.Rel(root, dir)
	if err != nil || rel == "." {
		return module
	}
	return path.Join(module, filepath.ToSlash(rel))
}
