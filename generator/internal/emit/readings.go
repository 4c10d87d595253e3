// Readings: accessors that return a field's default or parsed value.

package emit

import (
	"encoding/json"
	"strings"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// members prints the methods of structs that read their members.
func (e *emitter) members(f *jenFile) {
	for _, s := range e.pkg.Structs {
		f.at = s.Pos
		e.readings(f, s)
		if s.Keeps {
			f.add([]string{"Undeclared returns the members that v came with and has no field for, nil if there are none."},
				Func().Params(Id("v").Op("*").Id(s.Name)).Id("Undeclared").Params().Map(String()).Id("json.RawMessage").
					Add(inline(Return(Id("v").Dot(restField).Dot("Members").Call()))))
		}
	}
}

// readings prints accessors for defaults and parsed texts.
func (e *emitter) readings(f *jenFile, s *golang.Struct) {
	method := func(doc, name string, result, body Code) {
		f.add(comment(doc), Func().Params(Id("v").Op("*").Id(s.Name)).Id(name).Params().Add(result).Add(inline(Return(body))))
	}
	for _, field := range s.Fields {
		if field.DefaultName != "" {
			method(field.DefaultName+" returns "+field.Name+", or what the protocol means where it is left out.", field.DefaultName, e.goType(field.Type), e.orDefault(field))
		}
		if field.ReadingName == "" {
			continue
		}
		switch field.Reading {
		case protocol.Base64:
			method(field.ReadingName+" returns the bytes that "+field.Name+" stands for, none where it is left out.", field.ReadingName,
				Params(Index().Byte(), Error()), e.codec("Base64").Call(e.textOf(field)))
		case protocol.DateTime:
			method(field.ReadingName+" returns the time that "+field.Name+" stands for, the zero time where it is left out.", field.ReadingName,
				Params(Id("time.Time"), Error()), e.codec("Time").Call(e.textOf(field)))
		case protocol.Milliseconds, protocol.Seconds:
			method(field.ReadingName+" returns how long "+field.Name+" says, 0 where it is left out.", field.ReadingName,
				Id("time.Duration"), e.codec("Span").Call(e.pointerTo(field), unitOf(field)))
		case protocol.MillisecondsSince1970, protocol.SecondsSince1970:
			method(field.ReadingName+" returns the time that "+field.Name+" stands for, the zero time where it is left out.", field.ReadingName,
				Id("time.Time"), e.codec("Moment").Call(e.pointerTo(field), unitOf(field)))
		}
	}
}

// unitOf returns the unit of a number.
func unitOf(f *golang.Field) *Statement {
	if f.Reading == protocol.Seconds || f.Reading == protocol.SecondsSince1970 {
		return Id("time.Second")
	}
	return Id("time.Millisecond")
}

// pointerTo prints a pointer to a field's value, which is nil if absent.
func (e *emitter) pointerTo(f *golang.Field) *Statement {
	v := Id("v").Dot(f.Name)
	switch {
	case f.Presence == golang.Maybe:
		return e.codec("Present").Call(v)
	case f.Pointer:
		return v
	}
	return Op("&").Add(v)
}

// textOf prints the text of a field, which is "" if absent.
func (e *emitter) textOf(f *golang.Field) *Statement {
	v := Id("v").Dot(f.Name)
	switch {
	case f.Presence == golang.Maybe:
		return e.codec("OrZero").Call(v)
	case f.Pointer:
		return e.codec("Or").Call(v, Lit(""))
	}
	return v
}

// orDefault prints the value of a field or its default.
func (e *emitter) orDefault(f *golang.Field) *Statement {
	v := Id("v").Dot(f.Name)
	switch t := golang.Underlying(f.Type).(type) {
	case golang.Basic:
		if value := constant(f.Default); value != nil && f.Pointer {
			return e.codec("Or").Call(v, value)
		}
	case golang.EnumType:
		if value := constant(f.Default); value != nil {
			return e.codec("Or").Call(v, value)
		}
	case golang.CustomType:
		return e.codec("OrDecoded").Call(v, raw(f.Default), e.readFunc(t))
	case golang.StructType:
		return e.codec("OrStruct").Call(v, raw(f.Default))
	default:
		return e.codec("OrRead").Call(v.Clone().Op("!=").Nil(), v, raw(f.Default), e.readFunc(t))
	}
	if f.Pointer {
		return e.codec("OrDecoded").Call(v, raw(f.Default), e.readFunc(f.Type))
	}
	return e.codec("OrRead").Call(v.Clone().Op("!=").Nil(), v, raw(f.Default), e.readFunc(f.Type))
}

// constant returns a default as a Go constant, or nil if it is none.
func constant(stated string) Code {
	var v any
	d := json.NewDecoder(strings.NewReader(stated))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	switch v := v.(type) {
	case string:
		return text(v)
	case bool:
		return Lit(v)
	}
	return nil // a number is converted to the type and range of its field
}
