-- Roles belong to the whole cluster, so two installations into two databases
-- may meet here. Whoever loses the race finds the role or the grant made and
-- looks again; nothing is altered that is already right.
DO $roles$
DECLARE
	password text := nullif(current_setting('sample.password', true), '');
BEGIN
	FOR attempt IN 1..50 LOOP
		BEGIN
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'publishing_anon') THEN
				CREATE ROLE publishing_anon NOLOGIN;
			END IF;
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'publishing_member') THEN
				CREATE ROLE publishing_member NOLOGIN;
			END IF;
			-- NOINHERIT: the login role itself may read nothing, it only becomes
			-- one of the other two.
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'resourcery_demo') THEN
				CREATE ROLE resourcery_demo LOGIN NOINHERIT NOSUPERUSER NOBYPASSRLS;
			END IF;
			IF NOT pg_has_role('resourcery_demo', 'publishing_anon', 'MEMBER') THEN
				GRANT publishing_anon TO resourcery_demo;
			END IF;
			IF NOT pg_has_role('resourcery_demo', 'publishing_member', 'MEMBER') THEN
				GRANT publishing_member TO resourcery_demo;
			END IF;
			IF password IS NOT NULL THEN
				EXECUTE format('ALTER ROLE resourcery_demo PASSWORD %L', password);
			END IF;
			RETURN;
		EXCEPTION
			-- internal_error is what Postgres calls "tuple concurrently updated".
			WHEN duplicate_object OR unique_violation OR internal_error THEN
				IF attempt = 50 THEN
					RAISE;
				END IF;
				PERFORM pg_sleep(0.02);
		END;
	END LOOP;
END
$roles$;
