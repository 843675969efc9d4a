package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/resourcery/resourcery/jsonapi"
)

// A Rate bounds how many requests each caller may make. Each has a bucket of
// Burst requests, which fills up again at PerSecond.
type Rate struct {
	// PerSecond is how many requests a second each caller may make for long. It
	// is positive, and may be a fraction.
	PerSecond float64
	// Burst is how many they may make at once; 0: as many as in a second, at
	// least one.
	Burst int
	// Key tells callers apart; nil: by RemoteKey. It is called before the caller
	// is known to be who they say they are, so a key made of a credential tells
	// only credentials apart. Keys may be secret: they are not kept.
	Key func(*http.Request) string
}

// RemoteKey is the address that a request comes from, of IPv6 the first 64 bits,
// as a single caller has all that begin with them. Behind a proxy it is the
// proxy's.
func RemoteKey(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	addr := at.Addr().Unmap()
	if addr.Is4() {
		return addr.String()
	}
	network, err := addr.WithZone("").Prefix(64)
	if err != nil {
		panic(fmt.Sprintf("httpapi: an address of IPv6 has no 64 bits: %v", err))
	}
	return network.String()
}

func (r *Rate) validate() error {
	var errs []error
	if !(r.PerSecond > 0) || math.IsInf(r.PerSecond, 1) {
		errs = append(errs, fmt.Errorf("httpapi: HostOptions.Rate.PerSecond is %v: write a positive number, or leave the rate out", r.PerSecond))
	}
	if r.Burst < 0 {
		errs = append(errs, fmt.Errorf("httpapi: HostOptions.Rate.Burst is %d: write a positive number, or 0 for as many as in a second", r.Burst))
	}
	return errors.Join(errs...)
}

// maxBuckets bounds how many callers have a bucket. Past it those that have been
// quiet for the longest start again with a full one.
const maxBuckets = 1 << 16

// rates are the buckets of callers.
type rates struct {
	perSecond rate.Limit
	burst     int
	key       func(*http.Request) string
	seed      maphash.Seed
	buckets   *lru.Cache[uint64, *rate.Limiter] // by the key's hash
}

func newRates(r *Rate) *rates {
	buckets, err := lru.New[uint64, *rate.Limiter](maxBuckets)
	if err != nil {
		panic(err) // of sizes below one
	}
	out := &rates{
		perSecond: rate.Limit(r.PerSecond),
		burst:     cmp.Or(r.Burst, int(math.Ceil(min(r.PerSecond, math.MaxInt32)))),
		key:       r.Key,
		seed:      maphash.MakeSeed(),
		buckets:   buckets,
	}
	if out.key == nil {
		out.key = RemoteKey
	}
	return out
}

// take takes a request out of its caller's bucket, or says how long to wait.
func (s *rates) take(r *http.Request, now time.Time) (wait time.Duration, ok bool) {
	id := maphash.String(s.seed, s.key(r))
	bucket, known := s.buckets.Get(id)
	if !known {
		bucket = rate.NewLimiter(s.perSecond, s.burst)
		// Another request of the caller may have come first.
		if earlier, found, _ := s.buckets.PeekOrAdd(id, bucket); found {
			bucket = earlier
		}
	}
	if bucket.AllowN(now, 1) {
		return 0, true
	}
	missing := 1 - bucket.TokensAt(now)
	return time.Duration(min(missing/float64(s.perSecond), 3600) * float64(time.Second)), false
}

// limits bound how many requests are let in; the zero limits let all in.
type limits struct {
	max     int64 // at once; 0: no bound
	running atomic.Int64
	rates   *rates // nil: no bound
}

// set takes the limits of the options, or refuses them.
func (l *limits) set(o HostOptions) error {
	if o.MaxInFlight < 0 {
		return fmt.Errorf("httpapi: HostOptions.MaxInFlight is %d: write a positive number, or 0 for no bound", o.MaxInFlight)
	}
	l.max = int64(o.MaxInFlight)
	if o.Rate == nil {
		return nil
	}
	if err := o.Rate.validate(); err != nil {
		return err
	}
	l.rates = newRates(o.Rate)
	return nil
}

// busy is what a request waits where too many are running, as long as most take.
const busy = time.Second

// enter lets a request in, or refuses it. Who was let in has to leave. OPTIONS
// costs nothing and is asked by browsers on behalf of other requests.
func (l *limits) enter(r *http.Request) (leave func(), err error) {
	if r.Method == http.MethodOptions {
		return func() {}, nil
	}
	if l.rates != nil {
		if wait, ok := l.rates.take(r, time.Now()); !ok {
			return nil, tooMany(wait, "You are sending too many requests; try again later.")
		}
	}
	if l.max == 0 {
		return func() {}, nil
	}
	if l.running.Add(1) > l.max {
		l.running.Add(-1)
		return nil, tooMany(busy, "The server is answering too many requests at once; try again later.")
	}
	return func() { l.running.Add(-1) }, nil
}

// tooMany refuses a request and says when to try again, in whole seconds.
func tooMany(wait time.Duration, detail string) error {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	return &refusal{
		object: &jsonapi.Error{Code: jsonapi.TooManyRequests, Detail: detail},
		header: []headerLine{{"Retry-After", strconv.Itoa(seconds)}},
	}
}
