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

// customs prints the functions that read and append values of the user's types.
func (e *emitter) customs(f *jenFile) {
	for _, c := range e.pkg.Customs {
		t := e.goType(golang.CustomType{Custom: c})
		read, item := "ConvertRaw", "JSONItem"
		if c.Text {
			read, item = "ConvertText", "TextItem"
		}
		if c.EncodeFails {
			item = "Try" + item
		}
		f.add(nil, Func().Id(c.Reader).Params(e.decoderParam()).Add(t).
			Add(inline(Return(e.codec(read).Call(Id("d"), e.customFunc(c, c.Decode))))))
		f.add(nil, Func().Id(c.Appender).Params(append([]Code{Id("v").Add(t)}, e.encodeParams()...)...).Index().Byte().
			Add(inline(Return(e.codec(item).Call(Id("v"), Id("dst"), Id("e"), e.customFunc(c, c.Encode))))))
	}
}

// customFunc prints a function, or a method of the type as one.
func (e *emitter) customFunc(c *golang.Custom, f golang.CustomFunc) *Statement {
	if f.Import.Path == "" {
		return e.goType(golang.CustomType{Custom: c}).Dot(f.Name)
	}
	return Id(f.Import.Name + "." + f.Name)
}

// custom prints a random value of a type of the user's: one that its function makes of a random text.
func (r *randomizer) custom(c *golang.Custom, limits *protocol.Constraints) *Statement {
	text := r.basic(golang.String, limits)
	return r.fn("Converted").Call(Id("d"), Func().Params(r.draw()).String().Add(inline(Return(text))), r.customFunc(c, c.Decode))
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
