package blog

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
)

var (
	//go:embed roles.sql
	rolesSQL string
	//go:embed tables.sql
	tablesSQL string
	//go:embed rows.sql
	rowsSQL string
	//go:embed keys.sql
	keysSQL string
	//go:embed policies.sql
	policiesSQL string
)

// edition changes whenever the rows, the tables or the policies do, so that a
// database made before is not taken for this one.
const edition = 1

// A Size chooses how many rows there are. The set of sizes is closed.
type Size uint8

const (
	// Small is for tests: 200 users, 4000 posts, 20,000 comments, 20 tags.
	Small Size = iota
	// Full is what is measured: 10,000 users, 200,000 posts, 1,000,000 comments,
	// 500 tags, 600,000 tags of posts.
	Full
)

// ParseSize is the inverse of String.
func ParseSize(name string) (Size, error) {
	for s := Small; s <= Full; s++ {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("unknown size %q: write %s or %s", name, Small, Full)
}

// String is the size's name: small or full.
func (s Size) String() string {
	switch s {
	case Small:
		return "small"
	case Full:
		return "full"
	default:
		panic(fmt.Sprintf("blog: no size %d", s))
	}
}

// counts are how many rows the tables have; the others follow from these.
type counts struct{ users, posts, tags int }

func (s Size) counts() counts {
	switch s {
	case Small:
		return counts{users: 200, posts: 4000, tags: 20}
	case Full:
		return counts{users: 10_000, posts: 200_000, tags: 500}
	default:
		panic(fmt.Sprintf("blog: no size %d", s))
	}
}

// Posts is how many posts there are; their ids are 1 to that.
func (s Size) Posts() int { return s.counts().posts }

// Comments is how many comments there are.
func (s Size) Comments() int { return 5 * s.counts().posts }

// Rows tells how many rows each table has.
func (s Size) Rows() string {
	c := s.counts()
	return fmt.Sprintf("%d users, %d posts, %d comments, %d tags, %d tags of posts", c.users, c.posts, 5*c.posts, c.tags, 3*c.posts)
}

// mark is what an installed database says of itself.
func (s Size) mark() string { return s.String() + " edition " + strconv.Itoa(edition) }

// Install makes the data set in a database that is empty, and does nothing where
// it is there already; a database with another size or edition of it is refused.
// It leaves all of it or, apart from the role, nothing. The connection's role
// must be able to create roles and tables, owns the tables afterwards, and may
// take the role of Session.
func Install(ctx context.Context, conn *pgx.Conn, size Size) error {
	switch found, err := Installed(ctx, conn); {
	case err != nil:
		return err
	case found == size.mark():
		return nil
	case found != "":
		return fmt.Errorf("the database has the data set %q and not %q: name an empty one", found, size.mark())
	}
	// The role commits on its own, so that an installation into another database
	// of the cluster waits for that alone.
	if _, err := conn.Exec(ctx, rolesSQL); err != nil {
		return fmt.Errorf("make the data set's role: %w", err)
	}
	if err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return fill(ctx, tx, size) }); err != nil {
		return fmt.Errorf("make the data set: %w", err)
	}
	// Not only statistics: reads would go on to set hint bits for a while.
	if _, err := conn.Exec(ctx, "VACUUM (ANALYZE)"); err != nil {
		return fmt.Errorf("vacuum the data set: %w", err)
	}
	return nil
}

// Installed returns the size and edition that a database has, "" for none.
func Installed(ctx context.Context, conn *pgx.Conn) (string, error) {
	var there bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('benchmark.data_set') IS NOT NULL").Scan(&there); err != nil {
		return "", fmt.Errorf("look for the data set: %w", err)
	}
	if !there {
		return "", nil
	}
	var mark string
	if err := conn.QueryRow(ctx, "SELECT mark FROM benchmark.data_set").Scan(&mark); err != nil {
		return "", fmt.Errorf("look for the data set: %w", err)
	}
	return mark, nil
}

func fill(ctx context.Context, tx pgx.Tx, size Size) error {
	c := size.counts()
	for _, setting := range []struct {
		name  string
		value int
	}{{"blog.users", c.users}, {"blog.posts", c.posts}, {"blog.tags", c.tags}} {
		if _, err := tx.Exec(ctx, "SELECT set_config($1, $2, true)", setting.name, strconv.Itoa(setting.value)); err != nil {
			return err
		}
	}
	for _, script := range []string{tablesSQL, rowsSQL, keysSQL, policiesSQL} {
		if _, err := tx.Exec(ctx, script); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "CREATE SCHEMA benchmark; CREATE TABLE benchmark.data_set (mark text NOT NULL)"); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "INSERT INTO benchmark.data_set VALUES ($1)", size.mark())
	return err
}
