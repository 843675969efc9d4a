-- Few rows, written by hand, with ids to reason about. Drafts: 3 and 10 of
-- Ann, 5 of Bob, 9 of Cleo. Dan has written comments only.

INSERT INTO "User" (id, name, handle, email, "countryCode", reputation, active, "suspendedUntil", "createdAt") VALUES
	(1, 'Ann', 'ann', 'ann@example.org', 'NO', 120, true, NULL, '2024-01-10 08:00:00+00'),
	(2, 'Bob', 'bob', 'bob@example.org', 'GB', 45, true, NULL, '2024-02-20 09:30:00+00'),
	(3, 'Cleo', 'cleo', 'cleo@example.org', 'GR', 0, true, '2024-07-01 00:00:00+00', '2024-03-05 17:45:30.123456+00'),
	(4, 'Dan', 'dan', 'dan@example.org', NULL, -3, false, 'infinity', '2024-03-31 01:30:00+00');

INSERT INTO "Profile" (id, "userId", bio, website, address, languages, birthday, "membershipEnds", "digestAt", "callsFrom", avatar, settings) VALUES
	(1, 1, 'Writes about databases and bread.', 'https://ann.example.org/', ROW('Storgata 1', 'Oslo', '0155', 'Norway'),
		'{nb,en}', '1985-02-28', 'infinity', '07:30:00', '09:00:00+01', '\x89504e470d0a1a0a00ff00', '{"theme": "dark", "notify": {"email": true, "hours": [8, 20]}}'),
	(2, 2, NULL, NULL, ROW('Flat 2, "The Mill"', 'York', NULL, 'United Kingdom'),
		'{en}', '1992-02-29', '2026-12-31', '23:59:59.999999', '18:15:00+00', '\x', '{}'),
	(3, 3, E'Line one.\nLine two, with a tab\tin it.', 'https://example.org/~cleo?q=1&r=a%20b', NULL,
		'{}', NULL, NULL, NULL, NULL, NULL, 'null');

INSERT INTO "Tag" (id, name, description, color, rank) VALUES
	(1, 'go', 'The language, not the game', '#00add8', 2),
	(2, 'postgres', 'Everything about PostgreSQL', '#336791', 1),
	(3, 'cooking', NULL, '#c0392b', 3),
	(4, 'travel', '', '#27ae60', 4),
	(5, 'unfinished', 'Used on drafts only', '#888888', -1),
	(6, 'archaeology', 'Used nowhere yet', '#a67c52', 32767);

