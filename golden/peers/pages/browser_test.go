// The browser, and the pages that it opens.

package pages_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// program is ahpgen, built once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ahpgen-pages")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "ahpgen.exe")
	cmd := exec.Command("go", "build", "-o", file, "./cmd/ahpgen")
	cmd.Dir = filepath.Join("..", "..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return file, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if file, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(file))
	}
	os.Exit(code)
}

// ahpgen runs the program in a folder.
func ahpgen(t *testing.T, dir string, args ...string) string {
	t.Helper()
	file, err := program()
	require.NoError(t, err)
	cmd := exec.Command(file, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// configured is the folder of the committed package.
var configured = filepath.Join("..", "..", "..", "generated", "ahp")

// site makes the pages of the committed package.
func site(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	ahpgen(t, configured, "doc", "-q", "--out", dir)
	return dir
}

// names are what browsers that can be talked to are called.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell"}

// tab is a browser with one page.
type tab struct {
	context.Context
	t        *testing.T
	mu       sync.Mutex
	messages []string // on the console, and errors
	requests []string // to anything but files
	allowed  string   // host that requests may go to, "" for none
}

// open starts a browser with a fresh profile, and skips the test where there is none.
func open(t *testing.T) *tab {
	t.Helper()
	found := ""
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			found = path
			break
		}
	}
	if found == "" {
		t.Skipf("there is no browser: none of %v is on the path", names)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(found), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {})) // of events that it does not know
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(end)
	b := &tab{Context: ctx, t: t}
	chromedp.ListenTarget(ctx, b.note)
	if err := chromedp.Run(ctx, network.Enable(), cdplog.Enable()); err != nil {
		t.Skipf("the browser does not start: %v", err)
	}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		require.Empty(t, b.messages, "the console")
		require.Empty(t, b.requests, "the network")
	})
	return b
}

func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.messages = append(b.messages, fmt.Sprintf("%s %v", e.Type, e.Args))
	case *runtime.EventExceptionThrown:
		b.messages = append(b.messages, e.ExceptionDetails.Error())
	case *cdplog.EventEntryAdded:
		b.messages = append(b.messages, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "file" && u.Scheme != "data" && u.Scheme != "about" && (b.allowed == "" || u.Hostname() != b.allowed) {
			b.requests = append(b.requests, e.Request.URL)
		}
	}
}

// said returns what has been on the console since it was asked last.
func (b *tab) said() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.messages
	b.messages = nil
	return out
}

// allow lets pages talk to a host.
func (b *tab) allow(host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.allowed = host
}

// do does one action after the other. A click may lead to another page before the next action has found what it is
// about: what it found was on the page before, so it looks again.
func (b *tab) do(actions ...chromedp.Action) {
	b.t.Helper()
	for _, action := range actions {
		ctx, end := context.WithTimeout(b, time.Minute)
		err := chromedp.Run(ctx, action)
		for gone(err) && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
			err = chromedp.Run(ctx, action)
		}
		end()
		require.NoError(b.t, err)
	}
}

// gone reports whether an action could not begin, since the page does not have the node any more.
func gone(err error) bool {
	var refused *cdproto.Error
	return errors.As(err, &refused) && refused.Code == -32000 && strings.Contains(strings.ToLower(refused.Message), "node")
}

// show sets the size of the window and the theme of the system.
func (b *tab) show(width, height int64, theme string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height), chromedp.ActionFunc(func(ctx context.Context) error {
		return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}).Do(ctx)
	}))
}

// to opens a file of a folder, perhaps at a place on it.
func (b *tab) to(folder, file string) {
	b.t.Helper()
	name, fragment, _ := cut(file)
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(folder, filepath.FromSlash(name))), Fragment: fragment}
	b.do(chromedp.Navigate(u.String()))
}

func cut(file string) (name, fragment string, ok bool) {
	for i := range file {
		if file[i] == '#' {
			return file[:i], file[i+1:], true
		}
	}
	return file, "", false
}

// eval runs a script and returns what it results in.
func eval[T any](b *tab, script string) (out T) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Run(b, chromedp.Evaluate(script, &out, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	})), script)
	return out
}

// until waits for a condition of the page, whatever page there is by then.
func (b *tab) until(condition string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		var is bool
		err := chromedp.Run(b, chromedp.Evaluate("!!("+condition+")", &is))
		return err == nil && is
	}, time.Minute, 10*time.Millisecond, condition)
}
