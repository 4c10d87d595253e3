// Package inside opens a few internal packages of the generator to the command and to the tests in
// golden/, which lie outside of generator/. It is no part of the public API: its names may change or
// go away in any release.
package inside

import (
	"github.com/ahpgen/ahpgen/generator/internal/apply"
	"github.com/ahpgen/ahpgen/generator/internal/behave"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/example"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/internal/translation"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Schemas as they are written: nodes of JSON with positions, and the definitions in them.
//
//nolint:revive // one comment for all
type (
	Node       = schema.Node
	Member     = schema.Member
	Set        = schema.Set
	Definition = schema.Definition
	Schema     = schema.Schema
	Options    = schema.Options
	Mark       = schema.Mark
	Meaning    = schema.Meaning
	Text       = schema.Text
)

// The kinds of nodes.
const (
	Null   = schema.Null
	Bool   = schema.Bool
	Number = schema.Number
	String = schema.String
	Array  = schema.Array
	Object = schema.Object
)

// Functions of package schema.
var (
	Load         = schema.Load
	ParseJSON    = schema.ParseJSON
	NewValidator = schema.NewValidator
)

// Writer is a terminal or file on which control characters are shown rather than obeyed.
type Writer = visible.Writer

// Functions of package visible: text of others as a person may look at it.
var (
	VisibleLine = visible.Line
	VisibleName = visible.Name
	VisibleCut  = visible.Cut
	HasControl  = visible.HasControl
)

// Nearest is that of package similar.
var Nearest = similar.Nearest

// WriteFile replaces a regular file, so that readers find its old content or the new one.
var WriteFile = disk.WriteFile

// WriteSecret is WriteFile for what only the owner may read.
var WriteSecret = disk.WriteSecret

// LockError is returned by Lock if another process holds the lock of a folder.
type LockError = apply.LockError

// Lock locks folders, as every run does that writes to them.
var Lock = apply.Lock

// Functions of package behave: states as decoded JSON, and the application of actions to them.
var (
	DecodeState = behave.Decode
	ApplyAction = behave.Apply
	SampleState = behave.Sample
	CloneState  = behave.Clone
	StateParts  = behave.Changed
)

// StatePart is a part of a state that an action changes.
type StatePart = behave.Part

// PageFrame is what is around the content of a page, and SinglePage makes a page of one file.
type PageFrame = page.Frame

// SinglePage is Single of package page.
var SinglePage = page.Single

// GoPattern is that of package golang.
var GoPattern = golang.GoPattern

// Derive is that of package translation, and Translation a fact for it.
var Derive = translation.Derive

// Translation is what a profile states about a difference between versions.
type Translation = facts.Translation

// Example returns an example of a type as JSON.
func Example(p *protocol.Protocol, t protocol.Type) string { return example.New(p).Of(t).JSON() }

// Examples returns a function that returns an example of a type as JSON, "" if the type has no finite value.
func Examples(p *protocol.Protocol) func(protocol.Type) string {
	m := example.New(p)
	return func(t protocol.Type) string {
		if v := m.Of(t); v != nil {
			return v.JSON()
		}
		return ""
	}
}
