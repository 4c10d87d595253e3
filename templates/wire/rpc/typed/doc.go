// Package typed sends and handles messages with typed parameters and results. Generated packages are made of it; programs
// call their methods and package rpc.
package typed

import (
	"errors"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

var errNil = errors.New("missing: the value is nil")

func invalidParams(reason string) *rpc.Error {
	return &rpc.Error{Code: int64(rpc.InvalidParams), Message: "params: " + reason}
}
