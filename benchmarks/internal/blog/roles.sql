-- Roles belong to the whole cluster, so two installations into two databases
-- may meet here. Whoever loses the race looks again.
DO $roles$
BEGIN
	FOR attempt IN 1..50 LOOP
		BEGIN
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'blog_member') THEN
				CREATE ROLE blog_member NOLOGIN NOSUPERUSER NOBYPASSRLS;
			END IF;
			IF NOT pg_has_role(current_user, 'blog_member', 'MEMBER') THEN
				EXECUTE format('GRANT blog_member TO %I', current_user);
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
