package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// report is the record as Markdown.
func (r *record) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Load comparison, %s UTC\n\n", r.Date)
	r.reportSetting(&b)
	r.reportTargets(&b)
	r.reportRatios(&b)
	r.reportLoad(&b)
	r.reportTrips(&b)
	r.reportStreams(&b)
	return b.String()
}

func (r *record) reportSetting(b *strings.Builder) {
	m := r.Machine
	fmt.Fprintf(b, "- Machine: %s, %d processors of %s, memory %s, kernel %s\n", m.OS, m.Processors, known(m.Processor), known(m.Memory), known(m.Kernel))
	fmt.Fprintf(b, "- %s, pgx %s", m.Go, known(m.Pgx))
	if m.Revision != "" {
		fmt.Fprintf(b, ", revision %.12s", m.Revision)
	}
	fmt.Fprintf(b, "\n- %s, %s:", r.Server.Version, r.Server.Source)
	for _, s := range r.Server.Settings {
		fmt.Fprintf(b, " %s=%s", s.Name, s.Value)
	}
	fmt.Fprintf(b, "\n- Data set %s\n", r.DataSet)
	fmt.Fprintf(b, "- %d rounds with slots of %s, the contenders in turn; %s in all\n", r.Rounds, r.Slot, r.Took)
	fmt.Fprintf(b, "- The clients themselves: %.2g allocations and %s of CPU per request\n\n", r.Harness.Allocs, short(r.Harness.CPU))
	b.WriteString("Lists say `page[total]=none`, but for W3t. Where Postgres runs without fsync, W6 and W7 are faster than in earnest.\n")
	b.WriteString("Answers were compared first: those of the library and of the hand-written handler are equal byte for byte, headers included;\n")
	b.WriteString("those made in Postgres mean the same. Go CPU has the clients' share in it.\n\n")
	b.WriteString("| Workload | | Document |\n|---|---|---|\n")
	for _, e := range r.Answers {
		w, _ := blog.Named(e.Workload)
		fmt.Fprintf(b, "| %s | %s | %.1f kB |\n", e.Workload, w.Title, float64(e.Bytes)/1000)
	}
	b.WriteString("\n")
}

func (r *record) reportTargets(b *strings.Builder) {
	b.WriteString("## Targets\n\n| | Target | Wanted | Found |\n|---|---|---|---|\n")
	for _, t := range r.Targets {
		mark := "✗"
		if t.Met {
			mark = "✓"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", mark, t.What, t.Want, t.Got)
	}
	b.WriteString("\n")
}

// reportRatios is the load in short.
func (r *record) reportRatios(b *strings.Builder) {
	b.WriteString("## Ratios\n\nThe library's requests/s in process by those of the others, with as many clients as stand in brackets.\n\n")
	b.WriteString("| Workload | | Library, requests/s | By hand-written | By JSON in Postgres |\n|---|---|---|---|---|\n")
	for _, e := range r.Answers {
		w, _ := blog.Named(e.Workload)
		cells := make(map[string][]string)
		for _, clients := range r.counts() {
			own := r.find(w.Name, clients, library)
			cells[library] = append(cells[library], fmt.Sprintf("%.0f (%d)", middle(own, perSecond), clients))
			for _, name := range []string{byHand, inServer} {
				if other := r.find(w.Name, clients, name); other != nil {
					cells[name] = append(cells[name], fmt.Sprintf("%.2f (%d)", ratio(own, other, perSecond), clients))
				}
			}
		}
		fmt.Fprintf(b, "| %s | %s", w.Name, w.Title)
		for _, name := range []string{library, byHand, inServer} {
			fmt.Fprintf(b, " | %s", strings.Join(cells[name], ", "))
		}
		b.WriteString(" |\n")
	}
	b.WriteString("\n")
}

func (r *record) reportLoad(b *strings.Builder) {
	b.WriteString("## Load\n\nThe ratio is the library's requests/s in process by those of the line.\n\n")
	b.WriteString("| Workload | Clients | | Requests/s | Ratio | p50 | p99 | Go CPU/request | Postgres CPU/request | Allocations/request | kB allocated/request |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	for i := range r.Load {
		s := &r.Load[i]
		own := r.find(s.Workload, s.Clients, library)
		fmt.Fprintf(b, "| %s | %d | %s | %.0f | %.2f | %s | %s | %s | %s | %.0f | %.1f |\n",
			s.Workload, s.Clients, s.Contender, middle(s, perSecond), ratio(own, s, perSecond),
			short(middle(s, func(s sample) time.Duration { return s.P50 })), short(middle(s, func(s sample) time.Duration { return s.P99 })),
			measured(middle(s, func(s sample) time.Duration { return s.CPU })), measured(middle(s, func(s sample) time.Duration { return s.PostgresCPU })),
			middle(s, allocs), middle(s, func(s sample) float64 { return s.Bytes })/1000)
	}
	b.WriteString("\n")
}

func (r *record) reportTrips(b *strings.Builder) {
	if len(r.Trips) == 0 {
		return
	}
	fmt.Fprintf(b, "## With %s between Go and Postgres\n\nOne client, p50; a trip to Postgres and back alone took %s.\nThe difference is the median of those within each round.\n\n", r.Delay, short(r.Ping))
	b.WriteString("| Workload | | With | Without | Difference |\n|---|---|---|---|---|\n")
	for _, t := range r.Trips {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", t.Workload, t.Contender, short(t.Far), short(t.Near), short(t.Apart))
	}
	b.WriteString("\n")
}

func (r *record) reportStreams(b *strings.Builder) {
	if len(r.Streams) == 0 {
		return
	}
	b.WriteString("## All comments in one answer\n\n| | Rows | MB | Rows/s | First byte | Largest heap in use | Largest heap allocated | |\n|---|---|---|---|---|---|---|---|\n")
	for _, s := range r.Streams {
		fmt.Fprintf(b, "| %s | %d | %.1f | %.0f | %s | %.1f MiB | %.1f MiB | %s |\n", s.Contender, s.Rows, float64(s.Bytes)/1e6, s.RowsPerSecond,
			short(s.FirstByte), float64(s.HeapInuse)/mebibyte, float64(s.HeapAlloc)/mebibyte, s.Failed)
	}
	b.WriteString("\n")
}

func known(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// measured is a time that may not have been measured.
func measured(d time.Duration) string {
	if d == 0 {
		return "not measured"
	}
	return short(d)
}

// short is a time with about three digits.
func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
	default:
		return fmt.Sprintf("%.1f µs", float64(d)/float64(time.Microsecond))
	}
}
