package main

import (
	"cmp"
	"slices"
	"time"
)

// A record is everything that a run has found. Times are in nanoseconds.
type record struct {
	Date, Took, DataSet string
	Machine             machine
	Server              server
	Rounds              int
	Slot, Delay         string
	Answers             []equality
	Harness             sample // the clients alone
	Load                []series
	Ping                time.Duration // a trip through the delaying proxy
	Trips               []trip
	Streams             []stream
	Targets             []target
}

// find returns the series of a contender, nil where there is none.
func (r *record) find(workload string, clients int, contender string) *series {
	i := slices.IndexFunc(r.Load, func(s series) bool {
		return s.Workload == workload && s.Clients == clients && s.Contender == contender
	})
	if i < 0 {
		return nil
	}
	return &r.Load[i]
}

// counts are the numbers of clients that were measured, in order.
func (r *record) counts() []int {
	var out []int
	for _, s := range r.Load {
		if !slices.Contains(out, s.Clients) {
			out = append(out, s.Clients)
		}
	}
	return out
}

// median is the middle value, of two the upper one.
func median[T cmp.Ordered](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// middle is the median over the rounds of one figure.
func middle[T cmp.Ordered](s *series, figure func(sample) T) T {
	values := make([]T, len(s.Rounds))
	for i, one := range s.Rounds {
		values[i] = figure(one)
	}
	return median(values)
}

// ratio is the median over the rounds of a figure of two series by each other.
func ratio(a, b *series, figure func(sample) float64) float64 {
	values := make([]float64, min(len(a.Rounds), len(b.Rounds)))
	for i := range values {
		values[i] = figure(a.Rounds[i]) / figure(b.Rounds[i])
	}
	return median(values)
}

// The figures of a sample.
func perSecond(s sample) float64 { return s.PerSecond }
func cpu(s sample) float64       { return float64(s.CPU) }
func allocs(s sample) float64    { return s.Allocs }
