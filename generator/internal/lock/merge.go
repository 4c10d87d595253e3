// Merge: a lock that two branches changed in the same lines.

package lock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// merged returns the lock between the conflict markers of git: that of the branch at hand with the names and stubs of the other
// as well. Other differences are resolved by the next generate. It is nil if a side cannot be read.
func merged(path string, data []byte, at diag.Pos) (*Lock, []diag.Diagnostic) {
	var sides [2]Lock
	for i := range sides {
		if json.Unmarshal(punctuated(side(data, i)), &sides[i]) != nil || !sides[i].namesAreGo() {
			return nil, []diag.Diagnostic{diag.Errorf(at, "merge-conflict", fmt.Sprintf(conflictHint, path), "git could not merge the lock: a conflict marker stands here")}
		}
	}
	ours, theirs := &sides[0], &sides[1]
	var found []diag.Diagnostic
	for _, definition := range slices.Sorted(maps.Keys(theirs.Names)) {
		if ours.Names[definition] == nil {
			ours.Names[definition] = theirs.Names[definition]
			continue
		}
		for _, member := range slices.Sorted(maps.Keys(theirs.Names[definition])) {
			name := theirs.Names[definition][member]
			if own := ours.Names[definition][member]; own == "" {
				ours.Names[definition][member] = name
			} else if own != name {
				subject := strings.TrimSuffix(definition+"."+member, ".")
				found = append(found, diag.Warnf(at, "merge-conflict", fmt.Sprintf("for the other, add \"names\": {%q: %q} to ahpgen.json", subject, name),
					"the branches call %s %s and %s: it is %s", subject, own, name, own))
			}
		}
	}
	for method, digest := range theirs.Stubs {
		if ours.Stubs[method] == "" && ours.Stubs != nil {
			ours.Stubs[method] = digest
		}
	}
	return ours, found
}

// side returns the text as one branch has it: 0 for the one at hand, 1 for the other.
func side(data []byte, of int) []byte {
	var out []byte
	in := -1 // the part of a conflict: 0, the base, or 1
	for line := range bytes.Lines(data) {
		switch marker(line) {
		case "<<<<<<<":
			in = 0
		case "|||||||":
			in = 2
		case "=======":
			in = 1
		case ">>>>>>>":
			in = -1
		default:
			if in < 0 || in == of {
				out = append(out, line...)
			}
		}
	}
	return out
}

// punctuated sets the commas between lines anew: an entry may have become the last one, or no longer be it.
func punctuated(text []byte) []byte {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, ", \t\r")
		if i+1 < len(lines) && !strings.HasSuffix(line, "{") && !strings.HasPrefix(strings.TrimSpace(lines[i+1]), "}") {
			line += ","
		}
		lines[i] = line
	}
	return []byte(strings.Join(lines, "\n"))
}
