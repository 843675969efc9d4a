package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// A program is one run of the command.
type program struct {
	stdout, stderr io.Writer

	dsn, data string
	size      blog.Size
	clients   []int
	rounds    int
	slot      time.Duration
	workloads []blog.Workload
	delay     time.Duration
	stream    bool
	out       string
	profile   string
	check     bool
	sizeName  string
	names     []string
}

// errMissed ends a run with --check whose targets were not all met.
var errMissed = errors.New("a target was missed")

func newCommand(stdout, stderr io.Writer) *cobra.Command {
	p := &program{stdout: stdout, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "load",
		Short: "Compare the library with hand-written handlers on one data set",
		Long: `Compare the library with hand-written handlers on one data set.

The contenders answer the same requests in turn, slot after slot, so that what
else the machine does falls on all of them: the library in process, the library
over net/http, a handler written by hand with pgx, and documents that Postgres
makes with json_agg. Before anything is measured their answers are compared.

Ratios are medians over the rounds of the ratios within a round; the other
figures are medians over the rounds. The results go to FILE.md and FILE.json.

Workloads:
` + workloadList(),
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	f := cmd.Flags()
	f.StringVar(&p.dsn, "dsn", "", "the database, a superuser's `postgres://user:password@host:5432/database`; the data set is made in it unless it is there (default a server of its own, ended afterwards)")
	f.StringVar(&p.data, "data", "", "keep the server's data set in this `directory` and use it again; its server is durable, a temporary one is not")
	f.StringVar(&p.sizeName, "size", blog.Full.String(), "the data set: full or small")
	f.IntSliceVar(&p.clients, "clients", []int{1, 8, 32}, "how many clients ask at the same time")
	f.IntVar(&p.rounds, "rounds", 10, "how many slots each contender has")
	f.DurationVar(&p.slot, "slot", 500*time.Millisecond, "how long a slot is")
	f.StringSliceVar(&p.names, "workloads", nil, "only these `names` (default all)")
	f.DurationVar(&p.delay, "delay", 10*time.Millisecond, "the round trip to Postgres of the part that measures trips; 0 leaves the part out")
	f.BoolVar(&p.stream, "stream", true, "read all comments in one answer and watch the heap")
	f.StringVar(&p.out, "out", "benchmarks/results/load", "where the results go, a `file` without its ending; empty: to standard output alone")
	f.StringVar(&p.profile, "profile", "", "write CPU profiles of the library and of the hand-written handler, one for each workload, into this `directory`")
	f.BoolVar(&p.check, "check", false, "fail if a target is missed")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := p.settle(); err != nil {
			return err
		}
		return p.run(cmd.Context())
	}
	return cmd
}

func workloadList() string {
	var b strings.Builder
	for _, w := range blog.Workloads {
		fmt.Fprintf(&b, "  %-4s %s\n", w.Name, w.Title)
	}
	return b.String()
}

// settle refuses flags that mean nothing.
func (p *program) settle() (err error) {
	if p.size, err = blog.ParseSize(p.sizeName); err != nil {
		return fmt.Errorf("--size: %w", err)
	}
	if p.dsn != "" && p.data != "" {
		return errors.New("--dsn names a server, and --data is for one of the program's own: write one of them")
	}
	if len(p.clients) == 0 || slices.Min(p.clients) < 1 {
		return errors.New("--clients: write positive numbers, as in 1,8,32")
	}
	if p.rounds < 1 || p.slot <= 0 || p.delay < 0 {
		return errors.New("--rounds and --slot are positive, and --delay is not negative")
	}
	p.workloads = blog.Workloads
	if len(p.names) > 0 {
		p.workloads = nil
	}
	for _, name := range p.names {
		w, ok := blog.Named(name)
		if !ok {
			return fmt.Errorf("--workloads: there is no %s", name)
		}
		p.workloads = append(p.workloads, w)
	}
	return nil
}

// progress tells what is being done.
func (p *program) progress(format string, args ...any) {
	fmt.Fprintf(p.stderr, format+"\n", args...)
}
