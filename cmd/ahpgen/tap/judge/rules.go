// Rules: the kinds of findings.

package judge

import (
	"cmp"
	"slices"
)

// The rules.
const (
	NotJSON         = "not-json"
	BadMessage      = "bad-message"
	BadFraming      = "bad-framing"
	UnknownMethod   = "unknown-method"
	WrongSide       = "wrong-side"
	WrongKind       = "wrong-kind"
	BadParams       = "bad-params"
	BadResult       = "bad-result"
	BadError        = "bad-error"
	NotRequested    = "not-requested"
	AnsweredTwice   = "answered-twice"
	Unanswered      = "unanswered"
	BadID           = "bad-id"
	IDInUse         = "id-in-use"
	NeverCancelled  = "never-cancelled"
	NotInitialized  = "not-initialized"
	InitializedNow  = "initialized-twice"
	BadVersion      = "bad-version"
	OtherVersion    = "other-version"
	NotAdvertised   = "not-advertised"
	NotDeclared     = "not-declared"
	ProgressBack    = "progress-back"
	SequenceGap     = "sequence-gap"
	SequenceBack    = "sequence-back"
	UnknownAction   = "unknown-action"
	NotDispatchable = "not-dispatchable"
	WrongChannel    = "wrong-channel"
	NotSubscribed   = "not-subscribed"
	UnknownState    = "unknown-state"
	NotJudged       = "not-judged"
)

// Rules are the names of all rules, with what they are about.
var Rules = [][2]string{
	{NotJSON, "a message that is not JSON"},
	{BadMessage, "JSON that is no message: members of the envelope are missing, or contradict each other"},
	{BadFraming, "a header without a length, or a message that ends in the middle"},
	{UnknownMethod, "a method that the protocol, or the version that was agreed on, does not have"},
	{WrongSide, "a method that the other side sends"},
	{WrongKind, "a request that should be a notification, or the other way round"},
	{BadParams, "parameters that the schema does not allow"},
	{BadResult, "a result that the schema does not allow"},
	{BadError, "data of an error that the schema does not allow"},
	{NotRequested, "an answer without a request, or progress of none"},
	{AnsweredTwice, "a second answer"},
	{Unanswered, "a request without an answer at the end; a note if the side that asked closed the connection or its HTTP request, or was refused with an HTTP status below 500"},
	{BadID, "a request with an id that the protocol does not allow: null, with a fraction, or one that an answered request has had"},
	{IDInUse, "a request with the id of another one that is not answered yet"},
	{NeverCancelled, "a request that is cancelled although the protocol does not allow that"},
	{NotInitialized, "a message before the handshake"},
	{InitializedNow, "a second handshake"},
	{BadVersion, "an answer to the handshake with a version that was not offered"},
	{OtherVersion, "a note: there are no schemas of the version that was agreed on, so those of another one are used"},
	{NotAdvertised, "something for which the peer has not advertised the capability"},
	{NotDeclared, "something for which the sender itself has not advertised the capability"},
	{ProgressBack, "progress that does not rise"},
	{SequenceGap, "numbers that skip some"},
	{SequenceBack, "numbers that repeat or go back"},
	{UnknownAction, "an action that the protocol, or the version that was agreed on, does not have"},
	{NotDispatchable, "an action that clients may not dispatch"},
	{WrongChannel, "an action on a channel of another kind"},
	{NotSubscribed, "an action on a channel that the client has not subscribed to"},
	{UnknownState, "a note: the state of a channel is not known any more, for the rule of an action is not"},
	{NotJudged, "a note: messages that were too large, or too many at a time"},
}

// sorted orders messages by their numbers.
func sorted(list []*Message) []*Message {
	slices.SortFunc(list, func(a, b *Message) int { return cmp.Compare(a.N, b.N) })
	return list
}
