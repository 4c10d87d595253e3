// Pages: lists of channels in pages.

package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Paging is a request for a page. Without Pages, the whole list is returned.
type Paging struct {
	Pages  bool
	Limit  *int64
	Cursor *string
}

// Page is a page of a list with the cursor for the next one, or nil.
type Page struct {
	Entries []json.RawMessage
	Next    *string
}

// maxPage is the maximum number of entries in a page.
const maxPage = 1000

// place is the position of an entry.
type place struct {
	changed int64 // in milliseconds
	channel string
	entry   []byte
	of      *entry // which may have changed since
}

func (p place) compare(other place) int {
	return cmp.Or(-cmp.Compare(p.changed, other.changed), strings.Compare(p.channel, other.channel))
}

// cursor returns the cursor after a position. It stays valid when the list changes; entries that move ahead of it are
// notified.
func (p place) cursor() string { return strconv.FormatInt(p.changed, 10) + " " + p.channel }

var errCursor = errors.New("unknown cursor")

func readCursor(text string) (place, error) {
	changed, channel, ok := strings.Cut(text, " ")
	n, err := strconv.ParseInt(changed, 10, 64)
	if !ok || err != nil {
		return place{}, invalid(errCursor)
	}
	return place{changed: n, channel: channel}, nil
}

// Page returns a page of a list, by index, with the entries that a client may see.
func (s *Server[S, A]) Page(ctx context.Context, c *Client, nth int, p Paging) (Page, error) {
	out := Page{}
	if err := s.warmedUp(ctx); err != nil {
		return out, s.unavailable(err)
	}
	limit := maxPage
	if p.Limit != nil {
		limit = int(min(max(*p.Limit, 0), maxPage))
	}
	last := place{changed: 1<<63 - 1} // before all entries
	if p.Cursor != nil {
		var err error
		if last, err = readCursor(*p.Cursor); err != nil {
			return out, err
		}
	}
	var shown []place
	for _, at := range s.listed(nth) {
		if p.Pages && at.compare(last) <= 0 || !s.shows(ctx, c, at.channel, at.of) {
			continue
		}
		if p.Pages && len(out.Entries) == limit {
			next := last.cursor()
			out.Next = &next
			break
		}
		last = at
		out.Entries = append(out.Entries, at.entry)
		shown = append(shown, at)
	}
	if len(shown) > 0 {
		rpc.AfterReply(ctx, func(context.Context) { s.correct(c, nth, shown) })
	}
	return out, ctx.Err()
}

// correct notifies a client of what has changed since a page was made: it may have heard of that before it got the page.
func (s *Server[S, A]) correct(c *Client, nth int, shown []place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lists[nth]
	at := s.channels[l.At]
	hears := at != nil && slices.Contains(at.subscribers, c)
	for _, p := range shown {
		how, contents := l.Removed, []byte(nil)
		now := s.channels[p.channel]
		if now == nil || &now.entry != p.of {
			c.unlist(p.channel, p.of)
		}
		if !hears {
			continue
		}
		if now != nil && now.entry.data != nil {
			if how, contents = l.Updated, l.difference(p.entry, now.entry.data); contents == nil {
				continue
			}
		}
		if d, ok := s.listNotice(l, how, p.channel, contents); ok {
			d.to = []*Client{c}
			s.put(d)
		}
	}
}

// TimeText formats a time as in list entries.
func TimeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// Latest returns the later of a time and a time as text, if that is valid.
func Latest(t time.Time, text string) time.Time {
	if other, err := time.Parse(time.RFC3339Nano, text); err == nil && other.After(t) {
		return other
	}
	return t
}
