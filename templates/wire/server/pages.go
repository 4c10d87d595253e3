// Pages: lists of channels, as much at a time as a client wants.

package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Paging is what a client wants of a list. Without Pages, it gets all.
type Paging struct {
	Pages  bool
	Limit  *int64
	Cursor *string
}

// Page is a part of a list, with the cursor for the next one, nil if there is none.
type Page struct {
	Entries []json.RawMessage
	Next    *string
}

// maxPage is how many entries a page has at most.
const maxPage = 1000

// place is where an entry stands in a list.
type place struct {
	changed int64 // in milliseconds
	channel string
	entry   []byte
}

func (p place) compare(other place) int {
	return cmp.Or(-cmp.Compare(p.changed, other.changed), strings.Compare(p.channel, other.channel))
}

// cursor returns what a client gets to go on behind a place. It holds when the list changes: what comes to stand
// before the place, clients are told.
func (p place) cursor() string { return strconv.FormatInt(p.changed, 10) + " " + p.channel }

var errCursor = errors.New("the cursor is none that was given here")

func readCursor(text string) (place, error) {
	changed, channel, ok := strings.Cut(text, " ")
	n, err := strconv.ParseInt(changed, 10, 64)
	if !ok || err != nil {
		return place{}, invalid(errCursor)
	}
	return place{changed: n, channel: channel}, nil
}

// Page returns a part of one of the protocol's lists, by its place among them, with what a client sees of it.
func (s *Server[S, A]) Page(ctx context.Context, c *Client, nth int, p Paging) (Page, error) {
	out := Page{}
	limit := maxPage
	if p.Limit != nil {
		limit = int(min(max(*p.Limit, 0), maxPage))
	}
	last := place{changed: 1<<63 - 1} // which nothing stands before
	if p.Cursor != nil {
		var err error
		if last, err = readCursor(*p.Cursor); err != nil {
			return out, err
		}
	}
	for _, at := range s.listed(nth) {
		if p.Pages && at.compare(last) <= 0 || !s.shows(ctx, c, at.channel) {
			continue
		}
		if p.Pages && len(out.Entries) == limit {
			next := last.cursor()
			out.Next = &next
			break
		}
		last = at
		out.Entries = append(out.Entries, at.entry)
	}
	return out, ctx.Err()
}

// TimeText returns a time as lists write it.
func TimeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// Latest returns the later one of a time and one that a state has as a text, if that is a time.
func Latest(t time.Time, text string) time.Time {
	if other, err := time.Parse(time.RFC3339Nano, text); err == nil && other.After(t) {
		return other
	}
	return t
}
