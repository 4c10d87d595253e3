// The show command.

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/lines"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
)

// showFlags are the flags of the show command.
type showFlags struct {
	filter lines.Filter
	json   bool
	fail   bool
	state  string
	html   string
	at     int
}

func (a *app) show() *cobra.Command {
	var flags showFlags
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Show what was recorded, what is wrong with it, and the state of a channel at any message",
		Long: `Show prints a recording of ahpgen tap as tap prints a conversation, with the time since its beginning.
The schemas are those that the recording was made with, unless others are named.

With --at N it prints message N in full, and with --state CHANNEL the state that the client has of a channel
after that message, or at the end. States follow from snapshots and actions: by the effects that schemas
state, and by the finished reducers that come with a protocol. What is not known any more is not shown.

--html writes one page that needs nothing else: both sides on a line of time, each message with what is
wrong with it and what it changes in a state, its answer, search and filters.`,
		Example: `  ahpgen show talk.jsonl
  ahpgen show talk.jsonl --errors --fail
  ahpgen show talk.jsonl --at 12
  ahpgen show talk.jsonl --state ahp-chat:/1 --at 40
  ahpgen show talk.jsonl --html talk.html
  ahpgen show talk.jsonl --json | jq 'select(.seconds > 1)'`,
		Args: theRecording,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runShow(cmd, &flags, args[0]) },
	}
	a.inputFlags(cmd)
	f := cmd.Flags()
	a.filterFlags(cmd, &flags.filter)
	f.BoolVar(&flags.json, "json", false, "print JSON, a line for each message with its content")
	f.BoolVar(&flags.fail, "fail", false, "exit with 1 if there are findings")
	f.StringVar(&flags.state, "state", "", "print the state of this `channel`")
	f.StringVar(&flags.html, "html", "", "write a page to this `file` instead")
	f.IntVar(&flags.at, "at", 0, "print message `N`, or the state after it")
	return cmd
}

// recording is a recording that is read, with what judges it.
type recording struct {
	*record.Reader
	judge    *judge.Judge
	versions []judge.Version
	file     io.Closer
}

// openRecording opens a recording, to be judged by its own schemas or by those of the flags.
func (a *app) openRecording(cmd *cobra.Command, name string) (*recording, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	r, err := record.NewReader(file)
	if err != nil {
		_ = file.Close()
		return nil, &diag.HintError{Err: fmt.Errorf("read %s: %w", name, err), Hint: "name a file that ahpgen tap --record has written"}
	}
	config := generator.Config{Schemas: r.Head.Schemas, Profile: r.Head.Profile}
	for _, flag := range []string{"schemas", "profile", "protocol-version"} {
		if changed(cmd, flag) {
			if config, err = a.config(cmd, ""); err != nil {
				_ = file.Close()
				return nil, err
			}
		}
	}
	versions, err := versionsFor(config, &a.diags)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	j := judge.New(versions)
	j.Redacted = len(r.Head.Redacted) > 0
	return &recording{Reader: r, judge: j, versions: versions, file: file}, nil
}

// each judges the messages one after the other.
func (r *recording) each(f func(*judge.Message) error) error {
	for {
		e, err := r.Read()
		if err == io.EOF { //nolint:errorlint // it is never wrapped
			return nil
		}
		if err != nil {
			return err
		}
		for _, m := range r.judge.Feed(r.Head.Framing, e) {
			if err := f(m); err != nil {
				return err
			}
		}
	}
}

// theRecording requires one recording, as the first argument of replay.
func theRecording(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return &generator.UsageError{Message: "name a recording: a file that ahpgen tap --record has written"}
	case len(args) > 1 && cmd.Name() == "show":
		return &generator.UsageError{Message: "one recording is shown at a time"}
	}
	return nil
}

func (a *app) runShow(cmd *cobra.Command, flags *showFlags, name string) error {
	if err := wellFormed(&flags.filter); err != nil {
		return err
	}
	if changed(cmd, "at") && flags.at < 1 {
		return &generator.FlagError{Message: "--at: messages are counted from 1 on", Flag: "at", Value: "1"}
	}
	r, err := a.openRecording(cmd, name)
	if err != nil {
		return err
	}
	defer r.file.Close()
	if flags.html != "" {
		return a.writeTalk(r, name, flags.html)
	}
	if flags.at > 0 || flags.state != "" {
		return a.showAt(r, flags)
	}
	flags.filter.Findings = flags.filter.Findings || a.quiet
	p := &lines.Printer{To: a.raw, JSON: flags.json, Content: true, Colour: a.terminal && coloured(os.Getenv), Filter: flags.filter, Zero: r.Head.Started}
	if err := r.each(func(m *judge.Message) error { p.Print(m); return nil }); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	for _, m := range r.judge.End() {
		p.Print(m)
	}
	p.Flush()
	if r.Torn {
		fmt.Fprintln(a.stderr, "the recording was interrupted: its last line is incomplete")
	}
	if !a.quiet && !flags.json {
		fmt.Fprintln(a.stdout, p.Summary())
	}
	if flags.fail && p.Findings > 0 {
		return exitCode(exitFindings)
	}
	return nil
}

// showAt prints a message, or a state after it.
func (a *app) showAt(r *recording, flags *showFlags) error {
	var last *judge.Message
	lost := "" // why the state is not known, and up to where it was
	stop := fmt.Errorf("enough")
	err := r.each(func(m *judge.Message) error {
		if i := slices.IndexFunc(m.Findings, func(f judge.Finding) bool { return f.Rule == judge.UnknownState }); i >= 0 && m.Channel == flags.state && last != nil {
			lost = fmt.Sprintf("%s; --at %d has it as it was before", m.Findings[i].Text, last.N)
		}
		if m.Kind == "" || m.Size > 0 { // a request without an answer was there before
			last = m
		}
		if m.N == flags.at {
			return stop
		}
		return nil
	})
	switch {
	case err != nil && err != stop: //nolint:errorlint // it is never wrapped
		return err
	case last == nil || flags.at > last.N:
		n := 0
		if last != nil {
			n = last.N
		}
		return &generator.FlagError{Message: fmt.Sprintf("there is no message %d: the recording has %d", flags.at, n), Flag: "at", Value: fmt.Sprint(max(n, 1))}
	case flags.state != "":
		return a.showState(r.judge, last, flags.state, lost)
	}
	var b bytes.Buffer
	if json.Indent(&b, last.Body, "", "  ") != nil {
		b.Reset()
		b.WriteString(inside.VisibleLine(string(last.Body)))
	}
	p := &lines.Printer{To: a.raw, Colour: a.terminal && coloured(os.Getenv), Zero: r.Head.Started}
	p.Print(last)
	fmt.Fprintf(a.stdout, "%s\n", b.Bytes())
	return nil
}

// showState prints the state of a channel after a message. Lost says why it may not be known.
func (a *app) showState(j *judge.Judge, at *judge.Message, channel, lost string) error {
	state := j.State(at.Conn, channel)
	if state == nil {
		known := j.Channels(at.Conn)
		slices.Sort(known)
		hint := "no state is known there"
		switch {
		case lost != "":
			hint = lost
		case len(known) > 0:
			hint = "known are those of " + strings.Join(known, ", ")
		}
		return &diag.HintError{Err: fmt.Errorf("after message %d, the state of %s is not known", at.N, channel), Hint: hint}
	}
	return printJSON(a.stdout, state)
}
