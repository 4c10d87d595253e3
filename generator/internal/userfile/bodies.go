// Bodies: skipping function bodies when generated files are indexed, since only declarations matter there.

package userfile

import "bytes"

// withoutBodies leaves the bodies of functions out of a file that gofmt has laid out: each begins on
// the line of its function's name, and ends there as well or with a brace at the start of a line.
func withoutBodies(content []byte) []byte {
	if bytes.ContainsRune(content, '`') && hasLongRaw(content) {
		return content // lines of text may look like code
	}
	var out bytes.Buffer
	for len(content) > 0 {
		line := nextLine(content)
		content = content[len(line):]
		if signature, ok := beforeBody(line); ok {
			out.Write(signature)
			out.WriteString("{}\n")
			continue
		}
		out.Write(line)
		if !opensBody(line) {
			continue
		}
		if bytes.HasPrefix(content, []byte("}\n")) {
			continue
		}
		end := bytes.Index(content, []byte("\n}\n"))
		if end < 0 {
			continue
		}
		content = content[end+1:]
	}
	return out.Bytes()
}

// beforeBody is the signature of a function that is all on one line. One with other braces than those of its body, be it
// in a string, is left as it is.
func beforeBody(line []byte) ([]byte, bool) {
	if !bytes.HasPrefix(line, []byte("func ")) || !bytes.HasSuffix(line, []byte(" }\n")) || bytes.Count(line, []byte("{")) != 1 || bytes.Count(line, []byte("}")) != 1 {
		return nil, false
	}
	return line[:bytes.IndexByte(line, '{')], true
}

// opensBody reports whether a line is the whole signature of a function whose body follows.
func opensBody(line []byte) bool {
	count := func(b byte) int { return bytes.Count(line, []byte{b}) }
	return bytes.HasPrefix(line, []byte("func ")) && bytes.HasSuffix(line, []byte(" {\n")) &&
		count('(') == count(')') && count('[') == count(']') && count('{') == count('}')+1
}

func nextLine(content []byte) []byte {
	if i := bytes.IndexByte(content, '\n'); i >= 0 {
		return content[:i+1]
	}
	return content
}

// hasLongRaw reports whether the text between two backquotes may go over several lines. What stands
// in comments and in other literals counts too: it does no harm.
func hasLongRaw(content []byte) bool {
	for len(content) > 0 {
		line := nextLine(content)
		if bytes.Count(line, []byte{'`'})%2 == 1 {
			return true
		}
		content = content[len(line):]
	}
	return false
}
