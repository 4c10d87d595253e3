//go:build unix

package disk_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/disk"
)

// soon fails a test whose reader waits for something that never comes.
func soon(t *testing.T, read func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- read() }()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("it waits")
		return nil
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.NoError(t, os.Symlink("pipe", filepath.Join(dir, "link-to-pipe")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "device")))
	listener, err := net.Listen("unix", filepath.Join(dir, "socket"))
	require.NoError(t, err)
	defer listener.Close()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600))
	require.NoError(t, os.Symlink("file", filepath.Join(dir, "link")))

	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	for reader, read := range map[string]func(string) ([]byte, error){
		"ReadFile": func(name string) ([]byte, error) { return disk.ReadFile(filepath.Join(dir, name)) },
		"DirFS":    func(name string) ([]byte, error) { return fs.ReadFile(disk.DirFS(dir), name) },
		"RootFS":   func(name string) ([]byte, error) { return fs.ReadFile(disk.RootFS(root), name) },
	} {
		for _, name := range []string{"pipe", "link-to-pipe", "folder", "device", "socket"} {
			require.Error(t, soon(t, func() error { _, err := read(name); return err }), "%s %s", reader, name)
		}
		for _, name := range []string{"pipe", "link-to-pipe", "folder"} {
			require.ErrorIs(t, soon(t, func() error { _, err := read(name); return err }), disk.ErrIrregular, "%s %s", reader, name)
		}
		for _, name := range []string{"file", "link"} {
			text, err := read(name)
			require.NoError(t, err, reader)
			require.Equal(t, "text", string(text), reader)
		}
	}
	_, err = disk.ReadFile(filepath.Join(dir, "pipe"))
	require.ErrorContains(t, err, "no regular file but a named pipe")
}

// TestALinkOutOfAFolderIsCalledThat: the reason is one that its reader can do something about.
func TestALinkOutOfAFolderIsCalledThat(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "inside")
	require.NoError(t, os.Mkdir(inside, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600))
	require.NoError(t, os.Symlink("../file", filepath.Join(inside, "out")))
	require.NoError(t, os.Symlink("..", filepath.Join(inside, "up")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(inside, "dangling")))
	root, err := os.OpenRoot(inside)
	require.NoError(t, err)
	defer root.Close()
	for _, name := range []string{"out", "up/file"} {
		_, err := fs.ReadFile(disk.RootFS(root), name)
		require.ErrorIs(t, err, disk.ErrLeadsOut, name)
	}
	for _, name := range []string{"dangling", "missing"} {
		_, err := fs.ReadFile(disk.RootFS(root), name)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}
}

// TestSecretsAreTheirOwners: a new file that may hold secrets is for its owner alone, and one that is there keeps its mode.
func TestSecretsAreTheirOwners(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page")
	for _, mode := range []fs.FileMode{0o600, 0o640} {
		require.NoError(t, disk.WriteSecret(name, []byte(mode.String())))
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode())
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, mode.String(), string(text))
		require.NoError(t, os.Chmod(name, 0o640))
	}
}
