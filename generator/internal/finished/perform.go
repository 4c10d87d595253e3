// Perform: finished reducers applied to states as JSON, without a compiler. The part of Go that reducers are written in is
// interpreted; where one goes beyond that, its result is not known.

package finished

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Performer applies the finished reducers of a version. Objects are map[string]any, lists []any, integers int64; a pointer
// is what it points to, or nil.
type Performer struct {
	set     *Set
	at      version.Version
	structs map[string]*protocol.Struct // by folded name
	types   map[string]bool             // all declared ones, folded
	consts  map[string]any              // values of enums, by folded name
	wire    map[string]string           // members by folded name, "" where several fold alike
	left    int                         // steps before a run is given up
}

// maxSteps bounds what one run of a reducer may take.
const maxSteps = 500_000

// Perform returns what applies the reducers that follow the rules of a version to its states.
func (s *Set) Perform(p *protocol.Protocol) *Performer {
	m := &Performer{set: s, structs: map[string]*protocol.Struct{}, types: map[string]bool{}, consts: map[string]any{}, wire: map[string]string{}}
	m.at = s.version(p.Version)
	for _, t := range p.Types {
		name := fold(t.Head().Name)
		m.types[name] = true
		switch t := t.(type) {
		case *protocol.Struct:
			m.structs[name] = t
			for _, f := range t.Fields {
				for _, name := range []string{fold(f.Name), fold(f.GoName)} {
					if other, ok := m.wire[name]; ok && other != f.Name {
						m.wire[name] = ""
					} else {
						m.wire[name] = f.Name
					}
				}
			}
		case *protocol.Enum:
			for _, v := range t.Members {
				m.consts[name+fold(v.Value.String())] = v.Value.Plain()
				m.consts[name+fold(v.Name)] = v.Value.Plain()
			}
		}
	}
	return m
}

// beyond is what is not interpreted.
type beyond string

// Apply applies the reducer for a type of actions to a state, both its own to change. It reports whether the result is known.
func (m *Performer) Apply(tag string, state, action map[string]any) (next map[string]any, known bool) {
	defer func() {
		if recover() != nil { // beyond, or what Go would not have compiled: both mean that it is not known
			next, known = nil, false
		}
	}()
	m.left = maxSteps
	for _, u := range m.set.order {
		if fn, ok := u.decl.(*ast.FuncDecl); ok && u.reducer != "" && u.tag == fold(tag) && u.versions.Holds(m.at) && m.takes(fn, action) {
			next, known = m.call(fn, receiver{}, []any{state, action})[0].(map[string]any)
			return next, known
		}
	}
	return nil, false
}

// takes reports whether an action is of the type that a reducer is for. Several types may have one tag.
func (m *Performer) takes(fn *ast.FuncDecl, action map[string]any) bool {
	s := m.structs[fold(pointee(fn.Type.Params.List[1].Type))]
	if s == nil {
		return true
	}
	is, told := s.Describes(action)
	return is || !told
}

// receiver is the reducer on which methods are called.
type receiver struct{}

type function func(args []any) []any

type scope struct {
	vars map[string]any
	up   *scope
}

func (s *scope) inner() *scope { return &scope{map[string]any{}, s} }

// holder returns the scope that has a variable, or nil.
func (s *scope) holder(name string) *scope {
	for ; s != nil; s = s.up {
		if _, ok := s.vars[name]; ok {
			return s
		}
	}
	return nil
}

// call runs a declared function. Structs that are passed as values are copied.
func (m *Performer) call(fn *ast.FuncDecl, of any, args []any) []any {
	sc := (*scope)(nil).inner()
	if fn.Recv != nil && len(fn.Recv.List[0].Names) > 0 {
		sc.vars[fn.Recv.List[0].Names[0].Name] = of
	}
	return m.body(fn.Type, fn.Body, sc, args)
}

func (m *Performer) body(typ *ast.FuncType, body *ast.BlockStmt, sc *scope, args []any) []any {
	for _, p := range typ.Params.List {
		if _, many := p.Type.(*ast.Ellipsis); many {
			panic(beyond("variadic function"))
		}
		for _, name := range p.Names {
			arg := args[0]
			if _, pointer := p.Type.(*ast.StarExpr); !pointer && !m.isUnion(p.Type) {
				arg = copied(arg)
			}
			sc.vars[name.Name], args = arg, args[1:]
		}
		if len(p.Names) == 0 {
			args = args[1:]
		}
	}
	_, out := m.block(body.List, sc)
	return out
}

