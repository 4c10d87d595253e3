// The table of rules: the meaning of each rule, its mirror image, and its effect on readers.

package verdict

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/flow"
)

// Rule describes one kind of change.
type Rule struct {
	ID       change.Rule
	Category string
	Meaning  string
	// Mirror is the rule reported when comparing in the other direction. It is empty for rules that only apply
	// forward in time.
	Mirror change.Rule
	// Advice marks a rule that informs without a verdict.
	Advice bool
	// gated reports whether a new writer does not send it to an old reader, since it knows the agreed version.
	gated bool

	wire  func(change.Change) cells
	where func(*judge, change.Change) flow.Set // if nil: where the type containing the change travels
}

// OnWire reports whether the rule concerns messages, as opposed to definitions or versions.
func (r *Rule) OnWire() bool { return r.wire != nil }

// cell is an entry of the table: how a reader handles what a writer sends. In the clause, {from} is the sender and
// {to} the reader.
type cell struct {
	verdict Verdict
	why     string
}

// cells are the two entries of a change: old writer to new reader, and new writer to old reader.
type cells struct{ oldToNew, newToOld cell }

func fine() cell                { return cell{} }
func tolerated(why string) cell { return cell{Tolerated, why} }
func breaks(why string) cell    { return cell{Breaks, why} }

// always returns a verdict that does not depend on the details of the change.
func always(oldToNew, newToOld cell) func(change.Change) cells {
	return func(change.Change) cells { return cells{oldToNew, newToOld} }
}

// both returns a verdict that is the same whoever writes.
func both(c cell) func(change.Change) cells { return always(c, c) }

// when returns one verdict for changes for which a condition holds, and another one for all others.
func when(holds func(change.Change) bool, then, otherwise func(change.Change) cells) func(change.Change) cells {
	return func(c change.Change) cells {
		if holds(c) {
			return then(c)
		}
		return otherwise(c)
	}
}

// harmless is the entry for changes that no reader notices.
var harmless = both(fine())

// category returns the rules of a category. They apply where the category does, unless they say where.
func category(name string, where func(*judge, change.Change) flow.Set, rules []Rule) []Rule {
	for i := range rules {
		rules[i].Category = name
		if rules[i].where == nil {
			rules[i].where = where
		}
	}
	return rules
}

const (
	lacks      = "{from} does not send it; {to} requires it"
	mayLeave   = "{from} may leave it out; {to} requires it"
	ignores    = "{from} sends it; {to} drops it"
	unread     = "{from} sends it; {to} keeps it without reading it"
	newValue   = "{from} may send the new value; {to} does not take it"
	unlisted   = "{from} may send values that are not listed; {to} refuses them"
	strange    = "{from} may send variants that are not listed; {to} refuses them"
	keeps      = "{from} may send it; {to} keeps it as unknown"
	general    = "{from} may send it; {to} reads it as the variant with any other tag"
	unknown    = "{from} may send it; {to} refuses what it does not know"
	retired    = "{from} may still send it; {to} no longer handles it"
	notTaken   = "{from} may send what {to} does not take"
	other      = "{to} does not understand what {from} sends"
	refuses    = "{from} may call it; {to} answers that it does not exist: call it by version"
	noLonger   = "{from} calls it; {to} answers that it does not exist"
	unheard    = "{from} sends it; {to} does not know it and drops it"
	rejects    = "{from} may dispatch it; {to} rejects it: dispatch it by version"
	rejected   = "{from} dispatches it; {to} rejects it"
	drifts     = "{to} does something else to its state than {from}, and the two differ from then on"
	tooSoon    = "{from} and {to} differ in what a client may use before it has introduced itself"
	unrepeated = "{from} and {to} differ in what a client asks for again on each connection"
	mayDrift   = "{to} has another reducer than {from}, and their states may differ from then on"
	unsupplied = "{to} may rely on what {from} no longer sends"
	ungated    = "{from} sends it regardless of capabilities; {to} may not accept it"
	uncalled   = "{from} cancels requests by a method that {to} does not know"
	untold     = "{from} reports progress by a method that {to} does not know"
	onlyNull   = "{from} answers null; {to} wants a result"
	maybeNull  = "{from} may answer null; {to} wants a result"
	outside    = "{from} may send values that {to} refuses, if it checks them"
	unnoticed  = "{from} may send values that {to} does not expect; decoders take them"
	unlike     = "{from} may send what {to} does not expect, which reads it as raw JSON"
	supplied   = "{from} may leave it out; {to} takes the default for it"
	unsaid     = "{from} may leave it out and mean the default; {to} has none"
	misread    = "{from} may leave it out and mean another value than {to} takes for it"
	undeclared = "{from} may send undeclared members; {to} drops them"
	closedOut  = "{from} may send members of any name; {to} allows only those that it declares"
	withheld   = "{from} does not send it, unless {to} has said what {from} asks for"
)

