package main

import (
	"fmt"
	"strconv"
	"time"
)

// A target is what a figure has to be, and what it is.
type target struct {
	What  string
	Want  string
	Got   string
	Value float64
	Met   bool
}

// The targets. Requests per second are in process, against another contender.
var rateTargets = []struct {
	workload, against string
	least             float64
}{
	{"W1", byHand, 0.90},
	{"W2", byHand, 0.95},
	{"W5", byHand, 0.95},
	{"W3", byHand, 0.90},
	{"W4", byHand, 0.90},
	{"W3", inServer, 3.5},
}

const (
	mostTrips     = 1.15
	mostCPU       = 2.0 // of W1, against hand-written
	mostHeap      = 64 << 20
	mebibyte      = 1 << 20
	mostOfOne     = 60
	mostOfHundred = 120
)

// targets judges what was measured; of what was not there is no target.
func (r *record) targets() []target {
	var out []target
	for _, t := range rateTargets {
		for _, clients := range r.counts() {
			own, other := r.find(t.workload, clients, library), r.find(t.workload, clients, t.against)
			if own == nil || other == nil {
				continue
			}
			out = append(out, atLeast(fmt.Sprintf("%s, requests/s against %s, %s", t.workload, t.against, several(clients)), ratio(own, other, perSecond), t.least))
		}
	}
	out = append(out, r.tripTargets()...)
	for _, clients := range r.counts() {
		own, other := r.find("W1", clients, library), r.find("W1", clients, byHand)
		if own == nil || other == nil || own.Rounds[0].CPU == 0 {
			continue
		}
		out = append(out, atMost(fmt.Sprintf("W1, Go CPU per request against %s, %s", byHand, several(clients)), ratio(own, other, cpu), mostCPU))
	}
	for _, t := range []struct {
		workload string
		most     float64
	}{{"W1", mostOfOne}, {"W3", mostOfHundred}} {
		if own := r.find(t.workload, 1, library); own != nil {
			out = append(out, atMost(t.workload+", allocations per request in process", middle(own, allocs)-r.Harness.Allocs, t.most))
		}
	}
	return append(out, r.streamTargets()...)
}

// tripTargets count the trips of a request, by the delay. Of the large documents
// the time that they take without a delay is not counted.
func (r *record) tripTargets() []target {
	var out []target
	one, err := time.ParseDuration(r.Delay)
	if err != nil || one == 0 {
		return nil
	}
	for _, t := range r.Trips {
		if t.Contender != library {
			continue
		}
		switch t.Workload {
		case "W1", "W2":
			out = append(out, atMost(fmt.Sprintf("%s, trips of %s at p50", t.Workload, r.Delay), float64(t.Far)/float64(one), mostTrips))
		case "W3", "W4":
			out = append(out, atMost(fmt.Sprintf("%s, trips of %s at p50, less the time without", t.Workload, r.Delay), float64(t.Apart)/float64(one), mostTrips))
		}
	}
	return out
}

func (r *record) streamTargets() []target {
	var out []target
	for _, s := range r.Streams {
		if s.Contender != library {
			continue
		}
		t := atMost(fmt.Sprintf("%d rows in one answer, MiB of Go heap in use", s.Rows), float64(s.HeapInuse)/mebibyte, mostHeap/mebibyte)
		if s.Failed != "" {
			t.Met, t.Got = false, s.Failed
		}
		out = append(out, t)
	}
	return out
}

func several(clients int) string {
	if clients == 1 {
		return "1 client"
	}
	return strconv.Itoa(clients) + " clients"
}

func atLeast(what string, got, want float64) target {
	return target{what, fmt.Sprintf("at least %.4g", want), fmt.Sprintf("%.3g", got), got, got >= want}
}

func atMost(what string, got, want float64) target {
	return target{what, fmt.Sprintf("at most %.4g", want), fmt.Sprintf("%.3g", got), got, got <= want}
}
