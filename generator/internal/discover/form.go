// Forms: messages with placeholders, in the order of their members.

package discover

import (
	"bytes"
	"encoding/json"

	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// form is a message with placeholders.
type form []formMember

type formMember struct {
	name  string
	value any // a constant, a placeholder or a form
}

// MarshalJSON returns the form as an object with its members in order.
func (f form) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.WriteString(jsontext.Line(m.name) + ":")
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// holder returns the member that a placeholder stands for, or "".
func (f form) holder(placeholder string) string {
	for _, m := range f {
		if m.value == placeholder || m.value == placeholder+"?" {
			return m.name
		}
	}
	return ""
}

// derives reports whether a definition is derived from the form of results: it has its constants.
func (e *envelope) derives(def *schema.Definition) bool {
	if e == nil || e == bare {
		return false
	}
	constants := 0
	for _, m := range e.Result {
		text, ok := m.value.(string)
		if !ok || text == "" || text[0] == '$' {
			continue
		}
		if constants++; member(def.Schema, m.name).OnlyText() != text {
			return false
		}
	}
	return constants > 0
}
