// Package benchmarks is how fast the library is, and how to find out.
//
// # Stages
//
// The benchmarks of this package measure each stage of a request alone, on the
// requests of the load comparison:
//
//	go test -run '^$' -bench . -benchmem ./benchmarks
//
// # Load
//
// The command load compares the library, on one data set and in one run, with
// other ways of giving the same answers:
//
//	go run ./benchmarks/load                        everything, in a quarter of an hour
//	go run ./benchmarks/load --workloads W1,W3 --clients 8 --rounds 3
//	go run ./benchmarks/load --check                fails if a target is missed
//	go run ./benchmarks/load --profile profiles     with CPU profiles
//	go run ./benchmarks/load --help
//
// It starts a Postgres of its own from what is installed, and ends it; --data
// keeps the data set for the next run, --dsn names a server that is running. The
// results go to results/load.md and results/load.json with a description of the
// machine.
//
// The data set (internal/blog) is 10,000 users, 200,000 posts, 1,000,000
// comments, 500 tags and 600,000 tags of posts, all under row-level security.
// Every request runs under a role and two session variables. The contenders are
//
//   - the library, called in process by ServeHTTP with a writer that throws the
//     answer away;
//   - the library over net/http, on connections that are kept open;
//   - a handler written by hand with pgx (internal/handmade), in process: the
//     same session, one pipeline with one Sync, statements prepared, values in
//     binary, JSON appended to pooled buffers;
//   - documents that Postgres makes with json_agg (internal/indb), in process.
//
// Their answers are compared first. Those of the library and the hand-written
// handler have to be equal byte for byte, headers included; those made in
// Postgres have to mean the same. Then each answers for half a second, in turn
// and round after round, every second round the other way, so that whatever else
// the machine does falls on all of them. Ratios are medians of the ratios within
// a round, everything else is the median over the rounds.
//
// Lists do not ask for a total, as counting 200,000 posts would hide what the
// rest costs; W3t does. Further parts put 10 ms between Go and Postgres by a
// proxy (internal/delay), which shows how many trips a request makes, and read
// the million comments in one answer, which shows what is kept in memory.
//
// A workload asks the same query again and again, of one post after the other
// where it has an id, so the library finds the plan of each but the first among
// those that it keeps. What planning costs otherwise is what the stages parse and
// plan take.
//
// Processor time of this process includes that of the clients, which is next to
// nothing but for net/http. Postgres's is that of the backends which serve the
// contender, and is measured on Linux where they run on the same machine.
package benchmarks
