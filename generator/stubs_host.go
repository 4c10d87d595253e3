// Stubs of a host: the methods of the user's type that take what a host receives. The type is the
// person's, and so is what else it has; what is generated only wires its methods into handlers.

package generator

import (
	"fmt"
	"path"
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/userfile"
)

// serverFile is the file in which the methods start out.
func serverFile(p *golang.Party) string { return p.Word + "_server.go" }

// serverOf is the side for which the user writes a type, nil if none is wanted.
func serverOf(pkg *golang.Package) *golang.Party {
	if pkg.RPC == nil {
		return nil
	}
	for _, p := range pkg.RPC.Sides {
		if p.Server != "" {
			return p
		}
	}
	return nil
}

// serverStubs lists the methods that the type has to have, in the order of the protocol.
func serverStubs(pkg *golang.Package, p *golang.Party) []userfile.Stub {
	var out []userfile.Stub
	for _, c := range p.Receives {
		kind, body := "request", "// "+unfinished+" answer it.\n"+refusal(c)
		imports := map[string]string{"context": "context", "rpc": path.Join(pkg.Wire, "rpc")}
		if c.Notification {
			kind, body = "notification", "// "+unfinished+" take it."
			delete(imports, "rpc")
		}
		doc := []string{fmt.Sprintf("%s handles the %s %s.", c.Name, kind, gotext.Literal(c.Wire))}
		if len(c.Doc) > 0 {
			doc = append(append(doc, ""), c.Doc...)
		}
		out = append(out, userfile.Stub{
			Receiver: "s *" + p.Server, Name: c.Name, Signature: handlerSignature(c), Body: body, Doc: doc,
			Imports: imports, Group: p.Server, File: serverFile(p),
		})
	}
	return out
}

// handlerSignature is that of the handler's field, with names for the parameters.
func handlerSignature(c *golang.Call) string {
	params := "ctx context.Context"
	if c.Params != nil {
		params += ", p " + payloadName(c.Params)
	}
	switch {
	case c.Notification:
		return "(" + params + ")"
	case c.Result == nil:
		return "(" + params + ") error"
	}
	return "(" + params + ") (" + payloadName(c.Result) + ", error)"
}

// payloadName is how Go writes what a method takes or returns: a pointer to a struct, or a union.
func payloadName(t golang.Type) string {
	switch t := t.(type) {
	case golang.StructType:
		return "*" + t.Name
	case golang.UnionType:
		return t.Name
	case golang.AliasType:
		if _, isStruct := golang.Underlying(t).(golang.StructType); isStruct {
			return "*" + t.Name
		}
		return t.Name
	}
	panic("generator: a method's type has no name") // refused by package golang
}

// refusal is what the peer is answered until somebody has written the method.
func refusal(c *golang.Call) string {
	if c.Result == nil {
		return "return rpc.MethodNotFound"
	}
	return "return nil, rpc.MethodNotFound"
}

// serverHeader starts the file. It declares the type if the user has not.
func serverHeader(pkg string, p *golang.Party, hand *userfile.Package) string {
	header := fileHeader(pkg, "The "+p.Word+": what it does with all that "+p.PeerA+" may send. When the protocol gains methods, ahpgen",
		"adds stubs for them; what you write here stays as it is.")
	if hand.Declares(p.Server) {
		return header
	}
	return header + fmt.Sprintf("\n// %s is %s. It is yours: give it what it needs.\ntype %s struct{}\n", p.Server, p.A, p.Server)
}

// checkServer reports that nothing declares the type although the file is there, which ahpgen never
// changes: the package would not compile.
func checkServer(p *golang.Party, hand *userfile.Package, dir string) []diag.Diagnostic {
	if !hand.Has(serverFile(p)) || hand.Declares(p.Server) {
		return nil
	}
	return []diag.Diagnostic{diag.Errorf(diag.Pos{File: path.Join(dir, serverFile(p))}, "missing-type", fmt.Sprintf("declare it: type %s struct{}", p.Server),
		"%s is not declared", p.Server)}
}

// handlerShape is how the signature of every handler with parameters looks.
var handlerShape = regexp.MustCompile(`^\((?:\w+ )?\w+\.Context, (?:\w+ )?\*\w+\)(?: error| \(\*?\w+, error\))?$`)

// retiredHandler reports whether a method looks like one that takes what a host receives. That
// nobody wants it then means that its method is gone from the protocol.
func retiredHandler(p *golang.Party, receiver, name, signature string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return p != nil && receiver == p.Server && unicode.IsUpper(first) && handlerShape.MatchString(signature)
}
