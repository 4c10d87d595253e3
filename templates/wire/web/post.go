// Requests: what both kinds of clients send.

package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Options configures a client. Zero fields use defaults.
type Options struct {
	// HTTP sends the requests. It must not limit the time of a whole request if streams are used. The default follows
	// redirects on the same host only.
	HTTP *http.Client
	// Header is sent with each request.
	Header http.Header
	// Authorize prepares each request before it is sent, for example with a token in the header Authorization. If the
	// server has refused the request with 401 or 403, it is called once more with that answer, whose body is closed, and
	// the request is sent again; with an error it is not, and that is returned.
	Authorize func(r *http.Request, refused *http.Response) error
	// MaxMessage is the maximum size of a received message in bytes. The default is 32 MiB.
	MaxMessage int64
	// CallTimeout limits calls of a [Client] whose context has no deadline. The default is two minutes; a negative value means
	// no limit. It does not limit [Client.Stream].
	CallTimeout time.Duration
	// Schema returns the schema of what a request calls, by its name, or nil. Headers repeat the arguments for which it asks, if the
	// dialect has that.
	Schema func(called string) json.RawMessage
	// Handler handles notifications that a [Client] receives before the answer to a request.
	Handler rpc.Handler
	// OnError is called with what goes wrong without a caller to tell: messages that cannot be handled, streams that
	// could not be resumed. That of a session is called with one error after the other, on a goroutine of its own, perhaps after
	// the session was closed. While 1,000 wait, further ones are dropped.
	OnError func(error)
}

// StatusError is returned for an answer with another HTTP status than expected. If the server says more, in an error answer,
// it wraps an [*rpc.Error].
type StatusError struct {
	Status int
	Text   string // the beginning of the body, if that is text
	Answer *rpc.Error
}

// Error implements error.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("HTTP status %d %s", e.Status, http.StatusText(e.Status))
	switch {
	case e.Answer != nil:
		return text + ": " + e.Answer.Error()
	case e.Text != "":
		return text + ": " + wire.Readable(e.Text)
	}
	return text
}

// Unwrap returns the server's error answer.
func (e *StatusError) Unwrap() error {
	if e.Answer == nil {
		return nil
	}
	return e.Answer
}

// remote is a server as a client sees it.
type remote struct {
	url     string
	dialect *Dialect
	options Options
}

func newRemote(url string, d *Dialect, o *Options) remote {
	r := remote{url: url, dialect: d.orNone()}
	if o != nil {
		r.options = *o
	}
	if r.options.HTTP == nil {
		r.options.HTTP = &http.Client{CheckRedirect: sameHost}
	}
	r.options.CallTimeout = orDefault(r.options.CallTimeout, 2*time.Minute)
	r.options.MaxMessage = orDefault(r.options.MaxMessage, 32<<20)
	if r.options.OnError == nil {
		r.options.OnError = func(error) {}
	}
	return r
}

// sameHost follows redirects that do not take the headers, which may be secret, anywhere else.
func sameHost(r *http.Request, before []*http.Request) error {
	if first := before[0].URL; r.URL.Host != first.Host || r.URL.Scheme != first.Scheme || len(before) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

// do sends a request, and again if it is refused and the caller has another authorization.
func (r *remote) do(ctx context.Context, method string, body []byte, set func(http.Header) error) (*http.Response, error) {
	var refused *http.Response
	for {
		var in io.Reader
		if body != nil {
			in = bytes.NewReader(body)
		}
		request, err := http.NewRequestWithContext(ctx, method, r.url, in)
		if err != nil {
			return nil, fmt.Errorf("request: %w", err)
		}
		for key, values := range r.options.Header {
			request.Header[http.CanonicalHeaderKey(key)] = slices.Clone(values) // to which Authorize may add
		}
		if body != nil {
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Accept", "application/json, text/event-stream")
		}
		if err := set(request.Header); err != nil {
			return nil, err
		}
		if r.options.Authorize != nil {
			if err := r.options.Authorize(request, refused); err != nil {
				return nil, fmt.Errorf("authorize: %w", err)
			}
		}
		response, err := r.options.HTTP.Do(request)
		if err != nil {
			return nil, rpc.WithCause(ctx, err)
		}
		again := response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden
		if !again || refused != nil || r.options.Authorize == nil {
			return response, nil
		}
		_ = response.Body.Close()
		refused = response
	}
}

// mediaType returns the media type of an answer, without parameters.
func mediaType(response *http.Response) string {
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// readAll reads a body of limited size.
func (r *remote) readAll(in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, r.options.MaxMessage+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("answer: %w", err)
	case int64(len(data)) > r.options.MaxMessage:
		return nil, fmt.Errorf("%w: an answer of more than %d bytes", rpc.ErrTooLarge, r.options.MaxMessage)
	}
	return data, nil
}

// refused returns the error for an answer with another status than expected, whose body it reads.
func (r *remote) refused(response *http.Response) *StatusError {
	e := &StatusError{Status: response.StatusCode}
	data, err := r.readAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return e
	}
	if mediaType(response) == "application/json" {
		if m, err := rpc.Decode(data, nil); err == nil && m.Kind == rpc.Failure {
			e.Answer = m.Error
			return e
		}
	}
	e.Text = strings.TrimSpace(string(data[:min(len(data), 200)]))
	return e
}

// cut returns the error for a stream that ended, which io.EOF is not.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// gone reports whether an answer says that there is no such session, and ends the connection then. Why the session has ended may be
// in that answer, or still come on the stream that is listened to.
func (t *Transport) gone(response *http.Response) bool {
	t.mu.Lock()
	ended, hears := response.StatusCode == http.StatusNotFound && t.session != "", t.hears
	t.mu.Unlock()
	if !ended {
		return false
	}
	reason := t.farewell(response)
	switch {
	case reason == nil && !hears:
		t.cancel(ErrSessionEnded)
		return true
	case reason != nil:
		go func() { // the reader may wait for what the caller does
			t.hand(reason)
			t.cancel(ErrSessionEnded)
		}()
	}
	time.AfterFunc(maxListen, func() { t.cancel(ErrSessionEnded) })
	return true
}

// farewell returns the message in an answer that says why a session has ended, or nil.
func (t *Transport) farewell(response *http.Response) []byte {
	if mediaType(response) != "application/json" {
		return nil
	}
	data, err := t.readAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return nil
	}
	if m, err := rpc.Decode(data, nil); err != nil || !ends(&m) {
		return nil
	}
	return data
}
