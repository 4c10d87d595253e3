// Prune: of what is emitted, the type checker is given only the declarations that the sources lead to, without the bodies of
// functions. Emitted text is formatted, so a declaration begins at the start of a line and ends where the next one begins.

package finished

import (
	"strings"
)

// chunk is a declaration of an emitted file.
type chunk struct {
	file     int
	receiver string // of a method, the type's name
	text     string
	kept     bool
}

// pruner finds the declarations that are needed.
type pruner struct {
	named   map[string][]*chunk // types, constants and functions
	methods map[string][]*chunk // by name
	of      map[string][]*chunk // methods by receiver
	chunks  []*chunk
	heads   []string // what files begin with, up to the imports
	words   map[string]bool
	queue   []string
}

// prune returns what is left of files. The words are those of the sources; the words of what is kept are added.
func prune(texts []string, words map[string]bool) []string {
	p := &pruner{named: map[string][]*chunk{}, methods: map[string][]*chunk{}, of: map[string][]*chunk{}, heads: make([]string, len(texts)), words: words}
	for i, text := range texts {
		p.split(i, text)
	}
	for w := range words {
		p.queue = append(p.queue, w)
	}
	for len(p.queue) > 0 {
		w := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		for _, c := range p.named[w] {
			p.keep(c)
		}
		for _, c := range p.methods[w] {
			if words[c.receiver] {
				p.keep(c)
			}
		}
		for _, c := range p.of[w] {
			if words[c.name()] {
				p.keep(c)
			}
		}
	}
	out := make([]strings.Builder, len(texts))
	for _, c := range p.chunks {
		if c.kept {
			if out[c.file].Len() == 0 {
				out[c.file].WriteString(p.heads[c.file])
			}
			out[c.file].WriteString(c.text)
		}
	}
	left := make([]string, len(texts))
	for i := range out {
		left[i] = out[i].String()
	}
	return left
}

func (p *pruner) keep(c *chunk) {
	if c.kept {
		return
	}
	c.kept = true
	identifiers(c.text, func(w string) {
		if !p.words[w] {
			p.words[w] = true
			p.queue = append(p.queue, w)
		}
	})
}

// split splits a file into its declarations.
func (p *pruner) split(file int, text string) {
	var b strings.Builder
	skipping := false // the body of a function
	flush := func() {
		p.add(file, b.String())
		b.Reset()
	}
	for line := range strings.Lines(text) {
		switch {
		case skipping:
			skipping = line != "}\n"
			continue
		case strings.HasPrefix(line, "//") || strings.HasPrefix(line, "\t//"):
			continue
		case strings.HasPrefix(line, "func "):
			flush()
			if head, ok := strings.CutSuffix(line, " {\n"); ok {
				skipping = true
				if strings.HasSuffix(head, "interface") || strings.HasSuffix(head, "struct") {
					continue // a constraint of several lines: no source needs that
				}
				line = head + "\n"
			}
		case strings.HasPrefix(line, "type "), strings.HasPrefix(line, "const "), strings.HasPrefix(line, "var "):
			flush()
		}
		b.WriteString(line)
	}
	flush()
}

// add files a declaration under what it declares.
func (p *pruner) add(file int, text string) {
	c := &chunk{file: file, text: text}
	head, rest, _ := strings.Cut(text, " ")
	switch head {
	case "func":
		if after, ok := strings.CutPrefix(rest, "("); ok {
			receiver, method, _ := strings.Cut(after, ") ")
			c.receiver = first(receiver[strings.LastIndexAny(receiver[:bracket(receiver)], " *")+1:])
			p.methods[first(method)] = append(p.methods[first(method)], c)
			p.of[c.receiver] = append(p.of[c.receiver], c)
		} else {
			p.named[first(rest)] = append(p.named[first(rest)], c)
		}
	case "type", "const":
		if !strings.HasPrefix(rest, "(") {
			p.named[first(rest)] = append(p.named[first(rest)], c)
			break
		}
		for line := range strings.Lines(rest) {
			if name, ok := strings.CutPrefix(line, "\t"); ok && first(name) != "" {
				p.named[first(name)] = append(p.named[first(name)], c)
			}
		}
	case "var": // what variables there are no source needs
	default:
		p.heads[file] = text
		return
	}
	p.chunks = append(p.chunks, c)
}

// bracket returns where the type parameters of a receiver begin, or its end.
func bracket(receiver string) int {
	if i := strings.IndexByte(receiver, '['); i >= 0 {
		return i
	}
	return len(receiver)
}

// name returns the name of a method.
func (c *chunk) name() string {
	_, method, _ := strings.Cut(c.text, ") ")
	return first(method)
}

// first returns the identifier that a text begins with.
func first(text string) string {
	for i := range len(text) {
		if !isWord(text[i]) {
			return text[:i]
		}
	}
	return text
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// identifiers calls a function with each word of a text.
func identifiers(text string, f func(string)) {
	for i := 0; i < len(text); {
		if !isWord(text[i]) {
			i++
			continue
		}
		w := first(text[i:])
		f(w)
		i += len(w)
	}
}
