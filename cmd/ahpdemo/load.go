// Load: a host with many clients, and a line of figures per second.

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/observe"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

// load is the load to generate.
type load struct {
	clients, channels, subscriptions int
	rate                             int // actions per second
	seconds                          int
	statusAt                         string // address of the status page, if any
}

func loadCommand(log journal) *cobra.Command {
	var l load
	c := &cobra.Command{
		Use: "load", Short: "Run a host with many clients, and say each second what it carries", Args: cobra.NoArgs,
		Long: `Run a host with many clients, over real WebSockets on this machine, and say each second what it carries.

The host streams text to the channels in turn. Each client holds its channels to every action once and in
order; the first that is not is an error.`,
		Example: "  ahpdemo load --clients 1000 --channels 100 --rate 5000 --for 10\n" +
			"  ahpdemo load --for 600 --status 127.0.0.1:8138",
		RunE: func(cmd *cobra.Command, _ []string) error { return l.run(cmd.Context(), log) },
	}
	c.Flags().IntVar(&l.clients, "clients", 100, "how many clients")
	c.Flags().IntVar(&l.channels, "channels", 10, "how many channels the host has")
	c.Flags().IntVar(&l.subscriptions, "subscriptions", 1, "how many channels each client has subscribed to")
	c.Flags().IntVar(&l.rate, "rate", 1000, "actions a second that the host publishes")
	c.Flags().IntVar(&l.seconds, "for", 5, "for how many seconds")
	c.Flags().StringVar(&l.statusAt, "status", "", "address to serve the host's status page on, if any")
	return c
}

func chatNumber(i int) string { return fmt.Sprintf("ahp-chat:/%d", i) }

func (l load) run(ctx context.Context, log journal) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var counts observe.Counts
	var page status
	h, err := newHost(ctx, journal{log.who, log.mu, nowhere{}}, l.observer(&counts, &page), server.Limits{})
	if err != nil {
		return err
	}
	for i := range l.channels {
		turn := &ahp.ActiveTurn{ID: "t", Message: ahp.Message{Text: "Go on.", Origin: ahp.MessageOrigin{Kind: ahp.MessageKindUser}}, StartedAt: theTimeText,
			ResponseParts: []ahp.ResponsePart{&ahp.MarkdownResponsePart{ID: "p"}}}
		state := &ahp.ChatState{Resource: chatNumber(i), Title: "Chat", Status: ahp.SessionStatusInProgress, ModifiedAt: theTimeText, Turns: []ahp.Turn{}, ActiveTurn: turn}
		if err := h.OpenChannel(chatNumber(i), state); err != nil {
			return err
		}
	}
	return h.serveOn(ctx, "127.0.0.1:0", func(ctx context.Context, url string) error {
		if l.statusAt == "" {
			return l.drive(ctx, log, h, &counts, url)
		}
		var group errgroup.Group
		ctx, stop := context.WithCancel(ctx)
		group.Go(func() error {
			defer stop()
			return page.serve(ctx, l.statusAt, h, func(url string) { log.say("shows its status on %s", url) })
		})
		group.Go(func() error {
			defer stop()
			return l.drive(ctx, log, h, &counts, url)
		})
		return group.Wait()
	})
}

// observer returns the host's observer. Each reader of the longest queues has counts of its own, since reading resets them.
func (l load) observer(counts *observe.Counts, page *status) rpc.Observer {
	if l.statusAt == "" {
		return counts
	}
	return observe.All(counts, &page.counts)
}

// nowhere discards output.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// drive connects the clients, publishes actions, and prints figures.
func (l load) drive(ctx context.Context, log journal, h *host, counts *observe.Counts, url string) error {
	group, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var connected errgroup.Group
	connected.SetLimit(50)
	for i := range l.clients {
		connected.Go(func() error { return l.client(ctx, group, url, i) })
	}
	if err := connected.Wait(); err != nil {
		return err
	}
	log.say("has %d clients, each on %d of %d channels", l.clients, l.subscriptions, l.channels)
	group.Go(func() error { return l.publish(ctx, h) })
	group.Go(func() error {
		defer stop()
		return l.print(ctx, log, counts)
	})
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// client connects a client that checks what it gets.
func (l load) client(ctx context.Context, group *errgroup.Group, url string, i int) error {
	socket, err := ws.Dial(ctx, url, nil)
	if err != nil {
		return err
	}
	peer := rpc.NewPeer(socket, nil)
	latest := map[string]int64{} // latest sequence number by channel
	wrong := make(chan error, 1)
	group.Go(func() error {
		err := peer.Serve(ctx, &ahp.ClientHandlers{Action: func(_ context.Context, e *ahp.ActionEnvelope) {
			delta, ok := e.Action.(*ahp.ChatDeltaAction)
			if !ok {
				return
			}
			nth, ok := readNumber(delta.Content)
			if !ok || nth != latest[e.Channel]+1 {
				select {
				case wrong <- fmt.Errorf("client %d: %s: %q came after %d", i, e.Channel, delta.Content, latest[e.Channel]):
				default:
				}
			}
			latest[e.Channel] = nth
		}})
		select {
		case failed := <-wrong:
			return failed
		default:
		}
		if ctx.Err() == nil && err == nil {
			err = errors.New("the host has ended the connection")
		}
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("client %d: %w", i, err)
	})
	channels := make([]string, l.subscriptions)
	for j := range channels {
		channels[j] = chatNumber((i + j) % l.channels)
	}
	_, err = ahp.NewHostConn(peer).Initialize(ctx, &ahp.InitializeParams{
		ClientID: fmt.Sprintf("client-%d", i), ProtocolVersions: ahp.SupportedVersions(), InitialSubscriptions: channels,
	})
	return err
}

// readNumber parses the number that publish put before the words.
func readNumber(text string) (nth int64, ok bool) {
	first, _, _ := strings.Cut(text, " ")
	nth, err := strconv.ParseInt(first, 10, 64)
	return nth, err == nil
}

// publish streams text to the channels in turn.
func (l load) publish(ctx context.Context, h *host) error {
	const words = "the quick brown fox jumps over the lazy dog"
	start, nth := time.Now(), make([]int, l.channels)
	for n := 0; ctx.Err() == nil; n++ {
		if ahead := time.Duration(n)*time.Second/time.Duration(l.rate) - time.Since(start); ahead > time.Millisecond {
			time.Sleep(ahead)
		}
		i := n % l.channels
		nth[i]++
		text := fmt.Sprintf("%d %s", nth[i], words)
		if err := h.Publish(chatNumber(i), &ahp.ChatDeltaAction{TurnID: "t", PartID: "p", Content: text}); err != nil {
			return err
		}
	}
	return nil
}

// print prints a line per second, of what the host's observer has counted meanwhile.
func (l load) print(ctx context.Context, log journal, counts *observe.Counts) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	before := counts.Read()
	for range l.seconds {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		now := counts.Read()
		waited := now.Waited.Since(before.Waited)
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		log.say("%7d envelopes/s, half of them written within %v, 99 %% within %v; at most %d queued for a client and %d in the host; %d MB, %d goroutines",
			actions(now)-actions(before), waited.Half.Round(10*time.Microsecond), waited.Most.Round(10*time.Microsecond), now.Queued, now.QueuedActions,
			mem.HeapAlloc>>20, runtime.NumGoroutine())
		before = now
	}
	return nil
}

// actions returns how many envelopes the host has sent.
func actions(f observe.Figures) int64 {
	i := slices.IndexFunc(f.Methods, func(m observe.MethodFigure) bool { return m.Method == "action" })
	if i < 0 {
		return 0
	}
	return f.Methods[i].Sent
}
