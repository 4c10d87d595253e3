// Readings: interpretations of values for which JSON has no type.

package protocol

// Reading is the interpretation of a value.
type Reading int

// The readings.
const (
	Plain    Reading = iota
	Base64           // base64-encoded bytes
	DateTime         // an RFC 3339 time

	Milliseconds // a duration
	Seconds
	MillisecondsSince1970 // a time
	SecondsSince1970
)

// readings names the readings other than plain values.
var readings = map[Reading]string{
	Base64: "bytes in base64", DateTime: "a date and time",
	Milliseconds: "milliseconds", Seconds: "seconds", MillisecondsSince1970: "milliseconds since 1970", SecondsSince1970: "seconds since 1970",
}

// String describes the reading, or returns "" for Plain.
func (r Reading) String() string { return readings[r] }

// Time returns the unit of a time, or "".
func (r Reading) Time() string {
	if r < Milliseconds {
		return ""
	}
	return r.String()
}

// TimeReading returns the reading for a unit, or Plain.
func TimeReading(words string) Reading {
	for r := range readings {
		if words != "" && r.Time() == words {
			return r
		}
	}
	return Plain
}

// Stands returns the reading of a member.
func (f *Field) Stands() string {
	switch {
	case f.Reading != Plain:
		return f.Reading.String()
	case Underlying(f.Type) == String:
		return "any text"
	}
	return "any number"
}