// isUnion reports whether a type is declared and no struct: its values are pointers.
func (m *Performer) isUnion(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && m.types[fold(id.Name)] && m.structs[fold(id.Name)] == nil
}

// isText reports whether a name is that of the variant of a union that is a text.
func (m *Performer) isText(name string) bool {
	union, ok := strings.CutSuffix(name, "String")
	return ok && m.isUnion(&ast.Ident{Name: union}) && m.set.units[name] == nil
}

// copied returns a copy of an object, and anything else as it is.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return maps.Clone(v)
	case *local:
		return v.clone()
	}
	return v
}

// unit returns a declaration of the sources that holds in the version.
func (m *Performer) unit(name string) *unit {
	u := m.set.units[name]
	if u != nil && !u.versions.Holds(m.at) {
		panic(beyond(name + " is for other versions"))
	}
	return u
}

// member returns what a member is called on the wire.
func (m *Performer) member(name string) string {
	wire := m.wire[fold(name)]
	if wire == "" {
		panic(beyond("member " + name))
	}
	return wire
}

// zero returns the zero value of a type.
func (m *Performer) zero(typ ast.Expr) any {
	id, ok := typ.(*ast.Ident)
	if !ok {
		return nil
	}
	switch id.Name {
	case "string":
		return ""
	case "bool":
		return false
	case "int", "int64", "uint64":
		return int64(0)
	}
	if s := m.structs[fold(id.Name)]; s != nil {
		return newObject(s)
	}
	if m.isUnion(typ) {
		return nil
	}
	if v, ok := m.zeroLocal(typ); ok {
		return v
	}
	panic(beyond("zero of " + id.Name))
}

// newObject returns an object with the constants of a struct and zero values for what it requires.
func newObject(s *protocol.Struct) map[string]any {
	out := map[string]any{}
	for _, f := range s.Fields {
		switch e := protocol.Underlying(f.Type).(type) {
		case protocol.Scalar:
			if f.Required {
				out[f.Name] = map[protocol.Scalar]any{protocol.String: "", protocol.Bool: false, protocol.Integer: int64(0)}[e]
			}
		case protocol.List:
			if f.Required {
				out[f.Name] = []any{}
			}
		case protocol.Ref:
			if enum, ok := e.Type.(*protocol.Enum); ok && f.Required {
				out[f.Name] = map[bool]any{true: "", false: int64(0)}[enum.Kind == protocol.String]
			}
		}
		if f.Const != nil {
			out[f.Name] = f.Const.Plain()
		}
	}
	return out
}

// matches reports whether a value is of the type in an assertion.
func (m *Performer) matches(v any, typ ast.Expr) bool {
	if id, ok := typ.(*ast.Ident); ok && id.Name == "nil" {
		return v == nil
	}
	if id, ok := typ.(*ast.Ident); ok && m.isText(id.Name) {
		_, is := v.(string)
		return is
	}
	star, ok := typ.(*ast.StarExpr)
	if !ok {
		panic(beyond("assertion"))
	}
	if v == nil {
		return false
	}
	if s := m.structs[fold(pointee(star))]; s != nil {
		is, told := s.Describes(v)
		if !told {
			panic(beyond("variant without a tag"))
		}
		return is
	}
	for _, s := range m.structs { // an unknown variant is none of the known ones
		if is, told := s.Describes(v); is && told {
			return false
		}
	}
	panic(beyond("unknown variant"))
}

// literal returns the value of a constant in the source.
func literal(e *ast.BasicLit) any {
	switch e.Kind {
	case token.INT:
		n, err := strconv.ParseInt(e.Value, 0, 64)
		if err == nil {
			return n
		}
	case token.STRING:
		text, err := strconv.Unquote(e.Value)
		if err == nil {
			return text
		}
	}
	panic(beyond(fmt.Sprintf("literal %s", e.Value)))
}
