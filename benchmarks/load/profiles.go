package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
)

// profiles writes CPU profiles of the library and of the hand-written handler,
// each over as many slots as there are rounds, with the middle one of the
// numbers of clients.
func (p *program) profiles(ctx context.Context, d *database, all *contenders) error {
	if err := os.MkdirAll(p.profile, 0o755); err != nil {
		return fmt.Errorf("make the profiles' directory: %w", err)
	}
	clients := slices.Clone(p.clients)
	slices.Sort(clients)
	for _, w := range p.workloads {
		for _, c := range []*contender{all.named(library), all.named(byHand)} {
			p.progress("profiling %s, %s", w.Name, c.name)
			crowd, err := newCrowd(ctx, c, w.Requests(p.size), clients[len(clients)/2])
			if err != nil {
				return err
			}
			err = p.profileOne(crowd, filepath.Join(p.profile, w.Name+"-"+c.name+".pprof"))
			crowd.close()
			if err := errors.Join(err, p.restore(ctx, d, w)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *program) profileOne(crowd *crowd, path string) (err error) {
	if err := crowd.ask(p.warmUp()); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write a profile: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := pprof.StartCPUProfile(file); err != nil {
		return fmt.Errorf("write a profile: %w", err)
	}
	defer pprof.StopCPUProfile()
	for range p.rounds {
		if err := crowd.ask(p.slot); err != nil {
			return err
		}
	}
	return nil
}
