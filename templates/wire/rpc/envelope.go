// Envelopes: messages as a protocol describes them, where that is not JSON-RPC 2.0.

package rpc

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// slots are the members of a message by their index, and where they begin.
type slots struct {
	at     [spec.MaxSlots]int
	values [spec.MaxSlots]json.RawMessage // nil if absent
}

// decodeIn is [Decode] for messages that are described by an envelope.
func decodeIn(data []byte, t *spec.Table) (Message, error) {
	var s slots
	d := wire.NewDecoder(data)
	if t.Envelope.Array {
		s.readItems(&d, t.Envelope.Slots)
	} else {
		s.readMembers(&d, t.Envelope.Slots)
	}
	var m Message
	if !d.Failed() {
		if form := s.form(&d, t.Envelope); form != nil {
			m.Kind = Kind(form.Kind)
			m.fill(&d, t, form.Root, &s)
		}
	}
	if err := d.Finish(); err != nil {
		code := InvalidRequest
		if !json.Valid(data) {
			code = ParseError
		}
		return m.salvagedIn(t.Envelope, &s), &Error{Code: int64(code), Message: err.Error()}
	}
	return m, nil
}

func (s *slots) readMembers(d *wire.Decoder, known []spec.Slot) {
next:
	for k := d.Object(); k != nil; k = d.NextKey() {
		for i := range known {
			if string(k) == known[i].Name {
				s.read(d, &known[i])
				continue next
			}
		}
		d.Skip()
	}
}

func (s *slots) readItems(d *wire.Decoder, known []spec.Slot) {
	i := 0
	for more := d.Array(); more; more = d.NextItem() {
		if i < len(known) {
			s.read(d, &known[i])
		} else {
			d.Skip()
		}
		i++
	}
}

func (s *slots) read(d *wire.Decoder, slot *spec.Slot) {
	start := d.Offset()
	if s.values[slot.Index] != nil {
		d.FailAt(start, "given twice")
		return
	}
	if len(slot.Inside) > 0 && d.Kind() == '{' {
		s.readMembers(d, slot.Inside)
	} else {
		d.Skip()
	}
	if !d.Failed() {
		s.at[slot.Index], s.values[slot.Index] = start, d.Since(start)
	}
}

// form returns the form that the members fit. If there is none, the decoder fails with what is wrong with the one of which
// most is there.
func (s *slots) form(d *wire.Decoder, e *spec.Envelope) *spec.Form {
	nearest, most := &spec.Part{}, -1
	for _, form := range e.Forms {
		there, wrong := s.fits(form.Root)
		if wrong == nil {
			return form
		}
		if there > most {
			nearest, most = wrong, there
		}
	}
	if s.values[nearest.Slot] == nil {
		d.Missing(nearest.Key)
	} else {
		d.FailAt(s.at[nearest.Slot], "a message of another kind")
	}
	return nil
}

// fits returns how many parts of a form are there, and the first that is not.
func (s *slots) fits(of *spec.Part) (there int, wrong *spec.Part) {
	for _, part := range of.Parts {
		value := s.values[part.Slot]
		switch {
		case value == nil && part.Optional:
			continue
		case value == nil && part.Parts == nil, part.Const != nil && !isConst(value, part.Const):
			if wrong == nil {
				wrong = part
			}
			continue
		case part.Parts != nil:
			inside, missing := s.fits(part)
			there += inside
			if wrong == nil {
				wrong = missing
			}
		}
		if value != nil {
			there++
		}
	}
	return there, wrong
}

// isConst reports whether a value is a constant, which may be written with escapes.
func isConst(value, constant []byte) bool {
	if string(value) == string(constant) {
		return true
	}
	if value[0] != '"' || constant[0] != '"' {
		return false
	}
	v, c := wire.NewDecoder(value), wire.NewDecoder(constant)
	return string(v.Text()) == string(c.Text())
}

