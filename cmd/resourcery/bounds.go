package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/bearer"
	"github.com/resourcery/resourcery/httpapi"
)

// bounds are how much the server does, and for how long. Zeros are no bounds.
type bounds struct {
	requestTimeout   time.Duration
	statementTimeout time.Duration
	acquireTimeout   time.Duration
	maxConns         int
	maxInFlight      int
	rateLimit        float64
	rateBurst        int
}

func (b *bounds) flags(f *pflag.FlagSet) {
	f.DurationVar(&b.requestTimeout, "request-timeout", 0, "how long a request may take, as in 1m30s (default without end)")
	f.DurationVar(&b.statementTimeout, "statement-timeout", 0, "how long each statement in the database may take (default what the database says)")
	f.DurationVar(&b.acquireTimeout, "acquire-timeout", 0, "how long a request waits for a connection to the database (default as long as it may take)")
	f.IntVar(&b.maxConns, "max-conns", 0, "connections to the database at most (default by the number of processors, at least 4)")
	f.IntVar(&b.maxInFlight, "max-in-flight", 0, "requests that are answered at once, more are refused with 429 (default any number)")
	f.Float64Var(&b.rateLimit, "rate-limit", 0, "requests a second of each token, of callers without a valid one of each address, more are refused with 429 (default any number)")
	f.IntVar(&b.rateBurst, "rate-burst", 0, "requests at once within the rate limit (default those of a second)")
}

// validate refuses what nothing else would.
func (b *bounds) validate() error {
	var errs []error
	for _, timeout := range []struct {
		flag  string
		value time.Duration
	}{
		{"request-timeout", b.requestTimeout}, {"statement-timeout", b.statementTimeout}, {"acquire-timeout", b.acquireTimeout},
	} {
		if timeout.value < 0 {
			errs = append(errs, fmt.Errorf("--%s %s is no time to wait; write one such as 30s, or 0 for none", timeout.flag, timeout.value))
		}
	}
	if b.maxInFlight < 0 {
		errs = append(errs, fmt.Errorf("--max-in-flight %d is no number of requests; write a positive one, or 0 for any", b.maxInFlight))
	}
	if !(b.rateLimit >= 0) || b.rateLimit > maxRate {
		errs = append(errs, fmt.Errorf("--rate-limit %v is no rate; write requests a second, such as 20 or 0.5, or 0 for any", b.rateLimit))
	}
	switch {
	case b.rateBurst < 0:
		errs = append(errs, fmt.Errorf("--rate-burst %d is no number of requests; write a positive one, or 0 for those of a second", b.rateBurst))
	case b.rateBurst > 0 && b.rateLimit == 0:
		errs = append(errs, errors.New("--rate-burst means nothing without --rate-limit; set both, or neither"))
	}
	return errors.Join(errs...)
}

// maxRate is more than any server answers.
const maxRate = 1e9

// rate returns the limit for each caller, nil: none.
func (b *bounds) rate(sessions *bearer.Sessions) *httpapi.Rate {
	if b.rateLimit == 0 {
		return nil
	}
	return &httpapi.Rate{PerSecond: b.rateLimit, Burst: b.rateBurst, Key: sessions.Caller}
}
