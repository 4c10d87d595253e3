// Clash: declarations of the user's that have a name which the emitted package declares too.

package generator

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/declared"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// nameClash is the code of such findings.
const nameClash = "name-clash"

// findClashes adds a finding for each of the user's declarations that the package has as well.
func (p *Plan) findClashes(pkg *golang.Package, files []emit.Output) error {
	var names map[string]bool // that are emitted; set once there is a file of the user's
	for file, content := range goFiles(p.Out) {
		if isOurs(content) {
			continue
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, file, content, parser.SkipObjectResolution)
		if err != nil || syntax.Name.Name != pkg.Name {
			continue // reported elsewhere
		}
		if names == nil {
			if names, err = declaredBy(files); err != nil {
				return err
			}
		}
		for _, d := range syntax.Decls {
			for name, id := range declared.Names(d) {
				if !names[name] || strings.Contains(name, ".") || name == "init" || name == "_" {
					continue
				}
				at := fset.Position(id.Pos())
				p.clashes = append(p.clashes, name)
				p.Findings = append(p.Findings, diag.Errorf(diag.Pos{File: filepath.ToSlash(file), Line: at.Line, Col: at.Column}, nameClash,
					clashHint(pkg, name, names), "%s is generated too", name))
			}
		}
	}
	return nil
}

// clashHint returns the setting that gives what is generated another name.
func clashHint(pkg *golang.Package, name string, taken map[string]bool) string {
	another := strings.ToUpper(pkg.Name[:1]) + pkg.Name[1:] + name
	for taken[another] {
		another += "2"
	}
	for definition, its := range pkg.Names {
		if its.Go == name {
			return fmt.Sprintf("rename yours, or add \"names\": {%q: %q} to %s", definition, another, ConfigName)
		}
	}
	return "rename yours"
}

// causedByClash reports whether an error of the compiler is about a name that is declared twice.
func (p *Plan) causedByClash(d diag.Diagnostic) bool {
	return slices.ContainsFunc(p.clashes, func(name string) bool {
		return strings.HasSuffix(d.Pos.File, emit.Suffix) || regexp.MustCompile(`\b`+name+`\b`).MatchString(d.Message)
	})
}
