//go:build ahpgen_reducers

// When a chat was modified: what reducers say of the time.

package ahp

// modifiedAtStart is when a chat was modified whose turn begins.
func (r *Reducer) modifiedAtStart(*ChatTurnStartedAction) string { return r.timestamp() }

// modifiedAtEnd is when a chat was modified whose open turn ends after so many milliseconds.
func (r *Reducer) modifiedAtEnd(_ *ChatState, duration int64) string { return r.timestamp() }

// modifiedMeanwhile is when a chat was modified in which something happens that neither begins nor ends a turn.
func (r *Reducer) modifiedMeanwhile(*ChatState) string { return r.timestamp() }

// timestamp returns the time as states hold it: in UTC, to the millisecond.
func (r *Reducer) timestamp() string {
	return r.now().UTC().Format("2006-01-02T15:04:05.000Z")
}
