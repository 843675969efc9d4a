package sample_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/internal/sample"
)

func TestWhatCallersSee(t *testing.T) {
	conn := install(t, sample.Small)
	type counts struct{ User, Profile, Post, Comment, Tag, PostTag, Like int }
	for _, c := range []struct {
		caller    sample.Person
		want      counts
		revisions int
	}{
		{nobody, counts{4, 3, 6, 10, 6, 7, 8}, -1},
		{ann, counts{4, 3, 8, 11, 6, 9, 9}, 3},
		{bob, counts{4, 3, 7, 11, 6, 7, 9}, 2},
		{cleo, counts{4, 3, 7, 10, 6, 8, 8}, 1},
		{dan, counts{4, 3, 6, 10, 6, 7, 8}, 0},
	} {
		t.Run("as "+c.caller.Name, func(t *testing.T) {
			as(t, conn, c.caller, func(tx pgx.Tx) {
				rows, _ := tx.Query(t.Context(), `SELECT (SELECT count(*) FROM "User"), (SELECT count(*) FROM "Profile"),
					(SELECT count(*) FROM "Post"), (SELECT count(*) FROM "Comment"), (SELECT count(*) FROM "Tag"),
					(SELECT count(*) FROM "_PostToTag"), (SELECT count(*) FROM "Like")`)
				got, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[counts])
				if err != nil {
					t.Fatalf("count: %v", err)
				}
				if got != c.want {
					t.Errorf("sees %+v, want %+v", got, c.want)
				}
				if c.revisions < 0 {
					return
				}
				if n := value[int](t, tx, `SELECT count(*) FROM "Revision"`); n != c.revisions {
					t.Errorf("sees %d revisions, want %d", n, c.revisions)
				}
			})
		})
	}
}

func TestDraftsBelongToTheirAuthor(t *testing.T) {
	conn := install(t, sample.Full)
	published := value[int](t, conn, `SELECT count(*) FROM "Post" WHERE published`)
	as(t, conn, nobody, func(tx pgx.Tx) {
		if n := value[int](t, tx, `SELECT count(*) FROM "Post"`); n != published {
			t.Errorf("nobody sees %d posts, want the %d published", n, published)
		}
	})
	for _, p := range sample.People() {
		if name := value[string](t, conn, `SELECT name FROM "User" WHERE id = $1`, p.ID); name != p.Name {
			t.Errorf("user %d is %s, want %s", p.ID, name, p.Name)
		}
		drafts := value[int](t, conn, `SELECT count(*) FROM "Post" WHERE NOT published AND "authorId" = $1`, p.ID)
		if drafts == 0 {
			t.Errorf("%s has no drafts", p.Name)
		}
		as(t, conn, p, func(tx pgx.Tx) {
			if n := value[int](t, tx, `SELECT count(*) FROM "Post"`); n != published+drafts {
				t.Errorf("%s sees %d posts, want %d published and %d drafts", p.Name, n, published, drafts)
			}
		})
	}
}

// A subject that is no id of ours sees what nobody sees, without an error.
func TestOddSubjectIsNobody(t *testing.T) {
	conn := install(t, sample.Small)
	for _, claims := range []string{`{"sub":"ann"}`, `{"sub":"99999999999999"}`, `{"sub":"-1"}`, `{"sub":null}`, `{}`, ``} {
		session(t, conn, sample.MemberRole, claims, func(tx pgx.Tx) {
			if n := value[int](t, tx, `SELECT count(*) FROM "Post"`); n != 6 {
				t.Errorf("claims %q see %d posts, want 6", claims, n)
			}
		})
	}
}

func TestRefusedForLackOfPrivilege(t *testing.T) {
	conn := install(t, sample.Small)
	for _, c := range []struct {
		caller sample.Person
		sql    string
	}{
		{nobody, `SELECT email FROM "User"`},
		{nobody, `SELECT count(*) FROM "Revision"`},
		{nobody, `INSERT INTO "Tag" (name) VALUES ('x')`},
		{nobody, `UPDATE "Post" SET title = 'x'`},
		{nobody, `DELETE FROM "Comment"`},
		{ann, `UPDATE "User" SET reputation = 9999 WHERE id = 1`},
		{ann, `UPDATE "Tag" SET name = 'x' WHERE id = 1`},
		{ann, `DELETE FROM "Tag" WHERE id = 6`},
	} {
		as(t, conn, c.caller, func(tx pgx.Tx) {
			if _, err := tx.Exec(t.Context(), c.sql); sqlState(err) != insufficientPrivilege {
				t.Errorf("%s: %s: got %v, want %s", c.caller.Name, c.sql, err, insufficientPrivilege)
			}
		})
	}
	as(t, conn, dan, func(tx pgx.Tx) {
		if email := value[string](t, tx, `SELECT email FROM "User" WHERE id = 1`); email != "ann@example.org" {
			t.Errorf("Dan reads %q", email)
		}
	})
}

