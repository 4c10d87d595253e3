// Nginx: hosts behind a balancer, configured as the guide has it.

package nats

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHostsBehindNginx(t *testing.T) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("there is no nginx")
	}
	f := launch(t)
	dir, address := t.TempDir(), fmt.Sprintf("127.0.0.1:%d", free(t, 1)[0])
	guide, err := os.ReadFile(filepath.Join("..", "..", "..", "generated", "ahp", "HOSTING.md"))
	require.NoError(t, err)
	_, text, found := strings.Cut(string(guide), "\n    upstream hosts {\n")
	require.True(t, found)
	text, _, _ = strings.Cut("upstream hosts {\n"+text, "\n\n")
	text = strings.NewReplacer("host-a:8080", f.addresses[0], "host-b:8080", f.addresses[1], "host-c:8080", f.addresses[2], "listen 80;", "listen "+address+";").Replace(text)
	for _, a := range append(f.addresses, address) {
		require.Contains(t, text, a)
	}
	text = "daemon off;\npid " + filepath.Join(dir, "pid") + ";\nevents {}\nhttp {\naccess_log off;\n" + text + "\n}\n"
	config := filepath.Join(dir, "nginx.conf")
	require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	cmd := exec.Command(nginx, "-p", dir, "-c", config, "-e", filepath.Join(dir, "errors"))
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		ended := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		defer ended.Stop()
		_ = cmd.Wait()
	})
	f.addresses = []string{address}
	f.holds(t)
}