// fill takes what stands in the place of placeholders.
func (m *Message) fill(d *wire.Decoder, t *spec.Table, of *spec.Part, s *slots) {
	for _, part := range of.Parts {
		value := s.values[part.Slot]
		if part.Parts != nil {
			m.fill(d, t, part, s)
		}
		if value == nil || part.Hole == "" || part.Hole == spec.HoleSequence {
			continue
		}
		switch part.Hole {
		case spec.HoleResult:
			m.Result = value
		case spec.HoleParams:
			if string(value) != "null" {
				m.Params = value
			}
		default:
			if err := m.take(part.Hole, value, t); err != nil {
				d.FailAt(s.at[part.Slot], err.Error())
			}
		}
	}
	if of.Slot >= 0 {
		return
	}
	switch m.Kind {
	case Failure:
		if m.Error == nil {
			m.Error = new(Error)
		}
	case Result:
		if m.Result == nil {
			m.Result = null()
		}
	case Notification:
		m.decodeParams(t)
	case Request:
	}
}

// decodeParams decodes the parameters of a known notification.
func (m *Message) decodeParams(t *spec.Table) {
	if t.Notification == nil || len(m.Params) == 0 || m.Params[0] != '{' {
		return
	}
	d := wire.NewDecoder(m.Params)
	p := t.Notification(wire.NoEscape(&d), m.Method)
	if p == nil {
		return
	}
	if err := d.Finish(); err != nil {
		m.DecodeError = wire.Within("params", err)
		return
	}
	m.Decoded = p
}

// take takes the id, the method or a part of an error.
func (m *Message) take(hole spec.Hole, value json.RawMessage, t *spec.Table) error {
	d := wire.NewDecoder(value)
	switch hole {
	case spec.HoleID:
		m.ID = readID(&d)
		return d.Finish()
	case spec.HoleMethod:
		m.Method, m.known = readMethod(&d, t)
		return d.Finish()
	}
	if m.Error == nil {
		m.Error = new(Error)
	}
	switch {
	case hole == spec.HoleMessage:
		m.Error.Message = d.Str()
	case hole == spec.HoleData:
		m.Error.Data = d.Slice()
	case d.Kind() == '"':
		m.Error.named(d.Str(), t.Envelope)
	default:
		m.Error.Code = d.Int64()
	}
	return d.Finish()
}

// named sets the code that is a text.
func (e *Error) named(name string, in *spec.Envelope) {
	e.Name = name
	for code, of := range in.Codes {
		if of == name {
			e.Code = code
		}
	}
}

// salvagedIn returns what is known of a malformed message: the id of the request, which is answered with an error, or of
// the one that it would answer.
func (m *Message) salvagedIn(e *spec.Envelope, s *slots) Message {
	for _, form := range e.Forms {
		slot := -1
		for _, part := range form.Root.Parts {
			if part.Hole == spec.HoleID {
				slot = part.Slot
			}
			if part.Const != nil && (s.values[part.Slot] == nil || !isConst(s.values[part.Slot], part.Const)) {
				slot = -1
				break
			}
		}
		if slot < 0 || s.values[slot] == nil || s.values[slot][0] == 'n' {
			continue
		}
		if form.Kind == string(Request) {
			return Message{ID: s.values[slot], Method: m.Method}
		}
		return Message{failed: s.values[slot], response: true}
	}
	return Message{response: true} // it cannot be answered
}

// errNoID is why a message that is not understood is not answered.
var errNoID = errors.New("there is no request to answer")

// AppendIn appends the message as an envelope describes it, with a number if messages are numbered, which is the id of a
// request then.
func (m *Message) AppendIn(dst []byte, e *spec.Envelope, number uint64) ([]byte, error) {
	dst, _, err := m.appendIn(dst, e, number)
	return dst, err
}

// appendIn is AppendIn that also returns where the message's number belongs, or 0. There is nothing yet if number is 0.
func (m *Message) appendIn(dst []byte, e *spec.Envelope, number uint64) (out []byte, at int, err error) {
	form := e.Form(string(m.Kind))
	if form == nil {
		return dst, 0, errors.New("a message of kind " + wire.Excerpt(string(m.Kind)) + " cannot be sent")
	}
	if (m.Kind == Result || m.Kind == Failure) && (m.ID == nil || string(m.ID) == "null") {
		return dst, 0, errNoID
	}
	w := envelopeWriter{message: m, envelope: e, number: number, err: &err}
	out = w.parts(dst, form.Root)
	return out, w.at, err
}

