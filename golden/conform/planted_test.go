// Planted: a wrapper that makes a good program a faulty one.

package conform

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// object is a JSON object.
type object = map[string]any

// planted is a connection with a fault.
type planted struct {
	rpc.Wrapped
	link *tap.Link
	out  chan string

	mu     sync.Mutex        // guards what follows
	ended  bool              // out is closed
	asked  map[string]object // requests without an answer, by their ids as JSON
	count  int               // for faults that happen at a certain time
	noted  string
	faulty bool
}

// faults of a connection. Each may be nil.
type hooks struct {
	// said gets a message of the program, and sends what the client gets instead.
	said func(c *planted, m object, request object)
	// told gets a message of the client, and reports whether the program gets it.
	told func(c *planted, text string, m object) bool
	// link changes the link.
	link func(l *tap.Link)
}

// plant returns a link with a fault.
func plant(l *tap.Link, h hooks) *tap.Link {
	c := &planted{Wrapped: rpc.Wrapped{Transport: l.Transport}, link: l, out: make(chan string, 10_000), asked: map[string]object{}}
	go c.read(h)
	out := *l
	out.Transport = &plantedLink{c, h}
	if h.link != nil {
		h.link(&out)
	}
	return &out
}

func (c *planted) read(h hooks) {
	for {
		data, err := c.Transport.Read(record.Limit)
		if err != nil {
			c.end()
			return
		}
		m := object{}
		if !decode(string(data), &m) {
			c.say(string(data))
			continue
		}
		id := text(m["id"])
		c.mu.Lock()
		request := c.asked[id]
		if m["method"] == nil {
			delete(c.asked, id)
		} else {
			request = nil
		}
		c.mu.Unlock()
		if request == nil {
			request = object{}
		}
		if h.said == nil {
			c.say(string(data))
		} else {
			h.said(c, m, request)
		}
	}
}

// say sends the client something.
func (c *planted) say(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.out <- text
	}
}

// tell sends the client a message.
func (c *planted) tell(m object) { c.say(text(m)) }

// end ends the connection for the client, and cuts the program off.
func (c *planted) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.ended = true
		close(c.out)
		go c.link.Cut()
	}
}

// plantedLink is the client's end.
type plantedLink struct {
	*planted
	hooks hooks
}

// Read implements [rpc.Transport].
func (l *plantedLink) Read(int64) ([]byte, error) {
	text, ok := <-l.out
	if !ok {
		return nil, io.EOF
	}
	return []byte(text), nil
}

// Write implements [rpc.Transport].
func (l *plantedLink) Write(ctx context.Context, data []byte) error {
	m := object{}
	decode(string(data), &m)
	if id := text(m["id"]); m["method"] != nil && m["id"] != nil {
		l.mu.Lock()
		l.asked[id] = m
		l.mu.Unlock()
	}
	if l.hooks.told != nil && !l.hooks.told(l.planted, string(data), m) {
		return nil
	}
	return l.Transport.Write(ctx, data)
}

// decode decodes JSON with numbers as they are written.
func decode(data string, to *object) bool {
	return json.Unmarshal([]byte(data), (*numbered)(to)) == nil
}

// numbered is an object whose numbers are texts of JSON.
type numbered object

// UnmarshalJSON implements [json.Unmarshaler].
func (n *numbered) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	*n = numbered{}
	for name, raw := range members {
		var v any
		switch raw[0] {
		case '{':
			inner := object{}
			if err := json.Unmarshal(raw, (*numbered)(&inner)); err != nil {
				return err
			}
			v = inner
		case '[', '"', 't', 'f', 'n':
			if err := json.Unmarshal(raw, &v); err != nil {
				return err
			}
		default:
			v = raw
		}
		(*n)[name] = v
	}
	return nil
}

// text encodes a value.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was decoded
	}
	return string(data)
}

// failure returns an error as the answer to a request.
func failure(id any, code int) object {
	return object{"jsonrpc": "2.0", "id": id, "error": object{"code": code, "message": "planted"}}
}

// result returns a result as the answer to a request.
func result(id, v any) object { return object{"jsonrpc": "2.0", "id": id, "result": v} }
