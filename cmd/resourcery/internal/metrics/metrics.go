package metrics

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/resourcery/resourcery/parse"
)

// Path is where metrics are served.
const Path = "/metrics"

const namespace = "resourcery"

// Metrics are those of one server.
type Metrics struct {
	base      string
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	running   prometheus.Gauge
}

// New returns the metrics of an API whose paths begin with base, escaped as in
// requests, and of the pool behind it.
func New(base string, pool *pgxpool.Pool) *Metrics {
	m := &Metrics{
		base:     base,
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "http_requests_total",
			Help: "Requests to the API, by method, form of the path and status; aborted where nobody was there to be answered.",
		}, []string{"method", "route", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "http_request_duration_seconds",
			Help:    "How long requests to the API took, by method and form of the path.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"method", "route"}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "http_requests_in_flight",
			Help: "Requests to the API that are being answered.",
		}),
	}
	m.registry.MustRegister(m.requests, m.durations, m.running, newConnections(pool),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// ServeHTTP answers with all metrics at Path, and 404 elsewhere.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != Path {
		http.Error(w, "There is nothing here; the metrics are at "+Path+".", http.StatusNotFound)
		return
	}
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// Counting returns the API's handler with its requests counted.
func (m *Metrics) Counting(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method, route := methodOf(r), m.routeOf(r)
		start, answer := time.Now(), &answer{ResponseWriter: w}
		m.running.Inc()
		// An answer that is aborted panics.
		defer func() {
			m.running.Dec()
			m.durations.WithLabelValues(method, route).Observe(time.Since(start).Seconds())
			m.requests.WithLabelValues(method, route, answer.text()).Inc()
		}()
		api.ServeHTTP(answer, r)
	})
}

// An answer is a response whose status is remembered.
type answer struct {
	http.ResponseWriter
	status int
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) text() string {
	if a.status == 0 {
		return "aborted"
	}
	return strconv.Itoa(a.status)
}

// other stands for whatever a client makes up.
const other = "other"

func methodOf(r *http.Request) string {
	known := []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete, http.MethodOptions,
	}
	if slices.Contains(known, r.Method) {
		return r.Method
	}
	return other
}

var routes = map[parse.Shape]string{
	parse.Collection:   "/{type}",
	parse.Resource:     "/{type}/{id}",
	parse.Related:      "/{type}/{id}/{relationship}",
	parse.Relationship: "/{type}/{id}/relationships/{relationship}",
	parse.Atomic:       "/operations",
}

func (m *Metrics) routeOf(r *http.Request) string {
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), m.base)
	if !ok {
		return other
	}
	target, err := parse.Path(path)
	if err != nil {
		return other
	}
	return routes[target.Shape]
}
