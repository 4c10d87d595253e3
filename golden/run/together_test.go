// Tests of several generated packages in one module.

package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// bothVersions uses the packages of two versions of a protocol side by side, and what does not depend
// on it through both: a message of one is dispatched to the other.
const bothVersions = `package together

import (
	"context"
	"errors"
	"testing"

	"together/new"
	newrpc "RUNTIME_OF_NEW/rpc"
	"together/old"
	oldrpc "RUNTIME_OF_OLD/rpc"
	oldstate "RUNTIME_OF_OLD/state"
)

func TestBothVersionsWork(t *testing.T) {
	const text = ` + "`" + `{"type":"session/titleChanged","title":"Hello"}` + "`" + `
	a, err := old.DecodeStateAction([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	b, err := new.DecodeStateAction([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var reducer new.Reducer
	if s := reducer.Session(&new.SessionState{}, b.(*new.SessionTitleChangedAction)); s.Title != "Hello" {
		t.Error(s.Title)
	}
	if title := a.(*old.SessionTitleChangedAction).Title; title != "Hello" {
		t.Error(title)
	}
	store := old.NewStore("me", nil)
	if outcome := store.Receive(&old.ActionEnvelope{Channel: "ahp-session:/1", ServerSeq: 1, Action: a}); outcome != oldstate.UnknownChannel {
		t.Error(outcome)
	}
}

func TestAClientOfOneVersionTalksToAHostOfTheOther(t *testing.T) {
	ctx := context.Background()
	host := &new.HostHandlers{DisposeSession: func(context.Context, *new.DisposeSessionParams) error { return new.ErrorCodeSessionNotFound }}
	client := old.NewHostConn(oldrpc.Local(bridge{host}))
	if err := client.DisposeSession(ctx, &old.DisposeSessionParams{Channel: "ahp-session:/1"}); !errors.Is(err, old.ErrorCodeSessionNotFound) {
		t.Error(err)
	}
	if _, err := client.Initialize(ctx, &old.InitializeParams{ClientID: "me", ProtocolVersions: old.SupportedVersions()}); !errors.Is(err, oldrpc.MethodNotFound) {
		t.Error(err)
	}
}

// The one member of the embedded schemas that is null instead of missing.
func TestActiveClient(t *testing.T) {
	for _, text := range []string{
		` + "`" + `{"type":"session/activeClientChanged","activeClient":null}` + "`" + `,
		` + "`" + `{"type":"session/activeClientChanged","activeClient":{"clientId":"c","tools":[]}}` + "`" + `,
	} {
		a, err := old.DecodeStateAction([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := a.(*old.SessionActiveClientChangedAction); !ok {
			t.Fatalf("%s became %T", text, a)
		}
		got, err := a.AppendJSON(nil)
		if err != nil || string(got) != text {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
	if _, err := old.DecodeStateAction([]byte(` + "`" + `{"type":"session/activeClientChanged"}` + "`" + `)); err == nil {
		t.Error("the member may not be missing")
	}
}
`

// bridges turn the handlers of the newer package into a handler of the other's runtime.
var bridges = map[bool]string{
	true: `
type bridge struct{ *new.HostHandlers } // one runtime: handlers of one package are handlers of the other

var _ newrpc.Handler = bridge{}
var _ oldrpc.Handler = bridge{}
`,
	false: `
type bridge struct{ to *new.HostHandlers } // two runtimes: all that passes between them is JSON

func (b bridge) DecodeRPC(data []byte) (oldrpc.Message, error) { return oldrpc.Decode(data, nil) }

func (b bridge) ServeRPC(ctx context.Context, m *oldrpc.Message) (json.RawMessage, error) {
	data, err := m.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	there, err := b.to.DecodeRPC(data)
	if err != nil {
		return nil, err
	}
	result, err := b.to.ServeRPC(ctx, &there)
	if err != nil {
		e := newrpc.AsError(err)
		return nil, &oldrpc.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	return result, nil
}
`,
}

// TestPackagesOfTwoVersionsLiveInOneModule generates them by the commands, with a runtime each and with
// one for both. What either takes away is its own. With one runtime they are compiled if the tests are thorough:
// TestEveryEmbeddedVersionGenerates compiles others that share one.
func TestPackagesOfTwoVersionsLiveInOneModule(t *testing.T) {
	kit.Long(t)
	for name, shared := range map[string]bool{"a runtime each": false, "one runtime": true} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(kit.Place(t))
			kit.WriteFile(t, "go.mod", "module together\n\ngo 1.24\n")
			program := strings.NewReplacer("RUNTIME_OF_NEW", "together/new/wire", "RUNTIME_OF_OLD", "together/old/wire")
			runtime := ""
			if shared {
				runtime = `, "runtime": "../wire"`
				program = strings.NewReplacer("RUNTIME_OF_NEW", "together/wire", "RUNTIME_OF_OLD", "together/wire")
			}
			for folder, version := range map[string]string{"old": "0.4.0", "new": "1.0.0"} {
				kit.WriteFile(t, filepath.Join(folder, "ahpgen.json"), `{"schemas": "ahp@`+version+`", "out": ".", "package": "`+folder+`"`+runtime+`}`)
			}
			for _, folder := range []string{"old", "new", "old"} {
				printed, code := kit.InFolder(t, folder, "generate")
				require.Zero(t, code, printed)
			}
			text := program.Replace(bothVersions)
			if !shared {
				text = strings.Replace(text, "\t\"errors\"", "\t\"encoding/json\"\n\t\"errors\"", 1)
			}
			kit.WriteFile(t, "together_test.go", text+bridges[shared])
			compiled := !shared || *kit.Thorough
			if compiled {
				kit.TestEmitted(t, ".", "./...")
			}

			// A package that needs less of a runtime than before leaves to the other what that needs.
			kit.WriteFile(t, "old/ahpgen.json", `{"schemas": "ahp@0.4.0", "out": ".", "package": "old", "reducers": {"omit": true}`+runtime+`}`)
			for name := range kit.Folder(t, "old") {
				if strings.HasPrefix(name, "reducers_") && !strings.HasSuffix(name, "_gen.go") {
					require.NoError(t, os.Remove(filepath.Join("old", name)))
				}
			}
			printed, code := kit.InFolder(t, "old", "generate")
			require.Zero(t, code, printed)
			if compiled {
				kit.Emitted(t, ".", "vet", "./old/...")
			}
			require.NoFileExists(t, "old/wire/state/change_gen.go")
			_, err := os.Stat("wire/state/change_gen.go")
			require.Equal(t, shared, err == nil)
			printed, code = kit.InFolder(t, "new", "generate")
			require.Zero(t, code, printed)
			require.Contains(t, printed, "wrote 0 files")
		})
	}
}
