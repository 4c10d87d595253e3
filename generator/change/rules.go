// The names of the rules. Package verdict defines their meaning.

package change

// Rule is the stable identifier of a kind of change. Scripts and acceptance files use it.
type Rule string

// Rules for members of objects.
const (
	FieldAdded          Rule = "field-added"
	FieldRemoved        Rule = "field-removed"
	FieldBecameRequired Rule = "field-became-required"
	FieldBecameOptional Rule = "field-became-optional"
	FieldNullAllowed    Rule = "field-null-allowed"
	FieldNullRefused    Rule = "field-null-refused"
	ReadingChanged      Rule = "reading-changed"
	DefaultAdded        Rule = "default-added"
	DefaultRemoved      Rule = "default-removed"
	DefaultChanged      Rule = "default-changed"
	ExtraAllowed        Rule = "extra-allowed"
	ExtraDropped        Rule = "extra-dropped"
)

// Rules for types of values.
const (
	TypeWidened     Rule = "type-widened"
	TypeNarrowed    Rule = "type-narrowed"
	TypeChanged     Rule = "type-changed"
	TypeRestated    Rule = "type-restated"
	ConstantChanged Rule = "constant-changed"
)

// Rules for what values have to satisfy beyond their type.
const (
	LimitTightened Rule = "limit-tightened"
	LimitLoosened  Rule = "limit-loosened"
	LimitChanged   Rule = "limit-changed"
	RawChanged     Rule = "raw-changed"
)

// IsLimit reports whether a rule is for what values have to satisfy beyond their type.
func (r Rule) IsLimit() bool {
	return r == LimitTightened || r == LimitLoosened || r == LimitChanged || r == RawChanged
}

// IsDefault reports whether a rule is for what a member that is left out stands for.
func (r Rule) IsDefault() bool {
	return r == DefaultAdded || r == DefaultRemoved || r == DefaultChanged
}

// Rules for enums and unions.
const (
	EnumValueAdded       Rule = "enum-value-added"
	EnumValueRemoved     Rule = "enum-value-removed"
	EnumOpened           Rule = "enum-opened"
	EnumClosed           Rule = "enum-closed"
	EnumKindChanged      Rule = "enum-kind-changed"
	VariantAdded         Rule = "variant-added"
	VariantRemoved       Rule = "variant-removed"
	UnionOpened          Rule = "union-opened"
	UnionClosed          Rule = "union-closed"
	DiscriminatorChanged Rule = "discriminator-changed"
)

// Rules for definitions.
const (
	TypeAdded        Rule = "type-added"
	TypeRemoved      Rule = "type-removed"
	Deprecated       Rule = "deprecated"
	DeprecationTaken Rule = "deprecation-withdrawn"
	TypeRenamed      Rule = "type-renamed"
	RenameCandidate  Rule = "rename-candidate"
)

// Rules for tables.
const (
	MethodAdded           Rule = "method-added"
	MethodRemoved         Rule = "method-removed"
	MethodDirectionGained Rule = "method-direction-gained"
	MethodDirectionLost   Rule = "method-direction-lost"
	MethodKindChanged     Rule = "method-kind-changed"
	NotificationAdded     Rule = "notification-added"
	NotificationRemoved   Rule = "notification-removed"
	ParamsAdded           Rule = "params-added"
	ParamsRemoved         Rule = "params-removed"
	ResultAdded           Rule = "result-added"
	ResultRemoved         Rule = "result-removed"
	ResultNullAllowed     Rule = "result-null-allowed"
	ResultNullRefused     Rule = "result-null-refused"

	ActionAdded          Rule = "action-added"
	ActionRemoved        Rule = "action-removed"
	ActionDispatchGained Rule = "action-dispatch-gained"
	ActionDispatchLost   Rule = "action-dispatch-lost"
	ActionChannelChanged Rule = "action-channel-changed"

	RuleAdded    Rule = "action-rule-added"
	RuleRemoved  Rule = "action-rule-removed"
	RuleChanged  Rule = "action-rule-changed"
	RuleRestated Rule = "action-rule-restated"

	LifecycleAdded   Rule = "lifecycle-added"
	LifecycleRemoved Rule = "lifecycle-removed"
	LifecycleChanged Rule = "lifecycle-changed"

	ChannelAdded         Rule = "channel-added"
	ChannelRemoved       Rule = "channel-removed"
	ChannelURIChanged    Rule = "channel-uri-changed"
	ChannelPrefixChanged Rule = "channel-prefix-changed"
	ChannelStateAdded    Rule = "channel-state-added"
	ChannelStateRemoved  Rule = "channel-state-removed"

	ChannelPassThroughChanged Rule = "channel-pass-through-changed"

	ErrorAdded       Rule = "error-added"
	ErrorRemoved     Rule = "error-removed"
	ErrorRenamed     Rule = "error-renamed"
	ErrorDataAdded   Rule = "error-data-added"
	ErrorDataRemoved Rule = "error-data-removed"
)

// Rules for the conversation.
const (
	HandshakeChanged       Rule = "handshake-changed"
	ExtensionPrefixChanged Rule = "extension-prefix-changed"
	ExtensionMetaChanged   Rule = "extension-meta-changed"
	CancellingChanged      Rule = "cancelling-changed"
	PingChanged            Rule = "ping-changed"
	ProgressChanged        Rule = "progress-changed"
	RequestIDsChanged      Rule = "request-ids-changed"
	BatchesAdded           Rule = "batches-added"
	BatchesRemoved         Rule = "batches-removed"
	EnvelopeChanged        Rule = "envelope-changed"
	HTTPChanged            Rule = "http-changed"

	GateAdded   Rule = "gate-added"
	GateRemoved Rule = "gate-removed"
	GateChanged Rule = "gate-changed"

	OwnGateChanged Rule = "own-gate-changed"

	ReplicationAdded   Rule = "replication-added"
	ReplicationRemoved Rule = "replication-removed"
	ReplicationChanged Rule = "replication-changed"
	SessionAdded       Rule = "session-added"
	SessionRemoved     Rule = "session-removed"
	SessionChanged     Rule = "session-changed"
)

// Rules for what packages have beside the protocol, for those who program.
const (
	HelperAdded   Rule = "helper-added"
	HelperRemoved Rule = "helper-removed"
	HelperChanged Rule = "helper-changed"
)

// Rules for versions.
const (
	SinceChanged    Rule = "since-changed"
	SinceMissing    Rule = "since-missing"
	VersionTooSmall Rule = "version-bump-too-small"
)
