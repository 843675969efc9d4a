package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	embedded "github.com/fergusstrange/embedded-postgres"
)

// downloadedVersion is the PostgreSQL that the source Download fetches.
const (
	downloadedVersion = embedded.V17
	downloadedMajor   = 17
)

func startDownloaded(ctx context.Context, opts Options) (*Server, error) {
	major, err := keptVersion(opts.DataDir)
	if err != nil {
		return nil, err
	}
	if major != 0 && major != downloadedMajor {
		return nil, fmt.Errorf("the cluster in %s needs PostgreSQL %d, and what is downloaded is %d", opts.DataDir, major, downloadedMajor)
	}
	account, err := serverAccount()
	if err != nil {
		return nil, err
	}
	cache, err := binaryCache(account)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(cache, "postgres-"+string(downloadedVersion))
	if _, err := os.Stat(home); err != nil {
		progress(opts, "downloading PostgreSQL %s", downloadedVersion)
		if err := fetch(ctx, cache, home); err != nil {
			return nil, err
		}
	}
	found, err := inspectBinaries(ctx, filepath.Join(home, "bin"))
	if err != nil {
		return nil, fmt.Errorf("use the downloaded binaries: %w", err)
	}
	return startCluster(ctx, found, Download, opts)
}

// binaryCache is the directory for downloads: one that the account can read.
func binaryCache(a *account) (string, error) {
	dir := "/var/cache/resourcery"
	if a == nil {
		users, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find the cache directory: %w", err)
		}
		dir = filepath.Join(users, "resourcery")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the cache directory: %w", err)
	}
	return dir, nil
}

// fetch downloads and unpacks the binaries into home, which appears complete
// or not at all: they are proved by making a cluster first.
func fetch(ctx context.Context, cache, home string) error {
	work, err := os.MkdirTemp(cache, "download-")
	if err != nil {
		return fmt.Errorf("make a directory for the download: %w", err)
	}
	defer os.RemoveAll(work)
	// MkdirTemp makes it private, and the server may run as another user.
	if err := os.Chmod(work, 0o755); err != nil {
		return fmt.Errorf("make a directory for the download: %w", err)
	}
	unpacked := filepath.Join(work, "unpacked")
	if err := unpack(ctx, work, unpacked); err != nil {
		return err
	}
	found, err := inspectBinaries(ctx, filepath.Join(unpacked, "bin"))
	if err != nil {
		return fmt.Errorf("use the downloaded binaries: %w", err)
	}
	proof, err := openCluster(ctx, found, "")
	if err != nil {
		return fmt.Errorf("use the downloaded binaries: %w", err)
	}
	if err := proof.remove(); err != nil {
		return err
	}
	if err := os.Rename(unpacked, home); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("keep the downloaded binaries: %w", err)
	}
	return nil
}

// unpack lets the library download, check and unpack the binaries. The
// library offers this only together with a first start of the server, which
// is stopped at once; for root that start is bound to fail.
func unpack(ctx context.Context, work, target string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	database := embedded.NewDatabase(embedded.DefaultConfig().
		Version(downloadedVersion).
		Port(uint32(port)).
		CachePath(filepath.Join(work, "archive")).
		RuntimePath(filepath.Join(work, "run")).
		BinariesPath(target).
		Logger(io.Discard))
	// The library's download knows no context.
	started := make(chan error, 1)
	go func() {
		err := database.Start()
		if err == nil {
			err = database.Stop()
		}
		started <- err
	}()
	select {
	case err = <-started:
	case <-ctx.Done():
		return fmt.Errorf("download PostgreSQL %s: %w", downloadedVersion, ctx.Err())
	}
	if _, missing := os.Stat(filepath.Join(target, "bin", "initdb")); missing != nil {
		return fmt.Errorf("download PostgreSQL %s: %w", downloadedVersion, err)
	}
	return nil
}
