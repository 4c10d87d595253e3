// HTTP: how messages travel over it.

package facts

// HTTP states how messages travel over HTTP.
type HTTP struct {
	Origin    `json:"-"`
	Session   string            // header with the id of a session
	Version   string            // header with the version
	VersionAt []string          // path of the version in parameters
	Method    string            // header that repeats the method
	Name      string            // header that repeats a parameter
	Names     map[string]string // that parameter, by method
	Mismatch  int64             // code of the error for headers that differ from the body
	Arguments *HTTPArguments    // arguments that headers repeat, or nil
	Refusal   *HTTPRefusal      `json:"unsupported"` // the error for an unsupported version, or nil
	Status    map[string]int    // HTTP status of error answers, by code
	LastEvent string            // header with the id of the last event received
	Get       bool              // a client may open a stream
	Delete    bool              // a client may end a session
	Prime     bool              // clients understand an event with an id and no data
	Deferred  bool              // answers come on the streams that clients open
	Scope     string            // header that divides a session
	ScopeAt   string            // the parameter that it repeats
	Unscoped  []string          // methods whose answers come on the stream without a scope
}

// HTTPArguments states which arguments of requests headers repeat: those for which the schema of what is called asks.
type HTTPArguments struct {
	Method  string // name of the requests
	Called  string // member of their parameters: the name of what is called
	In      string // member of their parameters: an object of the arguments
	Keyword string // of the schema
	Prefix  string // of the headers
}

// HTTPRefusal states the error for a version that a server does not accept.
type HTTPRefusal struct {
	Code      int64
	Supported string // member of its data: the versions that the server accepts
	Requested string // member of its data: the version of the request
}