INSERT INTO "Post" (id, "authorId", title, slug, summary, body, published, status, "viewCount", "readSeconds", trend, earnings,
	keywords, scores, metadata, "featuredDuring", "embargoUntil", "createdAt", "updatedAt", "publishedAt") VALUES
	(1, 1, 'Hello, Postgres', 'hello-postgres', 'A first look at the elephant.',
		'A table, a row and a query: nobody needs more to begin.', true, 'FINAL', 1000, 86400, 1.5, 12.50,
		'{postgres,beginners}', '{5,4,5}', '{"level": 1, "address": {"city": "Oslo"}, "draft": false}', '[2024-03-01 00:00:00+00,2024-03-08 00:00:00+00)', NULL,
		'2024-02-28 10:00:00+00', '2024-03-02 11:00:00+00', '2024-03-01 00:00:00+00'),
	(2, 1, 'Indexes in practice', 'indexes-in-practice', NULL,
		'An index pays where few rows match; elsewhere it only costs.', true, 'REVIEW', 250, 3600, 0.75, 0.1,
		'{postgres,indexes,performance}', '{4,NULL,2}', '{"level": 3, "address": {"city": "Bergen"}}', '[2024-04-01 00:00:00+00,)', '2024-04-01 09:00:00',
		'2024-03-20 12:00:00+00', '2024-04-02 12:00:00+00', '2024-04-01 07:00:00+00'),
	(3, 1, 'Notes on locking', 'notes-on-locking', 'Not ready.',
		'Two writers, one row; to be written.', false, 'DRAFT', 0, 0, NULL, NULL,
		'{}', NULL, NULL, NULL, 'infinity',
		'2024-05-01 08:00:00+00', '2024-05-01 08:00:00+00', NULL),
	(4, 2, 'Bread, slowly', 'bread-slowly', 'Three days for one loaf.',
		'Flour, water, salt, and patience. The cold does the work overnight.', true, 'FINAL', 500, 43200, -0.25, 99999999.99,
		'{bread,cooking}', '{5}', '{"level": 2, "servings": 8, "address": {"city": "York"}}', '[2024-03-03 00:00:00+00,2024-03-10 00:00:00+00]', NULL,
		'2024-03-03 06:00:00+00', '2024-03-03 06:00:00+00', '2024-03-03 06:00:00+00'),
	(5, 2, 'Soup for tomorrow', 'soup-for-tomorrow', NULL,
		'Keep the bones.', false, 'IDEA', 0, 0, NULL, NULL,
		'{cooking}', '{}', '{}', NULL, NULL,
		'2024-06-10 19:00:00+00', '2024-06-11 19:00:00+00', NULL),
	(6, 2, '"Fast", they said: it''s 100% in C:\go\bin, or 50_50', 'fast-they-said', E'Quotes '' and ", commas, a \\ and % and _.',
		'A measurement without its spread is an anecdote.', true, 'FINAL', 250, 9007199254740993, 'Infinity', 0.000000000000000000001,
		ARRAY['a,b', '"quoted"', 'back\slash', '{braces}', 'NULL', '', NULL], '{0,-1,2147483647}', '["a", 1, null, {"deep": [true]}]', 'empty', NULL,
		'2024-06-15 00:00:00+00', '2024-06-15 00:00:00.000001+00', '2024-06-15 00:00:00+00'),
	(7, 3, 'Zürich → 東京 by train 🚲 and naïve café Ångström', 'zurich-to-tokyo', 'Ελληνικά, русский, עברית, हिन्दी.',
		'Nine days, eleven time zones, one book.', true, 'FINAL', 42, 7200, 2, 1e30,
		'{東京,Zürich,🚲}', '{3,3}', '{"city": "Zürich", "emoji": "🚲", "distance": 9600.5}', '(,2025-01-01 00:00:00+00)', '-infinity',
		'2024-07-07 07:07:07.777777+00', '2024-08-08 08:08:08+00', '2024-07-08 00:00:00+00'),
	(8, 3, 'Nothing to see here', NULL, NULL,
		'', true, 'IDEA', 0, 9223372036854775807, 'NaN', 'NaN',
		'{}', NULL, 'null', NULL, NULL,
		'2024-07-07 07:07:07.777777+00', '2024-07-07 07:07:07.777777+00', 'infinity'),
	(9, 3, 'Ferries of the Aegean', 'ferries-of-the-aegean', 'A timetable in prose.',
		'The boat leaves when it leaves.', false, 'FINAL', 3, 60, '-Infinity', 0,
		'{travel,NULL}', '{NULL}', '{"level": 2, "address": {"city": null}}', NULL, '2027-01-01 06:30:00.5',
		'2025-01-15 09:00:00+00', '2025-02-01 09:00:00+00', NULL),
	(10, 1, 'Bread, quickly', 'bread-quickly', NULL,
		'An answer to Bob.', false, 'REVIEW', 7, 30, NULL, 1.00,
		'{bread}', NULL, '{"level": "high"}', NULL, NULL,
		'2025-03-30 01:30:00+00', '2025-03-30 01:30:00+00', NULL);

-- 10 hangs on a draft of Ann, 11 on one of Bob. The last id is one that no
-- double can hold.
INSERT INTO "Comment" (id, "postId", "authorId", "parentId", body, "spamScore", "createdAt", "editedAt") OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 2, NULL, 'Welcome! What comes next?', 0.01, '2024-03-01 09:00:00+00', NULL),
	(2, 1, 1, 1, 'Indexes, I think.', 0, '2024-03-01 09:30:00+00', '2024-03-01 09:31:00+00'),
	(3, 1, 3, 2, 'Then transactions, please.', 0.125, '2024-03-01 12:00:00+00', NULL),
	(4, 1, 4, NULL, 'Buy cheap watches', 0.99, '2024-03-02 00:00:00+00', NULL),
	(5, 2, 2, NULL, 'How large was the table?', NULL, '2024-04-02 08:00:00+00', NULL),
	(6, 4, 1, NULL, 'Three days? Mine takes four hours.', 0.2, '2024-03-03 10:00:00+00', NULL),
	(7, 4, 2, 6, 'And it tastes like it :-)', 0.3, '2024-03-03 10:05:00+00', NULL),
	(8, 6, 4, NULL, 'I''d say 100% of "benchmarks" are like that.', 0.4, '2024-06-16 00:00:00+00', NULL),
	(9, 7, 1, NULL, 'Was für eine Reise! 🚆', 'NaN', '2024-07-09 00:00:00+00', 'infinity'),
	(10, 3, 1, NULL, 'Note to self: advisory locks.', 0, '2024-05-02 08:00:00+00', NULL),
	(11, 5, 2, NULL, 'Ask Ann about the stock.', 0, '2024-06-10 20:00:00+00', NULL),
	(9007199254740993, 8, 4, NULL, 'First!', 'Infinity', '2024-07-07 07:07:07.777777+00', NULL);

