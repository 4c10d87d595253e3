// Fields: struct fields with presence and accessors.

package golang

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (b *builder) fields() {
	for _, t := range b.types {
		b.Working(t.Head().Pos)
		in, ok := t.(*protocol.Struct)
		if !ok {
			continue
		}
		s := b.StructOf(in)
		own := newScope(b.opts)
		own.had = b.scope.had
		for _, method := range b.methodsOfTypes() {
			own.add(method, "a method of every type", "", diag.Pos{})
		}
		for _, f := range in.Fields {
			if f.Const != nil {
				s.Consts = append(s.Consts, Const{Wire: f.Name, Value: *f.Const, Optional: !f.Required})
				continue
			}
			field := &Field{Name: b.fieldName(in, f), Wire: f.Name, Type: b.typ(f.Type)}
			b.customField(in, f, field)
			b.recordMember(in.Name, f.Name, field.Name)
			if !gotext.IsExported(field.Name) {
				b.Errorf(f.Pos, "bad-name", "names start with an upper-case letter and hold letters and digits only", "%q cannot be a Go field name", field.Name)
			}
			field.Presence, field.Pointer = presence(f, field.Type)
			field.beLenient(f.Lenience)
			field.Filled = b.filled(f, field)
			for _, v := range f.Values {
				field.Values = append(field.Values, v.Str)
			}
			own.add(field.Name, "member "+f.Name+" of "+in.Name, in.Name+"."+f.Name, f.Pos)
			b.readings(field, f)
			s.Fields = append(s.Fields, field)
			b.fieldOf[f] = field
		}
		for _, f := range s.Fields { // a member may have this name
			f.DefaultName, f.ReadingName = own.method(f.DefaultName), own.method(f.ReadingName)
		}
		for _, c := range in.Choices {
			choice := &Choice{Name: cmp.Or(c.GoName, b.namer.exported(c.Name)), Key: c.Key(), Union: b.UnionOf(c.Type)}
			choice.Union.Beside = true
			own.add(choice.Name, "the alternatives of "+in.Name, in.Name+"."+c.Name, c.Pos)
			s.Choices = append(s.Choices, choice)
		}
		if s.Keeps = b.in.Keeps; s.Keeps {
			own.add("Undeclared", "the undeclared members of "+in.Name, "", in.Pos)
		}
		if in.Extra != nil {
			s.Extra = b.customized(in.Name+".value", in.Extra, b.typ(in.Extra), in.ExtraLimits, in.Pos)
			own.add("Extra", "the undeclared members of "+in.Name, "", in.Pos)
		}
		b.Add(own.clashes()...)
	}
}

// filled returns the constant that stands for the empty text, if that is no value of a required enum which has a default.
func (b *builder) filled(f *protocol.Field, field *Field) string {
	t, isEnum := Underlying(field.Type).(EnumType)
	if !isEnum || !t.Named || field.Presence != Required || field.Lenient || len(f.Values) > 0 || f.Default == "" {
		return ""
	}
	value := protocol.Value{Kind: protocol.String}
	if json.Unmarshal([]byte(f.Default), &value.Str) != nil {
		return ""
	}
	return b.constant(t.Enum, value)
}

// readings names the accessors for defaults and parsed values.
func (b *builder) readings(field *Field, f *protocol.Field) {
	if f.Default != "" && field.Presence == Optional {
		field.Default, field.DefaultName = f.Default, field.Name+"OrDefault"
	}
	if HasCustom(field.Type) {
		return // it is read by the type
	}
	switch field.Reading = f.Reading; f.Reading {
	case protocol.Base64:
		field.ReadingName = field.Name + "Bytes"
	case protocol.DateTime, protocol.MillisecondsSince1970, protocol.SecondsSince1970:
		field.ReadingName = field.Name + "Time"
	case protocol.Milliseconds, protocol.Seconds:
		field.ReadingName = field.Name + "Duration"
	}
}

func presence(f *protocol.Field, t Type) (Presence, bool) {
	raw := Underlying(t) == Raw // any JSON value: null is a value, absent is nil
	switch {
	case f.Required && f.Nullable && !raw:
		return Nullable, !HasNil(t)
	case f.Required:
		return Required, false
	case f.Nullable && !raw:
		return Maybe, false
	}
	return Optional, !HasNil(t)
}

// typeMethods are the methods of every struct.
var typeMethods = []string{"AppendJSON", "MarshalJSON", "UnmarshalJSON", "DecodeJSON", "EncodeJSON"}

func (b *builder) methodsOfTypes() []string {
	if wantedParts(b.opts.Parts)[PartValidate] {
		return append(slices.Clone(typeMethods), "Validate")
	}
	return typeMethods
}
