//go:build !unix

package postgres

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

var errNoUnix = errors.New("server binaries are run on Unix systems only: use Docker, or a running server")

type process struct{ done chan struct{} }

func (c *cluster) launch(*os.File, []string) (*process, error) { return nil, errNoUnix }

func (p *process) stop(time.Duration) error { return errNoUnix }

type account struct{}

func serverAccount() (*account, error) { return nil, errNoUnix }

func (a *account) command(ctx context.Context, dir, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	return cmd
}

func (a *account) own(string) error { return errNoUnix }

func (a *account) checkReach(string) error { return errNoUnix }

func temporaryDir(*account) (string, error) { return "", errNoUnix }
