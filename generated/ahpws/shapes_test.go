// Every method of the protocol goes over the wire: parameters and results arrive as they were sent.

package ahpws_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/ahpws"
)

// variants are members of unions, which have no zero value to send.
var variants = []any{
	ahp.NewSessionTitleChangedAction("Title"),
	ahp.NewTerminalClientClaim("me"),
	&ahp.ReconnectReplayResult{Actions: []ahp.ActionEnvelope{}, Missing: []string{}},
}

// sample makes a value of a type: its zero value, with variants for unions and empty lists and maps.
func sample(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Interface:
		for _, variant := range variants {
			if reflect.TypeOf(variant).Implements(t) {
				v.Set(reflect.ValueOf(variant))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		if t.Elem().Kind() == reflect.Struct {
			v.Elem().Set(sample(t.Elem()))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && f.Type.Kind() == reflect.Interface {
				v.Field(i).Set(sample(f.Type))
			}
		}
	}
	return v
}

// record makes handlers of which each notes the parameters it got and answers with a sample.
func record(handlers any, got chan<- any) {
	v := reflect.ValueOf(handlers).Elem()
	for i := range v.NumField() {
		typ := v.Field(i).Type()
		if typ.Kind() != reflect.Func || typ.NumIn() != 2 {
			continue // a hook
		}
		v.Field(i).Set(reflect.MakeFunc(typ, func(in []reflect.Value) (out []reflect.Value) {
			got <- in[1].Interface()
			for k := range typ.NumOut() {
				if typ.Out(k) == reflect.TypeFor[error]() {
					out = append(out, reflect.Zero(typ.Out(k)))
				} else {
					out = append(out, sample(typ.Out(k)))
				}
			}
			return out
		}))
	}
}

// exchange calls every method of an end that the peer's handlers have a field for.
func exchange(t *testing.T, end, handlers any, got <-chan any) (calls int) {
	v := reflect.ValueOf(handlers).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		method := reflect.ValueOf(end).MethodByName(name)
		if name == "Initialize" || v.Field(i).Type().NumIn() != 2 {
			continue // a version has to be agreed on: see the handshake
		}
		require.True(t, method.IsValid(), name)
		params := sample(method.Type().In(1))
		results := method.Call([]reflect.Value{reflect.ValueOf(t.Context()), params})
		require.Nil(t, results[len(results)-1].Interface(), name)
		require.Equal(t, encoded(t, params.Interface()), encoded(t, soon(t, got)), name)
		if len(results) == 2 {
			require.Equal(t, encoded(t, sample(method.Type().Out(0)).Interface()), encoded(t, results[0].Interface()), name)
		}
		calls++
	}
	return calls
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	data, err := v.(ahp.JSONAppender).AppendJSON(nil)
	require.NoError(t, err)
	return string(data)
}

func TestEveryMethodCrosses(t *testing.T) {
	atHost, atClient := make(chan any, 1), make(chan any, 1)
	host, client := &ahp.HostHandlers{}, &ahp.ClientHandlers{}
	record(host, atHost)
	record(client, atClient)
	host.Initialize = func(_ context.Context, p *ahp.InitializeParams) (*ahp.InitializeResult, error) {
		version, err := ahp.NegotiateVersion(p.ProtocolVersions)
		return &ahp.InitializeResult{ProtocolVersion: version}, err
	}
	p := connect(t, nil, fixed(host), client)
	calls := exchange(t, ahp.NewClient(p.client), host, atHost) + exchange(t, ahp.NewHost(p.host), client, atClient)

	both := 0
	for _, m := range ahp.Methods() {
		if m.Method == ahp.MethodInitialize {
			continue
		}
		both++
		if m.From == ahp.FromBoth {
			both++
		}
	}
	require.Equal(t, both, calls, "each method of the table, in each of its directions")
	opened, err := ahp.NewClient(p.client).Initialize(t.Context(), &ahp.InitializeParams{ProtocolVersions: []string{"0.1.0", "0.7.0"}})
	require.NoError(t, err)
	require.Equal(t, "0.7.0", opened.ProtocolVersion)
}

func TestAPeerWithoutACommonVersionHearsSoBeforeTheEnd(t *testing.T) {
	p := connect(t, nil, func(conn *ahpws.Conn) *ahp.HostHandlers {
		return &ahp.HostHandlers{Initialize: func(_ context.Context, p *ahp.InitializeParams) (*ahp.InitializeResult, error) {
			_, err := ahp.NegotiateVersion(p.ProtocolVersions)
			go func() { _ = conn.Shutdown(context.Background()) }()
			return nil, err
		}}
	}, &ahp.ClientHandlers{})
	_, err := ahp.NewClient(p.client).Initialize(t.Context(), &ahp.InitializeParams{ProtocolVersions: []string{"0.1.0"}})
	require.ErrorIs(t, err, ahp.ErrorCodeUnsupportedProtocolVersion)
	require.NoError(t, soon(t, p.clientServed))
}
