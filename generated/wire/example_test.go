package wire_test

import (
	"errors"
	"fmt"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

// An error says where in the text something is wrong, by the names of the members that lead there.
func ExampleDecodeError() {
	_, err := ahp.Decode[ahp.ActionEnvelope]([]byte(`{"channel":"ahp-chat:/1","serverSeq":"seven","action":{"type":"chat/delta"}}`))
	var wrong *wire.DecodeError
	if errors.As(err, &wrong) {
		fmt.Println("at", wrong.Path())
	}
	fmt.Println(err)
	// Output:
	// at serverSeq
	// serverSeq: want integer, got string
}

// A member that may be null as well as absent has three states.
func ExampleNullable() {
	show := func(n wire.Nullable[string]) {
		switch v, ok := n.Get(); {
		case ok:
			fmt.Println("value:", v)
		case n.IsNull():
			fmt.Println("null")
		default:
			fmt.Println("absent")
		}
	}
	show(wire.Of("text"))
	show(wire.Null[string]())
	show(wire.Nullable[string]{})
	// Output:
	// value: text
	// null
	// absent
}
