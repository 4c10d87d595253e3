// Nullable: a member that may be absent, null or a value, where all three mean something else.

package wire

// Nullable is a member that can be absent, null or a value. The zero value is absent.
type Nullable[T any] struct {
	value T
	state nullableState
}

type nullableState uint8

const (
	nullableAbsent nullableState = iota
	nullableNull
	nullableValue
)

// Of returns a member that holds v.
func Of[T any](v T) Nullable[T] { return Nullable[T]{v, nullableValue} }

// Null returns a member that is null.
func Null[T any]() Nullable[T] { return Nullable[T]{state: nullableNull} }

// Get returns the value and whether there is one.
func (n Nullable[T]) Get() (T, bool) { return n.value, n.state == nullableValue }

// IsNull reports whether the member is null.
func (n Nullable[T]) IsNull() bool { return n.state == nullableNull }

// IsAbsent reports whether the member is left out.
func (n Nullable[T]) IsAbsent() bool { return n.state == nullableAbsent }

// Pointer returns a pointer to v, for members that may be absent.
func Pointer[T any](v T) *T { return &v }
