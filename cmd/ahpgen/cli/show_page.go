// The page that show writes.

package cli

import (
	"encoding/json"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/lines"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// talkPage is the data of the page.
type talkPage struct {
	Title, About string
	Client, Host string
	Data         template.JS
}

// talkRow is a message on the page.
type talkRow struct {
	N        int             `json:"n"`
	Conn     int             `json:"conn"`
	Time     float64         `json:"time"` // seconds since the beginning
	From     protocol.Side   `json:"from"`
	Kind     rpc.Kind        `json:"kind,omitempty"`
	Method   string          `json:"method,omitempty"`
	ID       string          `json:"id,omitempty"`
	Detail   string          `json:"detail,omitempty"`
	Channel  string          `json:"channel,omitempty"`
	Size     int             `json:"size,omitempty"`
	Answers  int             `json:"answers,omitempty"`
	Seconds  float64         `json:"seconds,omitempty"`
	Late     bool            `json:"late,omitempty"` // about a message that was there before
	Findings []judge.Finding `json:"findings,omitempty"`
	Changes  []talkChange    `json:"changes,omitempty"`
	States   []talkState     `json:"states,omitempty"`
	Body     string          `json:"body,omitempty"`
}

// talkChange is a part of a state before and after a message.
type talkChange struct {
	Path   string `json:"path,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// maxShownBody and maxShownPart are how much of a message and of a part of a state a page has.
const (
	maxShownBody = 100_000
	maxShownPart = 2_000
)

// rowOf returns a message for the page.
func rowOf(m *judge.Message, start time.Time) talkRow {
	out := talkRow{
		N: m.N, Conn: m.Conn, Time: m.Time.Sub(start).Seconds(), From: m.From, Kind: m.Kind, Method: m.Method, ID: m.ID, Detail: m.Detail, Channel: m.Channel,
		Size: m.Size, Answers: m.Answers, Seconds: m.Latency.Seconds(), Late: m.Size == 0, Findings: m.Findings, Body: inside.VisibleCut(strings.ToValidUTF8(string(m.Body), "\ufffd"), maxShownBody),
	}
	for _, c := range m.Changes {
		out.Changes = append(out.Changes, talkChange{c.Path, inside.VisibleCut(c.Before, maxShownPart), inside.VisibleCut(c.After, maxShownPart)})
	}
	return out
}

// writeTalk writes a page of a recording.
func (a *app) writeTalk(r *recording, name, file string) error {
	r.judge.Follow = true
	rows := []talkRow{}
	channels := map[string]bool{}
	p := &lines.Printer{}
	followed := states{judge: r.judge, last: map[stateKey]map[string]any{}}
	add := func(m *judge.Message) error {
		p.Count(m)
		row := rowOf(m, r.Head.Started)
		row.States = followed.after(m)
		rows = append(rows, row)
		if m.Channel != "" {
			channels[m.Channel] = true
		}
		return nil
	}
	if err := r.each(add); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	for _, m := range r.judge.End() {
		_ = add(m) // it never fails
	}
	var names []string
	for channel := range channels {
		names = append(names, channel)
	}
	slices.Sort(names)
	client, host := r.judge.Name(protocol.FromClient), r.judge.Name(protocol.FromHost)
	data, err := json.Marshal(map[string]any{"rows": rows, "channels": names, "file": filepath.Base(name), "sides": map[string]string{"client": client, "host": host}})
	if err != nil {
		return err
	}
	about := r.Head.Schemas + ", " + r.Head.Started.Format("2 January 2006, 15:04:05 MST") + ": " + p.Summary()
	title := strings.Join(r.Head.Command, " ")
	if title == "" {
		title = filepath.Base(name)
	}
	page, err := inside.SinglePage("talk", inside.PageFrame{
		Title: title, Site: "Conversation", Content: talkPage{Title: title, About: about, Client: client, Host: host, Data: template.JS(data)}, //nolint:gosec // encoding/json escapes what HTML must not have
	}, "talk")
	if err != nil {
		return err
	}
	if err := inside.WriteSecret(file, page); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	if !a.quiet {
		fmt.Fprintf(a.stdout, "wrote %s: %s\n", file, p.Summary())
	}
	return nil
}
