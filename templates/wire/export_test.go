// Export: internals that tests look at.

package wire

const (
	Shares       = shares
	FewKeys      = fewKeys
	MaxCopied    = maxCopied
	MaxReported  = maxReported
	MaxPathNames = maxPathNames
	MissingValue = missingValue
	MaxShared    = maxShared
	MaxArena     = maxArena
	MaxMessage   = maxMessage
	MaxExcerpt   = maxExcerpt
	MinUncleared = minUncleared
)

var (
	JoinNames = joinNames
	SkipSpace = skipSpace
	Uncleared = uncleared
)

func (d *Decoder) Depth() int       { return d.depth }
func (d *Decoder) Room() []byte     { return d.text.chunk }
func (d *Decoder) SetRoom(b []byte) { d.text.chunk = b }
func (d *Decoder) Used() int        { return d.text.used }
func (d *Decoder) Remembers() bool  { return d.again != nil }
func (d *Decoder) GoneOver() int    { return d.again.over }
func (d *Decoder) LocatedUpTo() int { return d.again.locator.pos }
func (e *Encoder) Reason() string   { return e.reason }

func PlaceAt(pos, depth int) Place { return Place{pos, depth} }
