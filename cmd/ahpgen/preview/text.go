package preview

import "encoding/json"

// quoted is text as JSON, on one line.
func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return string(data)
}
