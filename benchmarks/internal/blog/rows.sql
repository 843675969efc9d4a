-- Rows are functions of their number alone: draw(n, salt) is a fixed number
-- from 0 to 2^31 - 1 without visible order.
CREATE FUNCTION pg_temp.draw(n bigint, salt bigint) RETURNS bigint
	LANGUAGE sql IMMUTABLE
	RETURN ((n + salt * 7919) * 2654435761 % 4294967291 * 40503 % 4294967279) >> 1;

CREATE TEMPORARY TABLE prose ON COMMIT DROP AS
SELECT repeat($prose$The bread had to rest overnight, and so did we. "Nobody waits any more," said the baker,
turning the loaf on its board; flour hung in the light like weather. A recipe is a promise about time: so many
hours for the leaven, so many for the crust, and the rest is patience — or, as Zoë put it, "doing nothing, well".
We walked down to the harbour where the boats came in before six and the price of everything was written on slate
in chalk (€4.20 for mackerel, and no haggling). There is a kind of map that only cooks have, drawn from
smell to smell: coffee, diesel, wet rope, oranges from a crate that split on the quay. Back home the oven was warm.
She cut the first slice far too early, as always, and ate it standing by the window & the radio, butter running
down to her wrist. Later there would be guests, a long table, nine opinions about salt; later still somebody would
wash up and somebody would sing. For now there was one slice, one window, and a street that had just begun to open
its shutters: blue, green, blue, grey. What else would you write down? The temperature (240°), the time (38'), and
the fact that it worked. Everything after that is decoration, or advice, which is worse. Start again tomorrow.
$prose$, 2) AS text;

CREATE TEMPORARY TABLE people ON COMMIT DROP AS
SELECT string_to_array('Ada,Alan,Alma,Anders,Anna,Arjun,Astrid,Ben,Bo,Carla,Chen,Clara,Daniel,Diego,Dora,Edgar,Elif,Emma,Erik,Eva,Fatima,Felix,Grace,Hana,Hugo,Ines,Ivan,Jana,Jonas,Karim,Kim,Lars,Lena,Leo,Marco,Maria,Marie,Mateo,Mia,Nadia,Nils,Nora,Olga,Omar,Paula,Rosa,Sam,Tara,Viktor,Zoë', ',') AS first,
	string_to_array('Abara,Andersson,Bauer,Berg,Brandt,Castro,Costa,Dahl,Diaz,Eriksen,Ferrari,Fischer,Garcia,Haas,Hansen,Ito,Jensen,Kaya,Keller,Khan,Klein,Kowalski,Larsen,Lopez,Maier,Mori,Moreau,Novak,Okafor,Olsen,Petrov,Pinto,Popov,Ricci,Rossi,Roy,Santos,Sato,Schulz,Silva,Simon,Singh,Suzuki,Tanaka,Vega,Vogel,Wagner,Weber,Wolf,Zhang', ',') AS last;

INSERT INTO "User" (id, name, email, "createdAt")
SELECT n, people.first[1 + pg_temp.draw(n, 1) % 50] || ' ' || people.last[1 + pg_temp.draw(n, 2) % 50],
	'user' || n || '@example.org', timestamptz '2019-01-01 00:00:00Z' + n * interval '17 minutes 11.125 seconds'
FROM generate_series(1, current_setting('blog.users')::int) n, people;

-- Every fiftieth post is by the user in whose name requests run, the others are
-- by anybody; one in ten is a draft.
INSERT INTO "Post" (id, "authorId", title, content, published, "viewCount", "createdAt", "updatedAt")
SELECT n, CASE WHEN n % 50 = 0 THEN 1 ELSE 1 + pg_temp.draw(n, 3) % current_setting('blog.users')::int END,
	trim(substr(prose.text, 1 + (pg_temp.draw(n, 4) % 1100)::int, 30 + (pg_temp.draw(n, 5) % 30)::int)),
	trim(substr(prose.text, 1 + (pg_temp.draw(n, 6) % 1100)::int, 220 + (pg_temp.draw(n, 7) % 160)::int)),
	pg_temp.draw(n, 8) % 10 <> 0, (pg_temp.draw(n, 9) % 100000)::int,
	timestamptz '2020-01-01 00:00:00Z' + n * interval '11 minutes 3.5 seconds' + pg_temp.draw(n, 10) % 600000 * interval '1 millisecond',
	CASE WHEN n % 3 = 0 THEN timestamptz '2025-06-01 00:00:00Z' + n * interval '13 seconds' END
FROM generate_series(1, current_setting('blog.posts')::int) n, prose;

-- Five comments for each post, far apart, as comments come in; one in fifty is
-- hidden.
INSERT INTO "Comment" (id, "postId", "authorId", content, hidden, "createdAt")
SELECT n, 1 + n::bigint * 7919 % current_setting('blog.posts')::int, 1 + pg_temp.draw(n, 11) % current_setting('blog.users')::int,
	trim(substr(prose.text, 1 + (pg_temp.draw(n, 12) % 1100)::int, 60 + (pg_temp.draw(n, 13) % 100)::int)),
	pg_temp.draw(n, 14) % 50 = 0,
	timestamptz '2024-06-01 00:00:00Z' + n * interval '31.25 seconds'
FROM generate_series(1, 5 * current_setting('blog.posts')::int) n, prose;

INSERT INTO "Tag" (id, name)
SELECT n, 'tag-' || n
FROM generate_series(1, current_setting('blog.tags')::int) n;

-- Three different tags for each post.
INSERT INTO "_PostToTag" ("A", "B")
SELECT n, 1 + (pg_temp.draw(n, 15) + k * (1 + pg_temp.draw(n, 16) % (current_setting('blog.tags')::int / 3))) % current_setting('blog.tags')::int
FROM generate_series(1, current_setting('blog.posts')::int) n, generate_series(0, 2) k;

SELECT setval(pg_get_serial_sequence(format('%I', t), 'id'), n)
FROM (VALUES ('User', current_setting('blog.users')::int), ('Post', current_setting('blog.posts')::int),
	('Comment', 5 * current_setting('blog.posts')::int), ('Tag', current_setting('blog.tags')::int)) AS last (t, n);
