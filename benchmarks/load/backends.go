package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// backends are the processes of Postgres that serve one contender, as far as
// this machine shows them; their zero value is none.
type backends struct {
	ticks map[int]int64
	pids  []int
}

// findBackends looks for those of an application's connections. Numbers of
// processes that are others here, as those of a container may be, are left out,
// and then nothing is measured.
func findBackends(ctx context.Context, conn *pgx.Conn, application string) (*backends, error) {
	rows, err := conn.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE application_name = $1", application)
	if err != nil {
		return nil, fmt.Errorf("look for the contender's backends: %w", err)
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, fmt.Errorf("look for the contender's backends: %w", err)
	}
	b := &backends{ticks: make(map[int]int64, len(pids))}
	for _, pid := range pids {
		title, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err != nil || !bytes.HasPrefix(title, []byte("postgres: ")) {
			return &backends{}, nil
		}
		b.pids = append(b.pids, pid)
	}
	return b, nil
}

// start notes what they have used until now.
func (b *backends) start() error {
	for _, pid := range b.pids {
		ticks, err := cpuTicks(pid)
		if err != nil {
			return err
		}
		b.ticks[pid] = ticks
	}
	return nil
}

// used is what they have used since start, 0 where that is not known.
func (b *backends) used() (time.Duration, error) {
	var sum int64
	for _, pid := range b.pids {
		ticks, err := cpuTicks(pid)
		if err != nil {
			return 0, err
		}
		sum += ticks - b.ticks[pid]
	}
	return time.Duration(sum) * time.Second / ticksPerSecond, nil
}

// ticksPerSecond is USER_HZ, which is 100 wherever Go runs on Linux.
const ticksPerSecond = 100

// cpuTicks reads what a process has used, of its own and in the kernel: the 14th
// and the 15th field of its stat. The second one is a name that may hold blanks.
func cpuTicks(pid int) (int64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, fmt.Errorf("read what a backend has used: %w", err)
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	var sum int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read what a backend has used: %w", err)
		}
		sum += n
	}
	return sum, nil
}