// Rules is the table, grouped by category.
var Rules = slices.Concat(
	category("member", nil, []Rule{
		{ID: change.FieldAdded, Mirror: change.FieldRemoved, wire: when(requiredNow, always(breaks(lacks), tolerated(ignores)), always(fine(), tolerated(ignores))),
			Meaning: "an object has a member that it had not"},
		{ID: change.FieldRemoved, Mirror: change.FieldAdded, wire: when(requiredBefore, always(fine(), breaks(lacks)), harmless),
			Meaning: "an object no longer has a member"},
		{ID: change.FieldBecameRequired, Mirror: change.FieldBecameOptional, wire: always(breaks(mayLeave), fine()),
			Meaning: "a member that could be left out must be there"},
		{ID: change.FieldBecameOptional, Mirror: change.FieldBecameRequired, wire: always(fine(), breaks(mayLeave)),
			Meaning: "a member that had to be there may be left out"},
		{ID: change.FieldNullAllowed, Mirror: change.FieldNullRefused, wire: always(fine(), breaks("{from} may send null; {to} does not take it")),
			Meaning: "a member may be null as a value of its own"},
		{ID: change.FieldNullRefused, Mirror: change.FieldNullAllowed, wire: always(breaks("{from} may send null; {to} does not take it"), fine()),
			Meaning: "a member may no longer be null"},
		{ID: change.ReadingChanged, Mirror: change.ReadingChanged, wire: readingChanged,
			Meaning: "it is said anew what a member stands for: bytes in base64, a date and time, or what a number counts"},
		{ID: change.DefaultAdded, Mirror: change.DefaultRemoved, wire: always(tolerated(supplied), tolerated(unsaid)),
			Meaning: "it is said what a member stands for that is left out"},
		{ID: change.DefaultRemoved, Mirror: change.DefaultAdded, wire: always(tolerated(unsaid), tolerated(supplied)),
			Meaning: "it is no longer said what a member stands for that is left out"},
		{ID: change.DefaultChanged, Mirror: change.DefaultChanged, wire: both(breaks(misread)),
			Meaning: "a member that is left out stands for another value"},
		{ID: change.ExtraAllowed, Mirror: change.ExtraDropped, wire: extraAllowed,
			Meaning: "an object keeps members that the schema does not declare by name"},
		{ID: change.ExtraDropped, Mirror: change.ExtraAllowed, wire: extraDropped,
			Meaning: "an object no longer keeps members that the schema does not declare by name"},
	}),
	category("type", nil, []Rule{
		{ID: change.TypeWidened, Mirror: change.TypeNarrowed, wire: always(fine(), breaks(notTaken)),
			Meaning: "a place takes all that it took, and more"},
		{ID: change.TypeNarrowed, Mirror: change.TypeWidened, wire: always(breaks(notTaken), fine()),
			Meaning: "a place takes only a part of what it took"},
		{ID: change.TypeChanged, Mirror: change.TypeChanged, wire: both(breaks(other)),
			Meaning: "a place takes something else"},
		{ID: change.TypeRestated, Mirror: change.TypeRestated, wire: harmless,
			Meaning: "a place takes the same values under another type"},
		{ID: change.ConstantChanged, Mirror: change.ConstantChanged, wire: both(breaks(other)),
			Meaning: "a constant or a discriminator has another value"},
	}),
	category("limit", nil, []Rule{
		{ID: change.LimitTightened, Mirror: change.LimitLoosened, wire: limited,
			Meaning: "values have to satisfy more than before, such as a lower maximum; a format, or that they are not negative, only tells more of them"},
		{ID: change.LimitLoosened, Mirror: change.LimitTightened, wire: limited,
			Meaning: "values have to satisfy less than before"},
		{ID: change.LimitChanged, Mirror: change.LimitChanged, wire: limited,
			Meaning: "values have to satisfy something else, such as another pattern"},
		{ID: change.RawChanged, Mirror: change.RawChanged, wire: both(breaks(unlike)),
			Meaning: "the schema of a place is another one that is raw JSON in Go; whether it takes more or less, nobody can tell"},
	}),
	category("enum", nil, []Rule{
		{ID: change.EnumValueAdded, Mirror: change.EnumValueRemoved, wire: when(wasOpen, always(fine(), tolerated(keeps)), always(fine(), breaks(newValue))),
			Meaning: "an enum has a value that it had not"},
		{ID: change.EnumValueRemoved, Mirror: change.EnumValueAdded, wire: always(breaks(retired), fine()),
			Meaning: "an enum no longer has a value"},
		{ID: change.EnumOpened, Mirror: change.EnumClosed, wire: always(fine(), breaks(unlisted)),
			Meaning: "values that an enum does not list are kept"},
		{ID: change.EnumClosed, Mirror: change.EnumOpened, wire: always(breaks(unlisted), fine()),
			Meaning: "values that an enum does not list are refused"},
		{ID: change.EnumKindChanged, Mirror: change.EnumKindChanged, wire: both(breaks(other)),
			Meaning: "an enum has values of another kind: strings, integers or flags"},
	}),
	category("union", nil, []Rule{
		{ID: change.VariantAdded, Mirror: change.VariantRemoved, wire: variantAdded,
			Meaning: "a union has a variant that it had not"},
		{ID: change.VariantRemoved, Mirror: change.VariantAdded, wire: always(breaks(retired), fine()),
			Meaning: "a union no longer has a variant"},
		{ID: change.UnionOpened, Mirror: change.UnionClosed, wire: always(fine(), breaks(strange)),
			Meaning: "variants that a union does not list are kept"},
		{ID: change.UnionClosed, Mirror: change.UnionOpened, wire: always(breaks(strange), fine()),
			Meaning: "variants that a union does not list are refused"},
		{ID: change.DiscriminatorChanged, Mirror: change.DiscriminatorChanged, wire: both(breaks(other)),
			Meaning: "the variants of a union are told apart by something else"},
	}),
	category("definition", nil, []Rule{
		{ID: change.TypeAdded, Mirror: change.TypeRemoved,
			Meaning: "there is a definition that was not there; what uses it is a change of its own"},
		{ID: change.TypeRemoved, Mirror: change.TypeAdded,
			Meaning: "a definition is gone; what used it is a change of its own"},
		{ID: change.Deprecated, Mirror: change.DeprecationTaken, Advice: true,
			Meaning: "a type or member is marked deprecated"},
		{ID: change.DeprecationTaken, Mirror: change.Deprecated, Advice: true,
			Meaning: "a type or member is no longer marked deprecated"},
		{ID: change.TypeRenamed, Mirror: change.TypeRenamed,
			Meaning: "a type has another name wherever it is used; names are not on the wire"},
		{ID: change.RenameCandidate, Mirror: change.RenameCandidate, Advice: true,
			Meaning: "one thing went and one of almost its name or of its shape came: perhaps it has a new name"},
	}),
	category("method", (*judge).row, []Rule{
		{ID: change.MethodAdded, Mirror: change.MethodRemoved, wire: always(fine(), tolerated(refuses)),
			Meaning: "there is a request that was not there"},
		{ID: change.MethodRemoved, Mirror: change.MethodAdded, wire: always(breaks(noLonger), fine()),
			Meaning: "a request is gone"},
		{ID: change.NotificationAdded, Mirror: change.NotificationRemoved, wire: always(fine(), tolerated(unheard)),
			Meaning: "there is a notification that was not there"},
		{ID: change.NotificationRemoved, Mirror: change.NotificationAdded, wire: always(tolerated(unheard), tolerated(unsupplied)),
			Meaning: "a notification is gone"},
		{ID: change.MethodDirectionGained, Mirror: change.MethodDirectionLost, where: (*judge).side, wire: when(isNotification, always(fine(), tolerated(unheard)), always(fine(), tolerated(refuses))),
			Meaning: "one more party sends the method"},
		{ID: change.MethodDirectionLost, Mirror: change.MethodDirectionGained, where: (*judge).side, wire: when(isNotification, always(tolerated(unheard), tolerated(unsupplied)), always(breaks(noLonger), fine())),
			Meaning: "a party no longer sends the method"},
		{ID: change.MethodKindChanged, Mirror: change.MethodKindChanged, wire: both(breaks(other)),
			Meaning: "a request became a notification or the other way round, or has several results instead of one or the other way round"},
		{ID: change.ParamsAdded, Mirror: change.ParamsRemoved, wire: when(demandingNow, always(breaks(lacks), tolerated(ignores)), always(fine(), tolerated(ignores))),
			Meaning: "a method that took no parameters takes some"},
		{ID: change.ParamsRemoved, Mirror: change.ParamsAdded, wire: when(demandingBefore, always(fine(), breaks(lacks)), harmless),
			Meaning: "a method no longer takes parameters"},
		{ID: change.ResultAdded, Mirror: change.ResultRemoved, where: (*judge).result, wire: when(nullNow, always(fine(), tolerated(ignores)), always(breaks(onlyNull), tolerated(ignores))),
			Meaning: "a request that was answered with null has a result"},
		{ID: change.ResultRemoved, Mirror: change.ResultAdded, where: (*judge).result, wire: when(nullBefore, harmless, always(fine(), breaks(onlyNull))),
			Meaning: "a request is answered with null"},
		{ID: change.ResultNullAllowed, Mirror: change.ResultNullRefused, where: (*judge).result, wire: always(fine(), breaks(maybeNull)),
			Meaning: "a request that had a result may be answered with null"},
		{ID: change.ResultNullRefused, Mirror: change.ResultNullAllowed, where: (*judge).result, wire: always(breaks(maybeNull), fine()),
			Meaning: "a request that could be answered with null always has a result"},
	}),
	category("action", (*judge).row, []Rule{
		{ID: change.ActionAdded, Mirror: change.ActionRemoved, wire: variantAdded, gated: true,
			Meaning: "there is an action that was not there"},
		{ID: change.ActionRemoved, Mirror: change.ActionAdded, wire: always(breaks(retired), fine()),
			Meaning: "an action is gone"},
		{ID: change.ActionDispatchGained, Mirror: change.ActionDispatchLost, where: (*judge).dispatch, wire: always(fine(), tolerated(rejects)),
			Meaning: "clients may dispatch an action that was the host's alone"},
		{ID: change.ActionDispatchLost, Mirror: change.ActionDispatchGained, where: (*judge).dispatch, wire: always(breaks(rejected), fine()),
			Meaning: "clients may no longer dispatch an action"},
		{ID: change.ActionChannelChanged, Mirror: change.ActionChannelChanged, wire: both(breaks("{from} sends it on a channel where {to} does not expect it")),
			Meaning: "an action belongs to another channel"},
		{ID: change.RuleAdded, Mirror: change.RuleRemoved,
			Meaning: "it is said what actions do, by effects or in finished reducers"},
		{ID: change.RuleRemoved, Mirror: change.RuleAdded,
			Meaning: "it is no longer said what actions do: their reducers are for you to write"},
		{ID: change.RuleChanged, Mirror: change.RuleChanged, wire: when(change.Change.Uncompared, both(tolerated(mayDrift)), both(breaks(drifts))),
			Meaning: "an action does something else to the state of its channel; if that could not be tried, it may"},
		{ID: change.RuleRestated, Mirror: change.RuleRestated,
			Meaning: "what an action does is stated in other words; on random states both do the same"},
		{ID: change.LifecycleAdded, Mirror: change.LifecycleRemoved,
			Meaning: "it is said which actions lead a value from status to status"},
		{ID: change.LifecycleRemoved, Mirror: change.LifecycleAdded,
			Meaning: "it is no longer said which actions lead a value from status to status"},
		{ID: change.LifecycleChanged, Mirror: change.LifecycleChanged, wire: both(breaks(drifts)),
			Meaning: "an action leads a value from other statuses, or to others"},
	}),
	category("channel", nil, []Rule{
		{ID: change.ChannelAdded, Mirror: change.ChannelRemoved, where: (*judge).dispatch, wire: always(fine(), tolerated("{from} may subscribe to it; {to} does not have it: subscribe by version")),
			Meaning: "there is a kind of channel that was not there"},
		{ID: change.ChannelRemoved, Mirror: change.ChannelAdded, where: (*judge).dispatch, wire: always(breaks("{from} subscribes to it; {to} no longer has it"), fine()),
			Meaning: "a kind of channel is gone"},
		{ID: change.ChannelURIChanged, Mirror: change.ChannelURIChanged, where: everywhere, wire: both(breaks(other)),
			Meaning: "the URIs of a channel look different"},
		{ID: change.ChannelPassThroughChanged, Mirror: change.ChannelPassThroughChanged, where: everywhere, wire: both(breaks(other)),
			Meaning: "messages that are passed on raw say by another member which channel they are for"},
		{ID: change.ChannelPrefixChanged, Mirror: change.ChannelPrefixChanged, where: (*judge).broadcast, wire: harmless,
			Meaning: "a channel claims actions of another prefix; what that does to an action is a change of its own"},
		{ID: change.ChannelStateAdded, Mirror: change.ChannelStateRemoved, where: (*judge).broadcast, wire: always(breaks(lacks), tolerated(ignores)),
			Meaning: "a channel that carried messages only has a state"},
		{ID: change.ChannelStateRemoved, Mirror: change.ChannelStateAdded, where: (*judge).broadcast, wire: always(fine(), breaks(lacks)),
			Meaning: "a channel no longer has a state"},
	}),
	category("error", (*judge).errors, []Rule{
		{ID: change.ErrorAdded, Mirror: change.ErrorRemoved, wire: always(fine(), tolerated("{from} may answer with it; {to} sees a code that it does not know")),
			Meaning: "there is an error code that was not there"},
		{ID: change.ErrorRemoved, Mirror: change.ErrorAdded, wire: always(tolerated("{from} may answer with it; {to} sees a code that it does not know"), fine()),
			Meaning: "an error code is gone"},
		{ID: change.ErrorRenamed, Mirror: change.ErrorRenamed, wire: harmless,
			Meaning: "an error code has another name; names are not on the wire"},
		{ID: change.ErrorDataAdded, Mirror: change.ErrorDataRemoved, wire: always(breaks(lacks), tolerated(ignores)),
			Meaning: "an error carries data that it did not"},
		{ID: change.ErrorDataRemoved, Mirror: change.ErrorDataAdded, wire: always(fine(), breaks(unsupplied)),
			Meaning: "an error no longer carries data"},
	}),
	category("conversation", everywhere, []Rule{
		{ID: change.HandshakeChanged, Mirror: change.HandshakeChanged, wire: both(breaks(other)),
			Meaning: "versions are agreed upon in another way"},
		{ID: change.ExtensionPrefixChanged, Mirror: change.ExtensionPrefixChanged, wire: extensionPrefixChanged,
			Meaning: "names that belong to extensions begin with something else"},
		{ID: change.ExtensionMetaChanged, Mirror: change.ExtensionMetaChanged, wire: both(tolerated(ignores)),
			Meaning: "data beyond the protocol stands in another member"},
		{ID: change.CancellingChanged, Mirror: change.CancellingChanged, wire: both(tolerated(uncalled)),
			Meaning: "requests are cancelled in another way"},
		{ID: change.PingChanged, Mirror: change.PingChanged, wire: both(tolerated("{from} asks for a sign of life in a way that {to} does not know, and takes any answer for one")),
			Meaning: "peers are asked for a sign of life in another way"},
		{ID: change.RequestIDsChanged, Mirror: change.RequestIDsChanged, wire: requestIDs,
			Meaning: "other ids of requests are ruled out"},
		{ID: change.ProgressChanged, Mirror: change.ProgressChanged, wire: both(tolerated(untold)),
			Meaning: "the progress of requests is reported by another method"},
		{ID: change.BatchesAdded, Mirror: change.BatchesRemoved, wire: always(fine(), breaks("{from} may send a batch; {to} takes it for a malformed message")),
			Meaning: "messages may come in batches, or more of them may"},
		{ID: change.BatchesRemoved, Mirror: change.BatchesAdded, wire: always(breaks("{from} may send a batch; {to} takes it for a malformed message"), fine()),
			Meaning: "messages no longer come in batches, or fewer of them may"},
		{ID: change.EnvelopeChanged, Mirror: change.EnvelopeChanged, wire: both(breaks("the messages of {from} are malformed to {to}")),
			Meaning: "messages look different"},
		{ID: change.HTTPChanged, Mirror: change.HTTPChanged, wire: httpChanged,
			Meaning: "messages travel otherwise over HTTP; other transports are not concerned"},
		{ID: change.GateAdded, Mirror: change.GateRemoved, where: (*judge).row, wire: always(tolerated(ungated), tolerated(withheld)),
			Meaning: "a message needs a capability of its receiver, and needed none"},
		{ID: change.GateRemoved, Mirror: change.GateAdded, where: (*judge).row, wire: always(tolerated(withheld), tolerated(ungated)),
			Meaning: "a message no longer needs a capability of its receiver"},
		{ID: change.GateChanged, Mirror: change.GateChanged, where: (*judge).row, wire: both(tolerated(withheld)),
			Meaning: "a message needs another capability of its receiver"},
		{ID: change.OwnGateChanged, Mirror: change.OwnGateChanged, where: (*judge).row, wire: ownGate,
			Meaning: "a message needs another capability of its sender, or needed none, or needs none"},
		{ID: change.ReplicationAdded, Mirror: change.ReplicationRemoved,
			Meaning: "it is said by which types and members states reach a client"},
		{ID: change.ReplicationRemoved, Mirror: change.ReplicationAdded,
			Meaning: "it is no longer said by which types and members states reach a client"},
		{ID: change.ReplicationChanged, Mirror: change.ReplicationChanged, wire: both(breaks(other)),
			Meaning: "states reach a client by other types or members"},
		{ID: change.SessionAdded, Mirror: change.SessionRemoved,
			Meaning: "it is said by which methods a client comes and goes"},
		{ID: change.SessionRemoved, Mirror: change.SessionAdded,
			Meaning: "it is no longer said by which methods a client comes and goes"},
		{ID: change.SessionChanged, Mirror: change.SessionChanged, wire: sessionChanged,
			Meaning: "a client comes and goes by other methods or members"},
	}),
	category("helper", nil, []Rule{
		{ID: change.HelperAdded, Mirror: change.HelperRemoved,
			Meaning: "packages have one more type or function for those who program"},
		{ID: change.HelperRemoved, Mirror: change.HelperAdded,
			Meaning: "packages no longer have a type or function for those who program"},
		{ID: change.HelperChanged, Mirror: change.HelperChanged,
			Meaning: "a type or function for those who program has or takes something else"},
	}),
	category("version", nil, []Rule{
		{ID: change.SinceChanged, Mirror: change.SinceChanged,
			Meaning: "an action or method says that it came in with another version"},
		{ID: change.SinceMissing,
			Meaning: "a new action or method does not say in which version it came, where others do"},
		{ID: change.VersionTooSmall,
			Meaning: "the version moved less than the changes call for"},
	}),
)

// Lookup returns the rule of the given name, or nil.
func Lookup(id change.Rule) *Rule {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return &Rules[i]
}
