// Automations: the host keeps those that clients create, and their runs continue until a client stops them.

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

const (
	automationsURI = "ahp-automations://"
	automationURI  = "ahp-automation:/news"
	runURI         = "ahp-automation-run:/news-1"
)

// canAutomate returns what the host advertises about automations.
func canAutomate() *ahp.AutomationCapabilities {
	return &ahp.AutomationCapabilities{Create: &ahp.AutomationCreateCapability{}, RunCancellation: &ahp.AutomationRunCancellationCapability{}}
}

// automate reacts to actions that by themselves change nothing.
func (h *host) automate(channel string, action ahp.StateAction) error {
	switch action := action.(type) {
	case *ahp.AutomationCreateRequestedAction:
		return h.Publish(channel, &ahp.AutomationSetAction{Automation: ahp.AutomationEntry{
			Resource: action.Resource, Definition: action.Definition, Runs: []ahp.AutomationRunSummary{},
			Operations: []ahp.AutomationOperation{ahp.AutomationOperationRun}, CreatedAt: theTimeText, ModifiedAt: theTimeText,
		}})
	case *ahp.AutomationRunCancelRequestedAction:
		return h.Publish(channel, &ahp.AutomationRunLifecycleChangedAction{Lifecycle: &ahp.AutomationCancelledRunLifecycle{
			CreatedAt: theTimeText, CompletedAt: theTimeText,
		}})
	}
	return nil
}

// runAutomation opens the channel of a run. Repeated requests return the same channel.
func (h *host) runAutomation(_ context.Context, p *ahp.RunAutomationParams) (*ahp.RunAutomationResult, error) {
	err := h.OpenChannel(runURI, &ahp.AutomationRunState{
		Resource: runURI, Automation: p.Automation, Origin: &ahp.AutomationManualRunOrigin{}, Sessions: []ahp.URI{},
		Lifecycle: &ahp.AutomationRunningRunLifecycle{CreatedAt: theTimeText, StartedAt: theTimeText},
	})
	if err != nil && !errors.Is(err, server.ErrChannelExists) {
		return nil, err
	}
	if err == nil {
		h.log.say("runs %s as %s", p.Automation, runURI)
	}
	return &ahp.RunAutomationResult{Resource: runURI}, nil
}

// automate creates an automation, runs it, and ends the run.
func (c *client) automate(ctx context.Context) error {
	if err := c.subscribe(ctx, automationsURI); err != nil {
		return err
	}
	news := ahp.AutomationDefinition{
		Title: "Morning news", Enabled: true, Triggers: []ahp.AutomationTrigger{&ahp.AutomationScheduleTrigger{
			ID: "daily", Schedule: ahp.AutomationSchedule{Expression: "0 7 * * *", TimeZone: "Europe/Berlin"},
		}},
		Message: ahp.Message{Text: "What is new?", Origin: ahp.MessageOrigin{Kind: ahp.MessageKindAutomation}},
	}
	if err := c.dispatch(ctx, automationsURI, &ahp.AutomationCreateRequestedAction{Resource: automationURI, Definition: news}); err != nil {
		return err
	}
	if err := c.until(ctx, func() bool { return len(c.automations().Entries) == 1 }); err != nil {
		return err
	}
	run, err := c.Host.RunAutomation(ctx, &ahp.RunAutomationParams{Automation: automationURI, RequestID: "run-1"})
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if err := c.subscribe(ctx, run.Resource); err != nil {
		return err
	}
	if err := c.dispatch(ctx, run.Resource, &ahp.AutomationRunCancelRequestedAction{}); err != nil {
		return err
	}
	return c.until(ctx, func() bool {
		view, _ := c.Store.AutomationRun(run.Resource)
		_, ended := view.Confirmed.Lifecycle.(*ahp.AutomationCancelledRunLifecycle)
		return ended
	})
}

func (c *client) automations() *ahp.AutomationState {
	view, _ := c.Store.Automation(automationsURI)
	return view.Confirmed
}
