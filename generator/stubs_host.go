// Stubs of a host: methods of a user-defined type that handle what a host receives. Only their wiring into handlers
// is generated.

package generator

import (
	"fmt"
	"path"
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/userfile"
)

// serverFile returns the initial file of these methods.
func serverFile(p *golang.Party) string { return p.Word + "_server.go" }

// serverOf returns the side that a skeleton is wanted for, or nil.
func serverOf(pkg *golang.Package) *golang.Party {
	if pkg.RPC == nil {
		return nil
	}
	return each.First(pkg.RPC.Sides, func(p *golang.Party) bool { return p.Server != "" })
}

// serverStubs returns the methods the type must have, in protocol order.
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

// handlerSignature returns the signature of a handler with parameter names.
func handlerSignature(c *golang.Call) string {
	params := "ctx context.Context"
	if c.Params != nil {
		params += ", p " + payloadName(c.Params)
	}
	switch {
	case c.Stream:
		return "(" + params + ", send func(" + resultName(c) + ") error) error"
	case c.Notification:
		return "(" + params + ")"
	case c.Result == nil:
		return "(" + params + ") error"
	}
	return "(" + params + ") (" + resultName(c) + ", error)"
}

// resultName returns the Go type of a result, which is a pointer if it may be null and has no nil.
func resultName(c *golang.Call) string {
	if c.ByPointer() {
		return "*" + payloadName(c.Result)
	}
	return payloadName(c.Result)
}

// payloadName returns the Go type of parameters or results: a pointer to a struct, or a union.
func payloadName(t golang.Type) string {
	if _, isStruct := golang.Underlying(t).(golang.StructType); isStruct {
		return "*" + golang.TypeText(t)
	}
	return golang.TypeText(t)
}

// refusal returns the answer until the method is implemented.
func refusal(c *golang.Call) string {
	if c.Result == nil || c.Stream {
		return "return rpc.MethodNotFound"
	}
	if c.NullResult {
		return "return nil, rpc.MethodNotFound"
	}
	return "return " + golang.Zero(c.Result) + ", rpc.MethodNotFound"
}

// serverHeader returns the beginning of the file, with the type unless it exists.
func serverHeader(pkg string, p *golang.Party, hand *userfile.Package) string {
	header := fileHeader(pkg, "The "+p.Word+": what it does with all that "+p.PeerA+" may send. When the protocol gains methods, ahpgen",
		"adds stubs for them; what you write here stays as it is.")
	if hand.Declares(p.Server) {
		return header
	}
	return header + fmt.Sprintf("\n// %s is %s. It is yours: give it what it needs.\ntype %s struct{}\n", p.Server, p.A, p.Server)
}

// checkServer reports a missing type if the file exists, since the package would not compile.
func checkServer(p *golang.Party, hand *userfile.Package, dir string) []diag.Diagnostic {
	if !hand.Has(serverFile(p)) || hand.Declares(p.Server) {
		return nil
	}
	return []diag.Diagnostic{diag.Errorf(diag.Pos{File: path.Join(dir, serverFile(p))}, "missing-type", fmt.Sprintf("declare it: type %s struct{}", p.Server),
		"%s is not declared", p.Server)}
}

// handlerShape matches the signature of a handler with parameters.
var handlerShape = regexp.MustCompile(`^\((?:\w+ )?\w+\.Context, (?:\w+ )?\*\w+\)(?: error| \(\*?\w+, error\))?$`)

// retiredHandler reports whether an unwanted method looks like a handler, so that its protocol method must be gone.
func retiredHandler(p *golang.Party, receiver, name, signature string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return p != nil && receiver == p.Server && unicode.IsUpper(first) && handlerShape.MatchString(signature)
}
