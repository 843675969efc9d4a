package metrics

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// connections collects the statistics of a pool when they are asked for.
type connections struct {
	pool    *pgxpool.Pool
	state   *prometheus.Desc
	metrics []poolMetric
}

// A poolMetric is one number of a pool's statistics.
type poolMetric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(*pgxpool.Stat) float64
}

func newConnections(pool *pgxpool.Pool) *connections {
	name := func(text string) string { return prometheus.BuildFQName(namespace, "pool", text) }
	c := &connections{
		pool:  pool,
		state: prometheus.NewDesc(name("connections"), "Connections to the database, by what they do.", []string{"state"}, nil),
	}
	add := func(kind prometheus.ValueType, metric, help string, of func(*pgxpool.Stat) float64) {
		c.metrics = append(c.metrics, poolMetric{prometheus.NewDesc(name(metric), help, nil, nil), kind, of})
	}
	add(prometheus.GaugeValue, "max_connections", "Connections to the database at most.",
		func(s *pgxpool.Stat) float64 { return float64(s.MaxConns()) })
	add(prometheus.CounterValue, "opened_connections_total", "Connections that were opened.",
		func(s *pgxpool.Stat) float64 { return float64(s.NewConnsCount()) })
	add(prometheus.CounterValue, "acquires_total", "How often a connection was taken from the pool.",
		func(s *pgxpool.Stat) float64 { return float64(s.AcquireCount()) })
	add(prometheus.CounterValue, "acquire_seconds_total", "Time that this took, waiting included.",
		func(s *pgxpool.Stat) float64 { return s.AcquireDuration().Seconds() })
	add(prometheus.CounterValue, "empty_acquires_total", "How often none was idle, and one had to be waited for or opened.",
		func(s *pgxpool.Stat) float64 { return float64(s.EmptyAcquireCount()) })
	add(prometheus.CounterValue, "empty_acquire_seconds_total", "Time that this took.",
		func(s *pgxpool.Stat) float64 { return s.EmptyAcquireWaitTime().Seconds() })
	add(prometheus.CounterValue, "canceled_acquires_total", "How often waiting for one was given up.",
		func(s *pgxpool.Stat) float64 { return float64(s.CanceledAcquireCount()) })
	return c
}

// Describe implements prometheus.Collector.
func (c *connections) Describe(out chan<- *prometheus.Desc) {
	out <- c.state
	for _, m := range c.metrics {
		out <- m.desc
	}
}

// Collect implements prometheus.Collector.
func (c *connections) Collect(out chan<- prometheus.Metric) {
	stat := c.pool.Stat()
	for _, state := range []struct {
		name string
		n    int32
	}{
		{"idle", stat.IdleConns()}, {"acquired", stat.AcquiredConns()}, {"constructing", stat.ConstructingConns()},
	} {
		out <- prometheus.MustNewConstMetric(c.state, prometheus.GaugeValue, float64(state.n), state.name)
	}
	for _, m := range c.metrics {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.of(stat))
	}
}
