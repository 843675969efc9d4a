package blog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Restore takes back what the workloads that write have done, apart from the
// texts of updated posts: it deletes what was created, has the next create get
// the same id as the first one did, and vacuums the table. The connection's role
// must own it and pass over row-level security, as a superuser does.
func Restore(ctx context.Context, conn *pgx.Conn, s Size) error {
	for _, statement := range []string{
		fmt.Sprintf(`DELETE FROM "Post" WHERE id > %d`, s.Posts()),
		fmt.Sprintf(`SELECT setval(pg_get_serial_sequence('"Post"', 'id'), %d)`, s.Posts()),
		`VACUUM "Post"`,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("restore the data set: %w", err)
		}
	}
	return nil
}
