// Storing conversations, so that a restarted agent can load them.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ahpgen/ahpgen/generated/acp"
)

// keeper stores each conversation in a file with one update per line. With folder "" it stores nothing.
type keeper string

// claim reserves the id of a new conversation, and reports whether it was free.
func (k keeper) claim(id acp.SessionID) (free bool, err error) {
	if k == "" {
		return true, nil
	}
	if err := os.MkdirAll(string(k), 0o700); err != nil {
		return false, err
	}
	err = k.in(func(folder *os.Root) error {
		file, err := folder.OpenFile(fileOf(id), os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		return file.Close()
	})
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// save writes a conversation.
func (k keeper) save(id acp.SessionID, told []acp.SessionUpdate) error {
	if k == "" {
		return nil
	}
	var lines []byte
	for _, update := range told {
		line, err := (&acp.SessionNotification{SessionID: id, Update: update}).AppendJSON(nil)
		if err != nil {
			return err
		}
		lines = append(append(lines, bytes.ReplaceAll(line, []byte("\n"), []byte(" "))...), '\n')
	}
	return k.in(func(folder *os.Root) error { return folder.WriteFile(fileOf(id), lines, 0o600) })
}

// load reads a conversation.
func (k keeper) load(id acp.SessionID) (told []acp.SessionUpdate, err error) {
	if k == "" {
		return nil, noSession(id)
	}
	var data []byte
	err = k.in(func(folder *os.Root) (err error) {
		data, err = folder.ReadFile(fileOf(id))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noSession(id)
	}
	if err != nil {
		return nil, fmt.Errorf("session %s cannot be read", id) // the client must not learn the agent's paths
	}
	for line := range bytes.Lines(data) {
		n, err := acp.Decode[acp.SessionNotification](line)
		if err != nil {
			return nil, fmt.Errorf("session %s: line %d: %w", id, len(told)+1, err)
		}
		told = append(told, n.Update)
	}
	return told, nil
}

// in opens the folder as a root, since session ids come from the client.
func (k keeper) in(do func(*os.Root) error) error {
	folder, err := os.OpenRoot(string(k))
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }() // read-only handle
	return do(folder)
}

func fileOf(id acp.SessionID) string { return id + ".jsonl" }
