// Records: as messages.

package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// Headers of messages.
const (
	recordHeader     = "Log-Record"     // kind, time, serial, writer
	keyHeader        = "Log-Key"        // if the subject has it not
	checkpointHeader = "Log-Checkpoint" // number, epoch, parts, id of the parts
)

// maxToken is the greatest length of a key in a subject.
const maxToken = 256

// token returns a key as a token of a subject, which is readable for usual keys. It is different for different keys, but for
// chance.
func token(key string) string {
	if key == "" {
		return "="
	}
	var b strings.Builder
	for i := 0; i < len(key) && b.Len() <= maxToken; i++ {
		switch c := key[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_:/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	if b.Len() > maxToken {
		sum := sha256.Sum256([]byte(key))
		return "==" + hex.EncodeToString(sum[:])
	}
	return b.String()
}

// keyOf returns the key of a message.
func keyOf(subject string, h nats.Header) (string, error) {
	if quoted := h.Get(keyHeader); quoted != "" {
		return strconv.Unquote(quoted)
	}
	text := subject[strings.LastIndexByte(subject, '.')+1:]
	if text == "=" {
		return "", nil
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '=' {
			b.WriteByte(text[i])
			continue
		}
		if i+2 >= len(text) {
			return "", fmt.Errorf("subject %q is of no key", subject)
		}
		c, err := strconv.ParseUint(text[i+1:i+3], 16, 8)
		if err != nil {
			return "", fmt.Errorf("subject %q is of no key", subject)
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), nil
}

// message returns the message of a record on a subject.
func message(subject string, r shared.Record) *nats.Msg {
	m := &nats.Msg{Subject: subject, Data: r.Data, Header: nats.Header{}}
	m.Header.Set(recordHeader, fmt.Sprint(r.Kind, " ", r.Time.UnixMilli(), " ", r.Serial, " ", strconv.QuoteToASCII(r.Writer)))
	if strings.Contains(subject, ".==") {
		m.Header.Set(keyHeader, strconv.QuoteToASCII(r.Key))
	}
	return m
}

// record returns the record of a message.
func record(subject string, number uint64, h nats.Header, data []byte) (shared.Record, error) {
	r := shared.Record{Number: int64(number), Data: data} //nolint:gosec // the server counts from 1
	var err error
	if r.Key, err = keyOf(subject, h); err != nil {
		return r, err
	}
	fields := strings.SplitN(h.Get(recordHeader), " ", 4)
	if len(fields) < 4 {
		return r, nil // whoever published it, it has a number, and conditions count it
	}
	kind, err1 := strconv.ParseUint(fields[0], 10, 8)
	at, err2 := strconv.ParseInt(fields[1], 10, 64)
	serial, err3 := strconv.ParseInt(fields[2], 10, 64)
	writer, err4 := strconv.Unquote(fields[3])
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		return r, fmt.Errorf("message %d on %s has a malformed header %s", number, subject, recordHeader)
	}
	r.Kind, r.Time, r.Serial, r.Writer = byte(kind), time.UnixMilli(at), serial, writer
	return r, nil
}

// size returns the bytes of a record that count towards the limit.
func size(r shared.Record) int { return len(r.Data) + len(r.Key) + len(r.Writer) }