INSERT INTO "_PostToTag" ("A", "B") VALUES
	(1, 1), (1, 2), (2, 2), (3, 2), (3, 5), (4, 3), (6, 1), (6, 3), (7, 4), (9, 4);

INSERT INTO "Like" ("userId", "postId", strength, "createdAt") VALUES
	(2, 1, 3, '2024-03-01 09:01:00+00'),
	(3, 1, 1, '2024-03-01 12:01:00+00'),
	(4, 1, 1, '2024-03-02 00:01:00+00'),
	(1, 4, 2, '2024-03-03 10:01:00+00'),
	(3, 4, 1, '2024-03-04 00:00:00+00'),
	(4, 6, 3, '2024-06-16 00:01:00+00'),
	(1, 7, 3, '2024-07-09 00:01:00+00'),
	(2, 7, 1, '2024-07-10 00:00:00+00'),
	(1, 3, 1, '2024-05-02 08:01:00+00'),
	(2, 5, 1, '2024-06-10 20:01:00+00');

-- Posts 1 and 3 of Ann, 4 and 5 of Bob, 7 of Cleo.
INSERT INTO "Revision" (id, "postId", "editorId", note, "savedAt", "timeSpent", "linesChanged", "savedFrom", network, patch, diff, "approvedAt") VALUES
	('00000000-0000-4000-8000-000000000001', 1, 1, 'First version', '2024-02-28 10:00:00', '1 hour 20 minutes', '[1,12)', '192.0.2.17', '192.0.2.0/24',
		'\x00010203', '{"added": 11, "removed": 0}', '{"2024-02-29 08:00:00+00","2024-02-29 09:00:00.5+00"}'),
	('00000000-0000-4000-8000-000000000002', 1, 2, 'Typos', '2024-03-02 11:00:00.25', '00:00:45.5', '[3,4)', '2001:db8::1', '2001:db8::/32',
		'\xdeadbeef', '{"added": 2, "removed": 2, "removed": 1}', '{}'),
	('00000000-0000-4000-8000-000000000003', 3, 1, NULL, '2024-05-01 08:00:00', '1 year 2 mons 3 days', 'empty', '192.0.2.17/28', NULL,
		NULL, NULL, '{}'),
	('00000000-0000-4000-8000-000000000004', 4, 2, 'Weighed the salt again', '2024-03-03 05:00:00', '-00:30:00', '[5,)', '198.51.100.4', '198.51.100.0/25',
		'\x', 'null', '{NULL,infinity}'),
	('00000000-0000-4000-8000-000000000005', 5, 2, '', 'infinity', '0', '(,)', NULL, NULL,
		NULL, '[]', '{}'),
	('00000000-0000-4000-8000-000000000006', 7, NULL, 'Saved by a reader who has left', '2024-08-08 08:08:08', NULL, NULL, NULL, NULL,
		'\xff00ff', '"only a string"', '{"2024-08-09 00:00:00+00"}');

ALTER TABLE "User" ALTER COLUMN id RESTART WITH 101;
ALTER TABLE "Profile" ALTER COLUMN id RESTART WITH 101;
ALTER TABLE "Post" ALTER COLUMN id RESTART WITH 101;
ALTER TABLE "Comment" ALTER COLUMN id RESTART WITH 101;
ALTER TABLE "Tag" ALTER COLUMN id RESTART WITH 101;
