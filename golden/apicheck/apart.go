// Declarations set apart, so that apidiff compares each by itself.
//
// apidiff lets an old type correspond to the first new one that it meets in the place of the old one, and meets the
// members of a struct in no order. If a type went that stood in several places, or stands for something else now, the
// number of its messages would differ between runs. But it follows a type into its members only if the type is of the
// compared package, and takes types of other packages for the same if they have the same name. So the types that are
// compared are of a package of their own here, and what their members refer to is of another one. Then a type
// corresponds to that of its name and to nothing else, as programs see it, which know types by their names.

package apicheck

import (
	"go/token"
	"go/types"
)

// apart returns a package with copies of the declarations of another, each type being distinct and referring to the
// originals. The packages have no path, which would appear in messages.
func apart(pkg *types.Package) *types.Package {
	alone := types.NewPackage(pkg.Path(), pkg.Name())
	for _, name := range pkg.Scope().Names() {
		alone.Scope().Insert(declaration(alone, pkg.Scope().Lookup(name)))
	}
	return alone
}

// declaration copies an object into the package. A type is copied with its contents and methods.
func declaration(pkg *types.Package, obj types.Object) types.Object {
	name, ok := obj.(*types.TypeName)
	if !ok || name.IsAlias() {
		return obj
	}
	declared := name.Type().(*types.Named)
	named := types.NewNamed(types.NewTypeName(token.NoPos, pkg, name.Name(), nil), declared.Underlying(), nil)
	named.SetTypeParams(parameters(pkg, declared.TypeParams()))
	for m := range declared.Methods() {
		named.AddMethod(types.NewFunc(token.NoPos, pkg, m.Name(), method(pkg, named, m.Signature())))
	}
	return named.Obj()
}

// method copies a method's signature for another receiver type.
func method(pkg *types.Package, named *types.Named, of *types.Signature) *types.Signature {
	var receiver types.Type = named
	if _, ok := of.Recv().Type().(*types.Pointer); ok {
		receiver = types.NewPointer(named)
	}
	return types.NewSignatureType(types.NewVar(token.NoPos, pkg, "", receiver), nil, nil,
		of.Params(), of.Results(), of.Variadic())
}

// parameters copies type parameters. References to the old ones may remain, since apidiff matches them by index.
func parameters(pkg *types.Package, list *types.TypeParamList) []*types.TypeParam {
	var params []*types.TypeParam
	for p := range list.TypeParams() {
		name := types.NewTypeName(token.NoPos, pkg, p.Obj().Name(), nil)
		params = append(params, types.NewTypeParam(name, p.Constraint()))
	}
	return params
}
