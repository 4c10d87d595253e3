// Server: what wires a type of the user's into handlers.

package emit

import (
	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// server prints the one method of the user's type that is not theirs.
func (e *emitter) server(f *jenFile) {
	if e.pkg.RPC == nil {
		return
	}
	for _, p := range e.pkg.RPC.Sides {
		if p.Server == "" {
			continue
		}
		fields := make([]Code, len(p.Receives))
		for i, c := range p.Receives {
			fields[i] = Id(c.Name).Op(":").Id("s").Dot(c.Name)
		}
		f.add([]string{
			golang.HandlersMethod + " returns handlers that call the methods of s. What else there is to set, such as OnPanic, is nil.",
		}, Func().Params(Id("s").Op("*").Id(p.Server)).Id(golang.HandlersMethod).Params().Op("*").Id(p.Handlers).Block(
			Return(Op("&").Id(p.Handlers).Custom(Options{Open: "{", Close: "}", Separator: ",", Multi: true}, fields...)),
		))
	}
}
