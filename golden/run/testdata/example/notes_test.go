// A host of the Note Protocol with a client, as somebody would write them who copies the example.

package notes_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"golden/notes"
	"golden/notes/wire/rpc"
	"golden/notes/wire/server"
)

const board = "notes-board:/1"

func TestReducersDoWhatTheSchemaStates(t *testing.T) {
	var r notes.Reducer
	note := notes.Note{ID: "n", Blocks: []notes.Block{&notes.TextBlock{ID: "b", Text: "Milk"}}}
	zoom, selected := 2.0, "n"
	state := &notes.BoardState{Title: "Draft", Notes: []notes.Note{}, Selected: &selected, View: &notes.View{}}

	state = r.Board(state, &notes.TitleChangedAction{Title: "Shopping"})
	state = r.Board(state, &notes.NoteSetAction{Note: note})
	state = r.Board(state, &notes.NoteReadAction{NoteID: "n", IsRead: true})
	state = r.Board(state, &notes.ViewChangedAction{Changes: notes.ViewChange{Zoom: &zoom}})
	if state.Title != "Shopping" || len(state.Notes) != 1 || !state.Notes[0].Status.Has(notes.NoteStatusRead) || *state.View.Zoom != 2 {
		t.Fatalf("%+v", state)
	}
	if state = r.Board(state, &notes.NoteRemovedAction{NoteID: "n"}); len(state.Notes) != 0 || state.Selected != nil {
		t.Fatalf("%+v", state)
	}
}

func TestStubsSayThatThereIsNothingYet(t *testing.T) {
	client := notes.NewHostConn(rpc.Local(new(notes.HostServer).Handlers()))
	if _, err := client.Resume(context.Background(), &notes.ResumeParams{}); !errors.Is(err, rpc.MethodNotFound) {
		t.Fatal(err)
	}
}

func TestBlocksOfNewerVersionsSurvive(t *testing.T) {
	const text = `{"id":"n","status":5,"blocks":[{"kind":"image","id":"a","source":"s"},{"kind":"video","url":"u"}]}`
	note, err := notes.Decode[notes.Note]([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := note.AppendJSON(nil); err != nil || string(again) != text {
		t.Fatal(string(again), err)
	}
}

func TestAClientFollowsABoard(t *testing.T) {
	host, err := notes.NewServer(&notes.ServerOptions{
		OnError: func(err error) { t.Log(err) },
		Validate: func(_ *server.Client, _ string, _ notes.SnapshotState, action notes.Action) error {
			if title, ok := action.(*notes.TitleChangedAction); ok && title.Title == "" {
				return errors.New("a board needs a title")
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := host.OpenChannel(board, &notes.BoardState{Title: "Draft", Notes: []notes.Note{}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	here, there := net.Pipe()
	go func() { _ = host.Serve(ctx, rpc.Stream(there)) }()
	client, err := notes.Connect(ctx, func(context.Context) (rpc.Transport, error) { return rpc.Stream(here), nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Subscribe(ctx, board); err != nil {
		t.Fatal(err)
	}
	if err := client.Dispatch(ctx, board, &notes.TitleChangedAction{Title: "Shopping"}); err != nil {
		t.Fatal(err)
	}
	for ctx.Err() == nil {
		if view, ok := client.Store.Board(board); ok && view.Pending == 0 && view.Confirmed.Title == "Shopping" {
			return
		}
		time.Sleep(time.Millisecond)
	}
	view, ok := client.Store.Board(board)
	t.Fatalf("the title did not come: %+v %v", view, ok)
}
