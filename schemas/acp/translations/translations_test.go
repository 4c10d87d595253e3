// Tests of single functions.

package translations

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		name     string
		f        translate.Func
		in, want string
	}{
		{"variables", lowerEnvironment, `{"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"A","value":"3"}]}`, `{"env":{"A":"3","B":"2"}}`},
		{"no variables", lowerEnvironment, `{"name":"n"}`, `{"name":"n"}`},
		{"a map", liftEnvironment, `{"env":{"A":"1","B":""}}`, `{"env":[{"name":"A","value":"1"},{"name":"B","value":""}]}`},
		{"an empty map", liftEnvironment, `{"env":{}}`, `{"env":[]}`},
		{"a terminal", lowerTerminal, `{"terminal":{}}`, `{"terminal":true}`},
		{"null for a terminal", lowerTerminal, `{"terminal":null}`, `{"terminal":false}`},
		{"no terminal", lowerTerminal, `{}`, `{}`},
		{"yes", liftTerminal, `{"terminal":true}`, `{"terminal":{}}`},
		{"no", liftTerminal, `{"terminal":false}`, `{}`},
		{"no map", liftEnvironment, `{"name":"n"}`, `{"name":"n"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := translate.Parse([]byte(c.in))
			require.NoError(t, err)
			require.NoError(t, c.f(o, &translate.Context{}))
			require.JSONEq(t, c.want, string(o.JSON()))
		})
	}
}
