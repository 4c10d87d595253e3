// Custom: functions that convert values to types of the user's and back, and struct tags.

package emit

import (
	"strconv"
	"strings"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// CustomType returns a type of the user's as one of a field.
func (v view) CustomType(c *golang.Custom) golang.Type { return golang.CustomType{Custom: c} }

// CustomFunc returns a function, or a method of the type as one.
func (v view) CustomFunc(c *golang.Custom, f golang.CustomFunc) gotext.Code {
	if f.Import.Path == "" {
		return v.Type(v.CustomType(c)) + gotext.Code("."+f.Name)
	}
	return gotext.Code(f.Import.Name + "." + f.Name)
}

// custom prints a random value of a type of the user's: the result of its function for a random text.
func (r *randomizer) custom(c *golang.Custom, limits *protocol.Constraints) *Statement {
	text := r.basic(golang.String, limits)
	return r.fn("Converted").Call(Id("d"), Func().Params(r.draw()).String().Add(inline(Return(text))), Id(string(r.CustomFunc(c, c.Decode))))
}

// structTag prints the tag of a field, or nothing.
func structTag(f *golang.Field) Code {
	if len(f.Tag) == 0 {
		return Null()
	}
	pairs := make([]string, len(f.Tag))
	for i, p := range f.Tag {
		pairs[i] = p.Key + ":" + strconv.Quote(p.Value)
	}
	return Id(gotext.RawLiteral(strings.Join(pairs, " ")))
}
