//go:build ahpgen_reducers

// When a chat was modified, which the actions say: all peers come to the same.

package ahp

import "time"

// modifiedAtStart is when a chat was modified whose turn begins: then.
func (r *Reducer) modifiedAtStart(a *ChatTurnStartedAction) string { return a.StartedAt }

// modifiedAtEnd is when a chat was modified whose open turn ends after so many milliseconds: that long after it began.
// Where no date can be told from that, nothing changes.
func (r *Reducer) modifiedAtEnd(s *ChatState, duration int64) string {
	began, err := time.Parse(time.RFC3339, s.ActiveTurn.StartedAt)
	if err != nil {
		return s.ModifiedAt
	}
	ended := time.UnixMilli(began.UnixMilli() + duration).UTC()
	if ended.Before(began.Truncate(time.Millisecond)) || ended.Year() > 9999 { // out of range
		return s.ModifiedAt
	}
	return ended.Format("2006-01-02T15:04:05.000Z")
}

// modifiedMeanwhile is when a chat was modified in which something happens that neither begins nor ends a turn. That
// does not count.
func (r *Reducer) modifiedMeanwhile(s *ChatState) string { return s.ModifiedAt }