func TestInsertOnlyWhatIsTheirs(t *testing.T) {
	conn := install(t, sample.Small)
	for _, c := range []struct {
		caller       sample.Person
		own, foreign string
	}{
		{sample.Person{ID: 7, Name: "Eve"}, `"User" (id, name, handle, email) VALUES (7, 'Eve', 'eve', 'eve@example.org')`,
			`"User" (id, name, handle, email) VALUES (8, 'Eve', 'eve', 'eve@example.org')`},
		{dan, `"Profile" ("userId") VALUES (4)`, `"Profile" ("userId") VALUES (1)`},
		{ann, `"Post" ("authorId", title) VALUES (1, 'x')`, `"Post" ("authorId", title) VALUES (2, 'x')`},
		{ann, `"Comment" ("postId", "authorId", body) VALUES (4, 1, 'x')`, `"Comment" ("postId", "authorId", body) VALUES (4, 2, 'x')`},
		{ann, `"Comment" ("postId", "authorId", body) VALUES (3, 1, 'x')`, `"Comment" ("postId", "authorId", body) VALUES (5, 1, 'x')`},
		{ann, `"Like" ("userId", "postId") VALUES (1, 6)`, `"Like" ("userId", "postId") VALUES (2, 6)`},
		{ann, `"_PostToTag" VALUES (2, 6)`, `"_PostToTag" VALUES (4, 6)`},
		{ann, `"Revision" ("postId", "editorId") VALUES (1, 1)`, `"Revision" ("postId", "editorId") VALUES (4, 1)`},
	} {
		as(t, conn, c.caller, func(tx pgx.Tx) {
			if _, err := tx.Exec(t.Context(), `INSERT INTO `+c.own); err != nil {
				t.Errorf("%s may not insert %s: %v", c.caller.Name, c.own, err)
			}
		})
		as(t, conn, c.caller, func(tx pgx.Tx) {
			if _, err := tx.Exec(t.Context(), `INSERT INTO `+c.foreign); sqlState(err) != insufficientPrivilege {
				t.Errorf("%s inserts %s: got %v, want %s", c.caller.Name, c.foreign, err, insufficientPrivilege)
			}
		})
	}
}

func TestChangeOnlyWhatIsTheirs(t *testing.T) {
	conn := install(t, sample.Small)
	for _, c := range []struct {
		sql  string
		want int64 // rows of Ann's
	}{
		{`UPDATE "User" SET handle = 'x'`, 1},
		{`UPDATE "Profile" SET bio = 'x'`, 1},
		{`UPDATE "Post" SET summary = 'x'`, 4},
		{`UPDATE "Comment" SET body = 'x'`, 4},
		{`UPDATE "Like" SET strength = 2`, 3},
		{`UPDATE "Revision" SET note = 'x'`, 2},
		{`DELETE FROM "Like"`, 3},
		{`DELETE FROM "_PostToTag"`, 5},
		{`DELETE FROM "Revision"`, 3},
		{`DELETE FROM "Comment"`, 4},
		{`DELETE FROM "Post"`, 4},
		{`DELETE FROM "Profile"`, 1},
		{`DELETE FROM "User"`, 1},
	} {
		as(t, conn, ann, func(tx pgx.Tx) {
			tag, err := tx.Exec(t.Context(), c.sql)
			if err != nil || tag.RowsAffected() != c.want {
				t.Errorf("%s: %d rows, %v; want %d", c.sql, tag.RowsAffected(), err, c.want)
			}
		})
	}
	as(t, conn, ann, func(tx pgx.Tx) {
		if _, err := tx.Exec(t.Context(), `UPDATE "Post" SET "authorId" = 2 WHERE id = 1`); sqlState(err) != insufficientPrivilege {
			t.Errorf("a post is given away: got %v, want %s", err, insufficientPrivilege)
		}
	})
}

func TestEveryTableHasPolicies(t *testing.T) {
	conn := install(t, sample.Small)
	lacking := value[[]string](t, conn, `
		SELECT coalesce(array_agg(relname::text), '{}') FROM pg_class c
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT (relrowsecurity AND relforcerowsecurity
			AND (SELECT count(DISTINCT polcmd) FROM pg_policy WHERE polrelid = c.oid) = 4)`)
	if len(lacking) > 0 {
		t.Errorf("row-level security is not forced, or a command has no policy: %v", lacking)
	}
}