// envelopeWriter appends a message.
type envelopeWriter struct {
	message  *Message
	envelope *spec.Envelope
	number   uint64 // of the message, or 0 if it gets one later
	at       int    // where that belongs
	err      *error // not a value, since what holds the message would go to the heap with it
}

// parts appends an object or array.
func (w *envelopeWriter) parts(dst []byte, of *spec.Part) []byte {
	opening, closing := byte('{'), byte('}')
	if of.Array {
		opening, closing = '[', ']'
	}
	dst = append(dst, opening)
	for _, part := range of.Parts {
		if part.Optional && w.absent(part.Hole) {
			continue
		}
		if dst[len(dst)-1] != opening {
			dst = append(dst, ',')
		}
		dst = append(dst, part.Text...)
		switch {
		case part.Const != nil:
			dst = append(dst, part.Const...)
		case part.Parts != nil:
			dst = w.parts(dst, part)
		default:
			dst = w.hole(dst, part.Hole)
		}
	}
	return append(dst, closing)
}

// absent reports whether there is nothing for an optional placeholder.
func (w *envelopeWriter) absent(hole spec.Hole) bool {
	m := w.message
	switch hole {
	case spec.HoleParams:
		return len(m.Params) == 0 && m.Body == nil
	case spec.HoleResult:
		return m.Body == nil && (len(m.Result) == 0 || string(m.Result) == "null")
	case spec.HoleData:
		return m.Error == nil || len(m.Error.Data) == 0
	case spec.HoleMessage:
		return m.Error == nil || m.Error.Message == ""
	case spec.HoleCode:
		return m.Error == nil || m.Error.Code == 0 && m.Error.Name == ""
	case spec.HoleMethod:
		return m.Method == ""
	}
	return false
}

// hole appends what a placeholder stands for.
func (w *envelopeWriter) hole(dst []byte, hole spec.Hole) []byte {
	m := w.message
	if m.Error == nil && (hole == spec.HoleCode || hole == spec.HoleMessage || hole == spec.HoleData) {
		*w.err = wire.Within("error", errNil)
		return dst
	}
	switch hole {
	case spec.HoleMethod:
		return wire.AppendString(dst, m.Method)
	case spec.HoleMessage:
		return wire.AppendString(dst, m.Error.Message)
	case spec.HoleSequence:
		return w.numbered(dst)
	case spec.HoleID:
		if w.envelope.Sequence && m.Kind == Request {
			return w.numbered(dst)
		}
		return append(dst, m.ID...)
	case spec.HoleCode:
		if w.envelope.Codes == nil {
			return strconv.AppendInt(dst, m.Error.Code, 10)
		}
		return wire.AppendString(dst, m.Error.nameIn(w.envelope))
	case spec.HoleParams:
		return w.body(dst, m.Params, "{}")
	case spec.HoleResult:
		return w.body(dst, m.Result, "null")
	case spec.HoleData:
		return w.raw(dst, m.Error.Data, "{}")
	}
	return dst
}

// numbered appends the number, or notes where it belongs.
func (w *envelopeWriter) numbered(dst []byte) []byte {
	if w.at = len(dst); w.number == 0 {
		return dst
	}
	return strconv.AppendUint(dst, w.number, 10)
}

// body appends the value that is the parameters or the result, or else JSON.
func (w *envelopeWriter) body(dst []byte, raw json.RawMessage, none string) []byte {
	if w.message.Body == nil {
		return w.raw(dst, raw, none)
	}
	member := "params"
	if w.message.Kind == Result {
		member = "result"
	}
	dst, err := w.message.appendBody(dst, member)
	if err != nil {
		*w.err = err
	}
	return dst
}

// raw appends JSON, or what stands for none.
func (w *envelopeWriter) raw(dst []byte, raw json.RawMessage, none string) []byte {
	if len(raw) == 0 {
		return append(dst, none...)
	}
	d := wire.NewDecoder(raw)
	d.Skip()
	if err := d.Finish(); err != nil {
		*w.err = err
	}
	return append(dst, raw...)
}

// nameIn returns the text of an error's code.
func (e *Error) nameIn(in *spec.Envelope) string {
	if e.Name != "" {
		return e.Name
	}
	if name := in.Codes[e.Code]; name != "" {
		return name
	}
	return in.Codes[int64(InternalError)]
}
