// Rules: the kinds of findings beyond those of a tap.

package conform

// The rules.
const (
	NotAnswered  = "not-answered"
	Answered     = "answered-notification"
	WrongCode    = "wrong-code"
	Internal     = "internal-error"
	NotRefused   = "not-refused"
	Refused      = "refused"
	NotServed    = "not-served"
	WrongVersion = "wrong-version"
	Lost         = "connection-lost"
	Crashed      = "crashed"
	NotEnded     = "not-ended"
	NotCancelled = "not-cancelled"
	NotReplayed  = "not-replayed"
	OtherState   = "other-state"
	NotContinued = "not-continued"
)

// Rules are the names of the rules, with what they are about. What the program says is judged by those of a tap as well.
var Rules = [][2]string{
	{NotAnswered, "a request without an answer"},
	{Answered, "an answer to a notification, or to an answer"},
	{WrongCode, "an error with another code than the one that there is for the case"},
	{Internal, "an internal error for something that the other side did wrong; a note if it did nothing wrong"},
	{NotRefused, "a result for what the protocol does not allow; a note if it leaves it open"},
	{Refused, "an error for what the protocol allows"},
	{NotServed, "a method that is not served although it was advertised, or asks for a sign of life; a note if there is nothing to advertise"},
	{WrongVersion, "an answer to the handshake with a version that cannot be meant"},
	{Lost, "a connection that ends although the other side can go on"},
	{Crashed, "a program that ends with a signal, or with the exit code of a panic"},
	{NotEnded, "a program that goes on after its input has ended"},
	{NotCancelled, "a request that goes on after it was cancelled"},
	{NotReplayed, "actions that a client has missed and does not get, or gets twice, when it is back"},
	{OtherState, "a state that differs from the one which follows from the actions"},
	{NotContinued, "a client that does not go on after something that it has to understand"},
}
