// Fit: whether hand-written reducers go with generated files other than those they were written beside.
// Development versions of a protocol carry the number of a release without being it.

package generated

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"strings"
)

// fits reports whether the planned files declare all that the hand-written ones use as the files of
// the folder do. Comments do not count.
func fits(folder string, hand, planned map[string][]byte) (bool, error) {
	ours, theirs := map[string]string{}, map[string]string{}
	for _, name := range declaring {
		text, err := files.ReadFile(path.Join(folder, name))
		if err != nil {
			return false, fmt.Errorf("read finished reducers: %w", err)
		}
		if err := declarations(ours, text); err != nil {
			return false, err
		}
		if planned[name] == nil {
			return false, nil
		}
		if err := declarations(theirs, planned[name]); err != nil {
			return false, err
		}
	}
	for _, text := range hand {
		file, err := parse(text)
		if err != nil {
			return false, err
		}
		same := true
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				same = same && ours[id.Name] == theirs[id.Name]
			}
			return same
		})
		if !same {
			return false, nil
		}
	}
	return true, nil
}

// declarations adds what a file declares, types and constants, by name.
func declarations(out map[string]string, text []byte) error {
	file, err := parse(text)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			var b bytes.Buffer
			if err := printer.Fprint(&b, token.NewFileSet(), spec); err != nil {
				return fmt.Errorf("compare declarations: %w", err)
			}
			printed := strings.Join(strings.Fields(b.String()), " ")
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				out[spec.Name.Name] = printed
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					out[name.Name] = printed
				}
			}
		}
	}
	return nil
}

func parse(text []byte) (*ast.File, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("compare declarations: %w", err)
	}
	return file, nil
}
