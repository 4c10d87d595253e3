package jsontext_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
)

func TestSignsStandAsTheyAre(t *testing.T) {
	require.Equal(t, `"<a> & \"b\""`, jsontext.Line(`<a> & "b"`))
	require.Equal(t, `{"a":1,"b":["<"]}`, jsontext.Line(map[string]any{"b": []string{"<"}, "a": 1}))
	text, err := jsontext.File(map[string]any{"b": "<", "a": []int{1}})
	require.NoError(t, err)
	require.Equal(t, "{\n  \"a\": [\n    1\n  ],\n  \"b\": \"<\"\n}\n", string(text))
	var b bytes.Buffer
	require.NoError(t, jsontext.Write(&b, map[string]any{"b": "<", "a": []int{1}}))
	require.Equal(t, string(text), b.String())
}

type unwilling struct{}

func (unwilling) MarshalJSON() ([]byte, error) { return nil, errors.New("no") }

func TestValuesThatCannotBeEncoded(t *testing.T) {
	_, err := jsontext.File(unwilling{})
	require.ErrorContains(t, err, "no")
	require.Panics(t, func() { jsontext.Line(unwilling{}) })
}

func TestWhatFitsIsOnOneLine(t *testing.T) {
	type object struct {
		B any `json:"b"`
		A any `json:"a,omitempty"`
	}
	text, err := jsontext.Wrapped(object{[]any{object{B: "<"}, object{B: []int{1, 2}}, "a longer text"}, 1.5}, 30)
	require.NoError(t, err)
	require.Equal(t, "{\n  \"b\": [\n    {\"b\": \"<\"},\n    {\"b\": [1, 2]},\n    \"a longer text\"\n  ],\n  \"a\": 1.5\n}\n", string(text))
	_, err = jsontext.Wrapped(unwilling{}, 10)
	require.ErrorContains(t, err, "no")
}
