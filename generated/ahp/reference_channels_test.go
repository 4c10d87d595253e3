// The reference's rules for every channel but chats: most are one line of the protocol's table.

package ahp_test

import "slices"

var rootRules = map[string]rule{
	"root/agentsChanged":         assign("agents", "agents"),
	"root/activeSessionsChanged": assign("activeSessions", "activeSessions"),
	"root/terminalsChanged":      assign("terminals", "terminals"),
	"root/configChanged":         changeConfig,
}

var sessionRules = map[string]rule{
	"session/ready":     constant("lifecycle", "ready"),
	"session/chatAdded": upsertRule("chats", "resource", "summary"),
	"session/chatRemoved": func(s, a jsonObject, _ string) jsonObject {
		next := remove(s, "chats", "resource", a["chat"])
		if !identical(s, next) && s["defaultChat"] == a["chat"] {
			return with(next, "defaultChat", nil)
		}
		return next
	},
	"session/chatUpdated": func(s, a jsonObject, _ string) jsonObject {
		return edit(s, "chats", "resource", a["chat"], func(chat jsonObject) jsonObject {
			return spread(chat, with(inner(a, "changes"), "resource", nil))
		})
	},
	"session/defaultChatChanged":      assign("defaultChat", "defaultChat"),
	"session/titleChanged":            assign("title", "title"),
	"session/serverToolsChanged":      assign("serverTools", "tools"),
	"session/activeClientSet":         upsertRule("activeClients", "clientId", "activeClient"),
	"session/activeClientRemoved":     removeRule("activeClients", "clientId", "clientId"),
	"session/workingDirectorySet":     addDirectory,
	"session/workingDirectoryRemoved": removeDirectory,
	"session/inputNeededSet": func(s, a jsonObject, _ string) jsonObject {
		return withInputStatus(upsert(s, "inputNeeded", "id", inner(a, "request")))
	},
	"session/inputNeededRemoved": func(s, a jsonObject, _ string) jsonObject {
		next := remove(s, "inputNeeded", "id", a["id"])
		if identical(s, next) {
			return s
		}
		return withInputStatus(with(next, "inputNeeded", unlessEmpty(next["inputNeeded"])))
	},
	"session/isReadChanged":     setFlag(bitRead, "isRead"),
	"session/isArchivedChanged": setFlag(bitArchived, "isArchived"),
	"session/activityChanged":   assign("activity", "activity"),
	"session/changesetsChanged": assign("changesets", "changesets"),
	"session/configChanged":     changeConfig,
	"session/metaChanged":       assign("_meta", "_meta"),
}

// withInputStatus makes the activity of a session follow from its requests.
func withInputStatus(s jsonObject) jsonObject {
	waits := func(v any) bool { return waitsForPerson(v.(jsonObject)) }
	if slices.ContainsFunc(elements(s, "inputNeeded"), waits) {
		return withStatus(s, statusBits(s)&^bitsActivity|bitsNeedInput)
	}
	return withStatus(s, statusBits(s)&^bitNeedsInput)
}

var customizationRules = map[string]rule{
	"session/customizationsChanged": assign("customizations", "customizations"),
	"session/customizationUpdated":  upsertRule("customizations", "id", "customization"),
	"session/customizationRemoved":  removeCustomization,
	"session/mcpServerStateChanged": func(s, a jsonObject, _ string) jsonObject { return setServer(s, a, a["state"], a["channel"]) },
	"session/mcpServerStartRequested": func(s, a jsonObject, _ string) jsonObject {
		return setServer(s, a, jsonObject{"kind": "starting"}, nil)
	},
	"session/mcpServerStopRequested": func(s, a jsonObject, _ string) jsonObject { return setServer(s, a, jsonObject{"kind": "stopped"}, nil) },
}

const serverType = "mcpServer"

// onCustomization changes the first entry with the id, at the top or else in the first container that has one.
func onCustomization(change func(customization, action jsonObject) jsonObject) rule {
	return func(s, a jsonObject, _ string) jsonObject {
		apply := func(c jsonObject) jsonObject { return change(c, a) }
		if next := edit(s, "customizations", "id", a["id"], apply); !identical(s, next) {
			return next
		}
		all := elements(s, "customizations")
		for i, v := range all {
			container := v.(jsonObject)
			if container["type"] == serverType {
				continue
			}
			if next := edit(container, "children", "id", a["id"], apply); !identical(container, next) {
				return with(s, "customizations", replaced(all, i, next))
			}
		}
		return s
	}
}

func removeCustomization(s, a jsonObject, _ string) jsonObject {
	if next := remove(s, "customizations", "id", a["id"]); !identical(s, next) {
		return next
	}
	return inContainers(s, func(container jsonObject) jsonObject {
		if container["type"] == serverType {
			return container
		}
		return remove(container, "children", "id", a["id"])
	})
}

func setServer(s, a jsonObject, state, channel any) jsonObject {
	return onServer(s, a, func(server jsonObject) jsonObject { return with(server, "state", state, "channel", channel) })
}

