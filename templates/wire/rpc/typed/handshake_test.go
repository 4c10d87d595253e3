package typed

import (
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

func TestRefusedOfferIsAnswered(t *testing.T) {
	refuse := func(reason string) (*rpc.Error, error) { return rpc.NewError(rpc.MethodNotFound, reason, nil) }
	for _, c := range []struct {
		name               string
		offered, supported []string
		want               string
	}{
		{"nothing fits", []string{"0.8.0"}, []string{"0.7.0"}, "no common version (-32601)"},
		{"nothing fits, and something is malformed", []string{"0.8.0", "next"}, []string{"0.7.0"},
			`no common version; versions[1]: version "next" is not of the form MAJOR.MINOR.PATCH (-32601)`},
		{"all is malformed", []string{"next"}, []string{"0.7.0"}, `params: versions[0]: version "next" is not of the form MAJOR.MINOR.PATCH (-32602)`},
		{"the host's own list is malformed", []string{"0.7.0"}, []string{"7"}, `supported: version "7" is not of the form MAJOR.MINOR.PATCH`},
	} {
		version, err := Negotiate(spec.Numbers, c.offered, c.supported, "versions", refuse)
		check(t, version, "", c.name)
		check(t, text(err), c.want, c.name)
	}
	version, err := Negotiate(spec.Numbers, []string{"next", "0.7.1"}, []string{"0.7.0"}, "versions", refuse)
	check(t, version, "0.7.1")
	check(t, err, error(nil))
}
