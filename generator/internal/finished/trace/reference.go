// Reference: the package that sources are type-checked beside.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/schemas"
)

// differences is the name of the file in which an edition says what its version declares otherwise than the edition
// before: the overlay of a profile.
const differences = "profile.json"

// reference builds the package that the last of the editions is written for, named as the protocol is: from the embedded
// schemas of its version, or of the nearest before, with the differences of those that have no schemas.
func reference(protocol string, editions []schemas.Edition) (*golang.Package, error) {
	of := schemas.Written(protocol)
	var overlays []schemas.Edition
	for _, e := range editions {
		switch name := protocol + "@" + e.Version; {
		case slices.Contains(schemas.Protocols(), name):
			of, overlays = name, nil
		case e.Version != "":
			overlays = append(overlays, e)
		}
	}
	var diags diag.List
	folder, display, err := schemas.Protocol(of)
	if err != nil {
		return nil, err
	}
	set, err := schema.Load(folder, display, nil, &diags)
	if err != nil {
		return nil, err
	}
	for _, e := range overlays {
		if err := overlay(set, e, &diags); err != nil {
			return nil, err
		}
	}
	if len(overlays) > 0 {
		withoutLifecycles(set)
	}
	r := understand.Run(set, profile.Empty(), facts.Text{}, &diags) // the schemas state everything
	if r.Protocol != nil {
		options := golang.Options{
			Package: protocol, Wire: finished.FloorPath, WireDir: "wire", Initialisms: r.Facts.Initialisms,
		}
		if pkg := golang.Build(r.Protocol, options, &diags); pkg != nil {
			return pkg, nil
		}
	}
	return nil, fmt.Errorf("the schemas of %s with differences: %v", of, diags.Sorted())
}

// withoutLifecycles takes lifecycles out of schemas: differences say what reducers see, and that they do not.
func withoutLifecycles(set *schema.Set) {
	gone := &schema.Node{Kind: schema.Object, Members: []schema.Member{{Key: "x-lifecycle", Value: &schema.Node{Kind: schema.Null}}}}
	for _, doc := range set.Docs {
		if defs := doc.Root.Get("$defs"); defs != nil {
			for _, def := range defs.Members {
				set.Apply(schema.Edit{Op: schema.Patch, Definition: def.Key, Value: gone})
			}
		}
	}
}

// overlay makes the schemas those of an edition.
func overlay(set *schema.Set, e schemas.Edition, diags *diag.List) error {
	text, err := fs.ReadFile(e.Folder, differences)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the same declarations, and other rules
	}
	if err != nil {
		return err
	}
	name := path.Join(e.Version, differences)
	p := profile.Parse(name, text, diags)
	if diags.HasErrors() {
		return fmt.Errorf("%s: %v", name, diags.Sorted())
	}
	for _, edit := range p.Select("", facts.Text{}, set.Has, diags).Edits() {
		if set.Apply(edit.Edit) == 0 {
			return fmt.Errorf("%s: nothing to do", edit.Pos)
		}
	}
	return nil
}
