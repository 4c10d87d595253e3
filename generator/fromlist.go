// From a list: a file that lists schemas, which become a file each.

package generator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// readList reads a file that holds a list of schemas, each with an identifier or a title. It returns nil for any other file.
func readList(name string) *schema.Set {
	data, err := disk.ReadFile(name)
	if err != nil || len(data) > schema.MaxBytes || !bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil {
		return nil
	}
	taken := map[string]bool{}
	var docs []*schema.Document
	for _, item := range items {
		var head struct {
			ID    string `json:"$id"`
			OldID string `json:"id"`
			Title string `json:"title"`
		}
		if json.Unmarshal(item, &head) != nil {
			return nil
		}
		stem := ""
		for _, called := range []string{head.ID, head.OldID, head.Title} {
			if stem = fileStem(called); stem != "" {
				break
			}
		}
		if stem == "" {
			return nil
		}
		unique := stem
		for n := 2; taken[strings.ToLower(unique)]; n++ { // there are file systems on which capitals make no other name
			unique = fmt.Sprintf("%s%d", stem, n)
		}
		taken[strings.ToLower(unique)] = true
		docs = append(docs, &schema.Document{Name: unique + ".json", Data: append(item, '\n')})
	}
	if len(docs) == 0 {
		return nil
	}
	set := schema.Again(docs, path.Dir(name))
	if len(set.Docs) < len(docs) {
		return nil
	}
	return set
}

// fileStem returns the name of a file for what has an identifier or a title: its last part.
func fileStem(called string) string {
	called = strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(called, "#/"), ".json"), ".schema")
	called = called[strings.LastIndexAny(called, ":/#")+1:]
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, called), ".-")
}
