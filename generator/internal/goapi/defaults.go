// Defaults: the methods that return the value of a field, or what it stands for where it is absent.

package goapi

import (
	"fmt"

	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// defaulted adds to a result what a change of a default does to the method for it.
func defaulted(r result, os, ns *golang.Struct, of, nf *golang.Field) result {
	switch {
	case of.DefaultName == "" && nf.DefaultName == "":
	case of.DefaultName == "":
		r.effect = verdict.GoAdditive
		r.todo = fmt.Sprintf("%s.%s returns it", ns.Name, nf.DefaultName)
	case nf.DefaultName == "":
		r.effect = verdict.GoBreak
		r.todo = fmt.Sprintf("stop using %s.%s", os.Name, of.DefaultName)
	default:
		r.todo = fmt.Sprintf("%s.%s returns another value", ns.Name, nf.DefaultName)
	}
	return r
}
