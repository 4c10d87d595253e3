// Customizations: since 0.8.0 there is a list of decisions on whether one is on, of which the first counts, and before that it
// is on or off.

package translations

import (
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// translationEnabled reports what decisions come to.
func translationEnabled(decisions []json.RawMessage) bool {
	if len(decisions) == 0 {
		return true
	}
	first, err := translate.Parse(decisions[0])
	return err == nil && first.True("enabled")
}

// lowerEnablement says what the decisions come to.
func lowerEnablement(o *translate.Object, _ *translate.Context) error {
	decisions := o.Items("enablement")
	o.Take("enablement")
	o.Set("enabled", translationBool(translationEnabled(decisions)))
	return nil
}

// liftEnablement keeps the decisions that are known of a customization if they come to the same, and otherwise puts one for this
// session before those of other scopes.
func liftEnablement(o *translate.Object, c *translate.Context) error {
	translationDecide(o, translationDecisions(translationKnown(c), o.Text("id")))
	return nil
}

// translationDecide makes decisions of whether a customization is on, given those that are known.
func translationDecide(o *translate.Object, decisions []json.RawMessage) {
	enabled := o.Take("enabled")
	if enabled == nil {
		return
	}
	on := string(enabled) == "true"
	if translationEnabled(decisions) != on {
		session := &translate.Object{}
		session.SetText("kind", "session")
		session.Set("enabled", translationBool(on))
		own := []json.RawMessage{session.JSON()}
		for _, item := range decisions {
			if d, err := translate.Parse(item); err == nil && d.Text("kind") != "session" {
				own = append(own, item)
			}
		}
		decisions = own
	}
	if len(decisions) > 0 || o.Text("type") == "session/customizationToggled" {
		o.SetItems("enablement", decisions)
	}
}

// translationDecisions returns the decisions about a customization of a session, of its containers, or of what its clients bring.
func translationDecisions(session *translate.Object, id string) []json.RawMessage {
	lists := [][]json.RawMessage{session.Items("customizations")}
	for _, item := range lists[0] {
		if container, err := translate.Parse(item); err == nil {
			lists = append(lists, container.Items("children"))
		}
	}
	for _, item := range session.Items("activeClients") {
		if client, err := translate.Parse(item); err == nil {
			lists = append(lists, client.Items("customizations"))
		}
	}
	for _, list := range lists {
		if found := translationFind(list, "id", id); found != nil {
			return found.Items("enablement")
		}
	}
	return nil
}

// liftActiveClient keeps what is decided about the customizations of a client, and about their parts.
func liftActiveClient(o *translate.Object, c *translate.Context) error {
	known := translationFind(translationKnown(c).Items("activeClients"), "clientId", o.Text("clientId"))
	if known == nil {
		return nil
	}
	return translationKeep(o, "customizations", known, func(own, before *translate.Object) error {
		if before.Has("childEnablement") && !own.Has("childEnablement") {
			own.Set("childEnablement", before.Get("childEnablement"))
		}
		translationDecide(own, before.Items("enablement"))
		return translationKeep(own, "children", before, func(own, before *translate.Object) error {
			if own.Text("type") == "mcpServer" { // others are on or off in all versions
				translationDecide(own, before.Items("enablement"))
			}
			return nil
		})
	})
}

// translationKeep changes the items of a list by those with their ids in the list of another object.
func translationKeep(o *translate.Object, list string, known *translate.Object, keep func(own, before *translate.Object) error) error {
	items := o.Items(list)
	for i, item := range items {
		own, err := translate.Parse(item)
		if err != nil {
			return err
		}
		if before := translationFind(known.Items(list), "id", own.Text("id")); before != nil {
			if err := keep(own, before); err != nil {
				return err
			}
			items[i] = own.JSON()
		}
	}
	if len(items) > 0 {
		o.SetItems(list, items)
	}
	return nil
}

func translationBool(b bool) json.RawMessage {
	if b {
		return json.RawMessage("true")
	}
	return json.RawMessage("false")
}