// onServer stops at a top-level entry with the id, whatever its type; only then it looks at children.
func onServer(s, a jsonObject, change func(server jsonObject) jsonObject) jsonObject {
	set := func(c jsonObject) jsonObject {
		if c["type"] != serverType {
			return c
		}
		return change(c)
	}
	if find(elements(s, "customizations"), "id", a["id"]) >= 0 {
		return edit(s, "customizations", "id", a["id"], set)
	}
	return inContainers(s, func(container jsonObject) jsonObject {
		children := elements(container, "children")
		i := slices.IndexFunc(children, func(v any) bool { return v.(jsonObject)["id"] == a["id"] && v.(jsonObject)["type"] == serverType })
		if i < 0 {
			return container
		}
		server := children[i].(jsonObject)
		if changed := change(server); !identical(changed, server) {
			return with(container, "children", replaced(children, i, changed))
		}
		return container
	})
}

// inContainers lets change have a look at every top-level entry, to change as many as it likes.
func inContainers(s jsonObject, change func(jsonObject) jsonObject) jsonObject {
	var next jsonList
	changed := false
	for _, v := range elements(s, "customizations") {
		c := change(v.(jsonObject))
		changed = changed || !identical(c, v.(jsonObject))
		next = append(next, c)
	}
	if !changed {
		return s
	}
	return with(s, "customizations", next)
}

var terminalRules = map[string]rule{
	"terminal/data":  terminalData,
	"terminal/input": nothing,
	"terminal/resized": func(s, a jsonObject, _ string) jsonObject {
		return with(s, "cols", a["cols"], "rows", a["rows"])
	},
	"terminal/claimed":                   assign("claim", "claim"),
	"terminal/titleChanged":              assign("title", "title"),
	"terminal/cwdChanged":                assign("cwd", "cwd"),
	"terminal/cleared":                   constant("content", jsonList{}),
	"terminal/commandDetectionAvailable": constant("supportsCommandDetection", true),
	"terminal/commandExecuted": func(s, a jsonObject, _ string) jsonObject {
		command := spread(pick(a, "commandId", "commandLine", "timestamp"),
			jsonObject{"type": "command", "output": "", "isComplete": false})
		return with(s, "content", appended(elements(s, "content"), command), "supportsCommandDetection", true)
	},
	"terminal/commandFinished": func(s, a jsonObject, _ string) jsonObject {
		next := jsonList{}
		for _, v := range elements(s, "content") {
			part := v.(jsonObject)
			if part["type"] == "command" && part["commandId"] == a["commandId"] {
				part = with(part, "isComplete", true, "exitCode", a["exitCode"], "durationMs", a["durationMs"])
			}
			next = append(next, part)
		}
		return with(s, "content", next)
	},
}

func terminalData(s, a jsonObject, _ string) jsonObject {
	content := elements(s, "content")
	if last := len(content) - 1; last >= 0 {
		tail := content[last].(jsonObject)
		switch {
		case tail["type"] == "command" && tail["isComplete"] == false:
			return with(s, "content", replaced(content, last, with(tail, "output", text(tail, "output")+text(a, "data"))))
		case tail["type"] == "unclassified":
			return with(s, "content", replaced(content, last, with(tail, "value", text(tail, "value")+text(a, "data"))))
		}
	}
	return with(s, "content", appended(content, jsonObject{"type": "unclassified", "value": a["data"]}))
}

var changesetRules = map[string]rule{
	"changeset/statusChanged":      func(s, a jsonObject, _ string) jsonObject { return statusAndError(s, a) },
	"changeset/fileSet":            upsertRule("files", "id", "file"),
	"changeset/fileRemoved":        removeRule("files", "id", "fileId"),
	"changeset/filesReviewChanged": reviewFiles,
	"changeset/operationsChanged":  assign("operations", "operations"),
	"changeset/operationStatusChanged": func(s, a jsonObject, _ string) jsonObject {
		return edit(s, "operations", "id", a["operationId"], func(operation jsonObject) jsonObject { return statusAndError(operation, a) })
	},
	"changeset/cleared": func(s, _ jsonObject, _ string) jsonObject {
		if len(elements(s, "files")) == 0 {
			return s
		}
		return with(s, "files", jsonList{})
	},
}

// reviewFiles tells a file that says it is not reviewed from one that says nothing.
func reviewFiles(s, a jsonObject, _ string) jsonObject {
	next, changed := jsonList{}, false
	for _, v := range elements(s, "files") {
		file := v.(jsonObject)
		if slices.Contains(elements(a, "files"), file["id"]) && file["reviewed"] != a["reviewed"] {
			file, changed = with(file, "reviewed", a["reviewed"]), true
		}
		next = append(next, file)
	}
	if !changed {
		return s
	}
	return with(s, "files", next)
}

var annotationRules = map[string]rule{
	"annotations/set":     upsertRule("annotations", "id", "annotation"),
	"annotations/removed": removeRule("annotations", "id", "annotationId"),
	"annotations/entrySet": func(s, a jsonObject, _ string) jsonObject {
		return edit(s, "annotations", "id", a["annotationId"], func(annotation jsonObject) jsonObject {
			return upsert(annotation, "entries", "id", inner(a, "entry"))
		})
	},
	"annotations/entryRemoved": func(s, a jsonObject, _ string) jsonObject {
		return edit(s, "annotations", "id", a["annotationId"], func(annotation jsonObject) jsonObject {
			return remove(annotation, "entries", "id", a["entryId"])
		})
	},
}

// updateAnnotation takes over those of the members that the action has.
func updateAnnotation(members ...string) rule {
	return func(s, a jsonObject, _ string) jsonObject {
		return edit(s, "annotations", "id", a["annotationId"], func(annotation jsonObject) jsonObject {
			return spread(annotation, pick(a, members...))
		})
	}
}

var watchRules = map[string]rule{"resourceWatch/changed": nothing}
