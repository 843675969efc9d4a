package bearer

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// recheck is how long a change of the file may go unnoticed.
	recheck = time.Second
	// maxKeyFile is how many bytes the file has at most.
	maxKeyFile = 1 << 20
)

// A keyFile is a file with the keys of tokens, which may change. It is safe for
// concurrent use.
type keyFile struct {
	path    string
	log     *slog.Logger
	current atomic.Pointer[keySet]

	mu      sync.Mutex // held by who looks at the file
	checked time.Time
	text    []byte // behind current
	fault   string // of the newest reading
}

// openKeyFile reads the file for the first time.
func openKeyFile(path string, log *slog.Logger) (*keyFile, error) {
	f := &keyFile{path: path, log: log, checked: time.Now()}
	if err := f.read(); err != nil {
		return nil, fmt.Errorf("the keys of tokens: %s: %w", path, err)
	}
	return f, nil
}

// keys returns the newest keys that could be read. The file is looked at when
// tokens come, its content and not its time, as times are too coarse and links
// to files change without them.
func (f *keyFile) keys() keySet {
	if f.mu.TryLock() {
		if time.Since(f.checked) >= recheck {
			f.refresh()
		}
		f.mu.Unlock()
	}
	return *f.current.Load()
}

// refresh reads the file anew. A file that cannot be read changes nothing, and
// is told of once.
func (f *keyFile) refresh() {
	f.checked = time.Now()
	before := f.current.Load()
	err := f.read()
	switch {
	case err != nil && err.Error() != f.fault:
		f.fault = err.Error()
		f.log.Error("the keys of tokens cannot be read anew; those read before are used on", "file", f.path, "error", err)
	case err == nil:
		f.fault = ""
		if f.current.Load() != before {
			f.log.Info("keys of tokens read anew", "file", f.path, "keys", len(*f.current.Load()))
		}
	}
}

// read takes the keys of the file, unless it is as it was.
func (f *keyFile) read() error {
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxKeyFile+1))
	switch {
	case err != nil:
		return err
	case len(text) > maxKeyFile:
		return fmt.Errorf("it is longer than %d bytes", maxKeyFile)
	case f.text != nil && bytes.Equal(text, f.text):
		return nil
	}
	set, aside, err := parseKeySet(text)
	if err != nil {
		return err
	}
	for _, why := range aside {
		f.log.Info("a key of the file is not used", "file", f.path, "why", why)
	}
	f.text = text
	f.current.Store(&set)
	return nil
}
