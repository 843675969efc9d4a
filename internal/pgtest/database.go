package pgtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Database makes a database with the content that schemaSQL creates, and
// returns a superuser's connection string to it. It is the test's alone and is
// dropped at the test's end, whoever is still connected.
//
// The SQL, statements separated by semicolons, runs once for each distinct
// text: every further database is a copy, made in about a tenth of a second. What a
// copy lacks is what belongs to the database as a whole (ALTER DATABASE ...
// SET, GRANT ... ON DATABASE). Roles belong to the server, outlive the
// database and may be there already, so SQL creates them by a guarded block:
//
//	DO $$ BEGIN
//		CREATE ROLE member NOLOGIN;
//	EXCEPTION WHEN duplicate_object THEN NULL;
//	END $$;
func Database(t testing.TB, schemaSQL string) string {
	t.Helper()
	server := Server(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	template, err := templates.get(ctx, server.DSN, schemaSQL)
	if err != nil {
		t.Fatal(err)
	}
	name := "pgtest_" + strings.ToLower(rand.Text())
	if err := execute(ctx, server.DSN, "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		t.Fatalf("copy the template: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := execute(ctx, server.DSN, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	dsn, err := withDatabase(server.DSN, name)
	if err != nil {
		t.Fatal(err)
	}
	return dsn
}

// templateSet holds the templates that are known to exist on the shared
// server, by the SQL that made them.
type templateSet struct {
	mu    sync.Mutex
	names map[string]string
}

var templates templateSet

func (s *templateSet) get(ctx context.Context, dsn, schemaSQL string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name, ok := s.names[schemaSQL]; ok {
		return name, nil
	}
	digest := sha256.Sum256([]byte(schemaSQL))
	name := "pgtest_template_" + hex.EncodeToString(digest[:12])
	if err := makeTemplate(ctx, dsn, name, schemaSQL); err != nil {
		return "", fmt.Errorf("make the template database: %w", err)
	}
	if s.names == nil {
		s.names = make(map[string]string)
	}
	s.names[schemaSQL] = name
	return name, nil
}

// templateLock is the advisory lock that test processes on one server take to
// make a template. It is one for all templates, because two that create the
// same role would collide. It lives in the maintenance database, as advisory
// locks are a database's own.
const templateLock = 0x7067_7465_7374

// makeTemplate makes the template unless it is there. That it is marked as a
// template says that its SQL ran to the end.
func makeTemplate(ctx context.Context, dsn, name, schemaSQL string) (err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	// Closing the connection gives the lock back.
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(templateLock)); err != nil {
		return fmt.Errorf("lock the templates: %w", err)
	}
	var complete bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)", name).Scan(&complete)
	if err != nil {
		return fmt.Errorf("look for the template: %w", err)
	}
	if complete {
		return nil
	}
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + name + " WITH (FORCE)",
		"CREATE DATABASE " + name + " TEMPLATE template0",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	target, err := withDatabase(dsn, name)
	if err != nil {
		return err
	}
	if err := execute(ctx, target, schemaSQL); err != nil {
		_, dropping := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		return errors.Join(fmt.Errorf("run the schema's SQL: %w", err), dropping)
	}
	// A template that somebody is connected to cannot be copied.
	if _, err := conn.Exec(ctx, "ALTER DATABASE "+name+" IS_TEMPLATE true ALLOW_CONNECTIONS false"); err != nil {
		return fmt.Errorf("mark the template: %w", err)
	}
	return nil
}

// execute runs statements on a connection of their own.
func execute(ctx context.Context, dsn, statements string) (err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	_, err = conn.PgConn().Exec(ctx, statements).ReadAll()
	return err
}

// withDatabase points a connection string, a URL or a list of keywords, at
// another database of the same server.
func withDatabase(dsn, name string) (string, error) {
	if !strings.HasPrefix(dsn, "postgres://") && !strings.HasPrefix(dsn, "postgresql://") {
		return dsn + " dbname=" + name, nil
	}
	parsed, err := url.Parse(dsn)
	if err != nil {
		return "", errors.New("read the connection string: it is no URL")
	}
	parsed.Path = "/" + name
	// dbname and database in the query would win over the path.
	query := parsed.Query()
	query.Del("dbname")
	query.Del("database")
	parsed.RawQuery = query.Encode()
	return parsed.String(), nil
}
