package record

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValuesAreRedacted(t *testing.T) {
	for _, c := range []struct {
		name, paths, in, want string
		framing               Framing
	}{
		{"a member", "params.token", `{"params" : {"token": "s" , "b":1}}` + "\n", `{"params" : {"token": "[redacted]" , "b":1}}` + "\n", Lines},
		{"an object", "a", `{"a":{"b":[1]},"c":"é"}` + "\n", `{"a":"[redacted]","c":"é"}` + "\n", Lines},
		{"anywhere", "**.key", `{"key":1,"a":[{"key":2},[{"x":{"key":null}}]],"keys":3}` + "\n", `{"key":"[redacted]","a":[{"key":"[redacted]"},[{"x":{"key":"[redacted]"}}]],"keys":3}` + "\n", Lines},
		{"any item", "a.*.b", `{"a":[{"b":1},{"b":2,"c":3}]}` + "\n", `{"a":[{"b":"[redacted]"},{"b":"[redacted]","c":3}]}` + "\n", Lines},
		{"an item", "a.1", `{"a":[1, 2 ,3]}` + "\n", `{"a":[1, "[redacted]" ,3]}` + "\n", Lines},
		{"nothing", "b", `{ "a":1}` + "\r\n", `{ "a":1}` + "\r\n", Lines},
		{"a header", "a", "Content-Length: 7\r\n\r\n{\"a\":1}", "Content-Length: 18\r\n\r\n{\"a\":\"[redacted]\"}", Headers},
		{"no JSON", "a", "token=secret\n", "\"[redacted]\"\n", Lines},
		{"an empty line", "a", "\n", "\n", Lines},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := NewRedactor(c.framing, []string{c.paths})
			require.NoError(t, err)
			require.Equal(t, c.want, string(r.Entry(&Entry{Data: []byte(c.in)}).Data))
		})
	}
	r, err := NewRedactor(Lines, []string{"a"})
	require.NoError(t, err)
	require.Equal(t, "\"[redacted]\"\n", string(r.Entry(&Entry{Data: []byte(`{"a":`), Cut: true, More: true}).Data))
	for _, bad := range []string{"", "a..b", "a.**"} {
		_, err := NewRedactor(Lines, []string{bad})
		require.Error(t, err)
	}
}
