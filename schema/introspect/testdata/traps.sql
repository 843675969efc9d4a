-- Everything that made a naming rule necessary. Sections are separated by
-- lines of equals signs; the statements within a section do not depend on each
-- other, so that a test can run them in another order.

CREATE SCHEMA app;
CREATE SCHEMA "Odd.Schema";
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE point3 AS (x float8, y float8, z numeric);
CREATE TYPE floatspan AS RANGE (subtype = float8);
CREATE DOMAIN word AS text NOT NULL DEFAULT '' CHECK (VALUE !~ ' ');
CREATE EXTENSION postgres_fdw;
-- ====
CREATE DOMAIN shortword AS word CHECK (length(VALUE) < 9);
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw;
CREATE TYPE nested AS (at point3, moods mood[], doc json);

-- Referenced by most of the others.
CREATE TABLE "User" (id int4 PRIMARY KEY, email text NOT NULL UNIQUE, UNIQUE (id, email));
CREATE TABLE country (id int4 PRIMARY KEY, code text NOT NULL UNIQUE);
CREATE TABLE "Tag" (id int4 PRIMARY KEY, name text);
CREATE TABLE "Post" (id int4 PRIMARY KEY, title text, "authorId" int4 NOT NULL, "editorId" int4, "secretId" int4);
-- ====
-- The name without Id is a column: the type in singular.
CREATE TABLE "Article" (id int4 PRIMARY KEY, author text, "authorId" int4);
-- That is a column too: the column with Ref.
CREATE TABLE "Book" (id int4 PRIMARY KEY, author text, "user" text, "authorId" int4);
CREATE TABLE shop (id int4 PRIMARY KEY, country text, home_country text);
CREATE TABLE "Shop2" (id int4 PRIMARY KEY, country text);
-- Two columns that say the same.
CREATE TABLE twin (id int4 PRIMARY KEY, owner_id int4, "ownerId" int4);
-- Id in other spellings, and columns that are nothing else.
CREATE TABLE spelling (id int4 PRIMARY KEY, "authorID" int4, "Id" int4, "userid" int4, "TYPE_ID" int4, type_id int4);
-- The id is a foreign key.
CREATE TABLE badge (id int4 PRIMARY KEY, colour text);
CREATE TABLE "Account" ("userId" int4 PRIMARY KEY, note text);

-- To-many names: two keys from one table, names that are taken, to-one.
CREATE TABLE "Profile" (id int4 PRIMARY KEY, "userId" int4 NOT NULL UNIQUE);
CREATE TABLE "Passport" (id int4 PRIMARY KEY, "userId" int4, "issuedBy" int4, UNIQUE ("userId"));
CREATE TABLE review (id int4 PRIMARY KEY, writer_id int4, checker_id int4, subject_id int4);
CREATE TABLE "Gadget" (id int4 PRIMARY KEY, parts text);
CREATE TABLE part (id int4 PRIMARY KEY, gadget_id int4);
-- Unique only for some rows, or over an expression, is not unique.
CREATE TABLE partial (id int4 PRIMARY KEY, user_id int4, post_id int4);
CREATE UNIQUE INDEX ON partial (user_id) WHERE user_id > 0;
CREATE UNIQUE INDEX ON partial ((post_id + 0));
-- Plurals stay plurals, and irregular ones.
CREATE TABLE people (id int4 PRIMARY KEY, country_id int4);
CREATE TABLE series (id int4 PRIMARY KEY, country_id int4 UNIQUE);
CREATE TABLE "Orders" (id int4 PRIMARY KEY, country_id int4 UNIQUE);
CREATE TABLE news (id int4 PRIMARY KEY, country_id int4);
CREATE TABLE child (id int4 PRIMARY KEY, country_id int4);
CREATE TABLE "BlogPost" (id int4 PRIMARY KEY, country_id int4);
CREATE TABLE category_analysis (id int4 PRIMARY KEY, country_id int4);

-- Self-relations.
CREATE TABLE "Category" (id int4 PRIMARY KEY, "parentId" int4);
CREATE TABLE employee (id int4 PRIMARY KEY, manager_id int4, mentor_id int4);
CREATE TABLE spouse (id int4 PRIMARY KEY, partner_id int4 UNIQUE);

-- Compound keys and foreign keys.
CREATE TABLE "Order" ("tenantId" int4, no int4, "replacesNo" int4, PRIMARY KEY ("tenantId", no));
CREATE TABLE "OrderLine" ("tenantId" int4, "orderNo" int4, line int2, PRIMARY KEY ("tenantId", "orderNo", line));
CREATE TABLE venue (tenant_id int4, slot int4, label text NOT NULL, PRIMARY KEY (tenant_id, slot), UNIQUE (label, tenant_id));
CREATE TABLE "match" (id int4 PRIMARY KEY, tenant_id int4, first_slot int4, second_slot int4, venue_label text);
-- The pairs come in another order than the key's.
CREATE TABLE booking (id int4 PRIMARY KEY, slot int4, tenant int4);

-- Pure join tables: snake, Prisma's with an index, two between the same types,
-- self-relations, compound, one whose columns are shared.
CREATE TABLE post_tag (post_id int4, tag_id int4, PRIMARY KEY (post_id, tag_id));
CREATE TABLE "_PostToTag" ("A" int4 NOT NULL, "B" int4 NOT NULL);
CREATE UNIQUE INDEX "_PostToTag_AB_unique" ON "_PostToTag" ("A", "B");
CREATE TABLE "_CategoryToTag" ("A" int4, "B" int4, PRIMARY KEY ("A", "B"));
CREATE TABLE "_Friends" ("A" int4, "B" int4, PRIMARY KEY ("A", "B"));
CREATE TABLE country_neighbour (country_id int4, neighbour_id int4, UNIQUE (neighbour_id, country_id));
CREATE TABLE venue_order ("tenantId" int4, slot int4, no int4, PRIMARY KEY ("tenantId", no, slot));
-- Join tables that are models: compound id, id of its own, taken name, self.
CREATE TABLE "Like" ("userId" int4, "postId" int4, at timestamptz, PRIMARY KEY ("userId", "postId"));
CREATE TABLE bookmark (id int4 PRIMARY KEY, user_id int4, post_id int4, UNIQUE (post_id, user_id));
CREATE TABLE follow (follower_id int4, followee_id int4, since date, PRIMARY KEY (follower_id, followee_id));
-- No key of its own: no model, but the shortcut.
CREATE TABLE visit (user_id int4 NOT NULL, country_id int4 NOT NULL, year int4, UNIQUE (user_id, country_id));
-- Three keys together are unique: no shortcut. One key is unique alone: none either.
CREATE TABLE triple (user_id int4, post_id int4, tag_id int4, PRIMARY KEY (user_id, post_id, tag_id));
CREATE TABLE "Seat" ("userId" int4 PRIMARY KEY, "postId" int4);

-- Names that are no member names; reserved and quoted ones; id-less tables.
CREATE TABLE "_Odd Names_" (
    id int4 PRIMARY KEY, "_x" int4, "y_" int4, "a.b" int4, "two words" int4, "größe" int4, "say ""hi""" int4, "$price" int4, "select" int4, type text);
CREATE TABLE "we""ird" (id int4 PRIMARY KEY, "tag.id" int4);
CREATE TABLE "select" (id int4 PRIMARY KEY, "from" int4, "user" int4);
CREATE TABLE keyless (a int4, b int4);
CREATE TABLE uniquekey (slug text NOT NULL UNIQUE, a int4);
CREATE TABLE "natural" (id int4 PRIMARY KEY, slug text NOT NULL UNIQUE);
CREATE TABLE late (id int4, code int4 UNIQUE DEFERRABLE, PRIMARY KEY (id) DEFERRABLE);
CREATE TABLE hidden (id int4 PRIMARY KEY, user_id int4);
CREATE TABLE empty ();

-- Columns: generated, identity, dropped, defaults, types that are made of others.
CREATE TABLE columns (
    id int4 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, gone int4, serial int4 NOT NULL DEFAULT 1, by_default int8 GENERATED BY DEFAULT AS IDENTITY,
    doubled int4 GENERATED ALWAYS AS (serial * 2) STORED, mood mood, moods mood[], short shortword, span floatspan, spans floatspan[],
    place point3, nested nested, nests nested[], doc json, docs json[], dot point, dots point[], vec int2vector, many int4multirange, row country);
ALTER TABLE columns DROP COLUMN gone;

-- Another schema, with a table of a known name and keys across.
CREATE TABLE app."Ticket" (id int4 PRIMARY KEY, "userId" int4);
CREATE TABLE app.country (id int4 PRIMARY KEY, tag_id int4);
CREATE TABLE "Odd.Schema".unexposed (id int4 PRIMARY KEY, tag_id int4);
CREATE TABLE "leads_out" (id int4 PRIMARY KEY, unexposed_id int4, tag_id int4, UNIQUE (unexposed_id, tag_id));

-- Not a table of its own: partitions, an extension's. But a foreign one.
CREATE TABLE event (id int4, at date, user_id int4, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE ticket_event (id int4 PRIMARY KEY, event_id int4, event_at date);
CREATE TABLE extension_owned (id int4 PRIMARY KEY);
CREATE FOREIGN TABLE remote (id int4, name text) SERVER elsewhere;
-- ====
CREATE TABLE event_2025 PARTITION OF event FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE event_2026 PARTITION OF event FOR VALUES FROM ('2026-01-01') TO ('2027-01-01') PARTITION BY RANGE (at);
ALTER EXTENSION postgres_fdw ADD TABLE extension_owned;
-- ====
CREATE TABLE event_2026_a PARTITION OF event_2026 FOR VALUES FROM ('2026-01-01') TO ('2026-07-01');
-- ====
ALTER TABLE "Article" ADD CONSTRAINT "Article_authorId_fkey" FOREIGN KEY ("authorId") REFERENCES "User";
ALTER TABLE "Book" ADD CONSTRAINT "Book_authorId_fkey" FOREIGN KEY ("authorId") REFERENCES "User";
ALTER TABLE shop ADD CONSTRAINT shop_home_fkey FOREIGN KEY (home_country) REFERENCES country (code);
ALTER TABLE "Shop2" ADD CONSTRAINT "Shop2_fkey" FOREIGN KEY (country) REFERENCES country (code);
ALTER TABLE twin ADD CONSTRAINT a_fkey FOREIGN KEY ("ownerId") REFERENCES "User";
ALTER TABLE twin ADD CONSTRAINT b_fkey FOREIGN KEY (owner_id) REFERENCES "User";
ALTER TABLE twin ADD CONSTRAINT c_fkey FOREIGN KEY (owner_id) REFERENCES "User";
ALTER TABLE spelling ADD CONSTRAINT s1 FOREIGN KEY ("authorID") REFERENCES "User";
ALTER TABLE spelling ADD CONSTRAINT s2 FOREIGN KEY ("Id") REFERENCES "Tag";
ALTER TABLE spelling ADD CONSTRAINT s3 FOREIGN KEY ("userid") REFERENCES country;
ALTER TABLE spelling ADD CONSTRAINT s4 FOREIGN KEY ("TYPE_ID") REFERENCES "Post";
ALTER TABLE spelling ADD CONSTRAINT s5 FOREIGN KEY (type_id) REFERENCES "Category";
ALTER TABLE badge ADD CONSTRAINT badge_fkey FOREIGN KEY (id) REFERENCES "User";
ALTER TABLE "Account" ADD CONSTRAINT "Account_fkey" FOREIGN KEY ("userId") REFERENCES "User";
ALTER TABLE "Profile" ADD CONSTRAINT "Profile_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User";
ALTER TABLE "Passport" ADD CONSTRAINT "Passport_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User";
ALTER TABLE "Passport" ADD CONSTRAINT "Passport_issuedBy_fkey" FOREIGN KEY ("issuedBy") REFERENCES "User";
ALTER TABLE "Post" ADD CONSTRAINT "Post_authorId_fkey" FOREIGN KEY ("authorId") REFERENCES "User";
ALTER TABLE "Post" ADD CONSTRAINT "Post_editorId_fkey" FOREIGN KEY ("editorId") REFERENCES "User";
ALTER TABLE "Post" ADD CONSTRAINT "Post_secretId_fkey" FOREIGN KEY ("secretId") REFERENCES "User";
ALTER TABLE review ADD CONSTRAINT review_writer_fkey FOREIGN KEY (writer_id) REFERENCES "User";
ALTER TABLE review ADD CONSTRAINT review_checker_fkey FOREIGN KEY (checker_id) REFERENCES "User";
ALTER TABLE review ADD CONSTRAINT review_subject_fkey FOREIGN KEY (subject_id) REFERENCES "Post";
ALTER TABLE part ADD CONSTRAINT part_fkey FOREIGN KEY (gadget_id) REFERENCES "Gadget";
ALTER TABLE partial ADD CONSTRAINT partial_user_fkey FOREIGN KEY (user_id) REFERENCES "User";
ALTER TABLE partial ADD CONSTRAINT partial_post_fkey FOREIGN KEY (post_id) REFERENCES "Post";
ALTER TABLE people ADD CONSTRAINT fk FOREIGN KEY (country_id) REFERENCES country;
ALTER TABLE series ADD CONSTRAINT fk FOREIGN KEY (country_id) REFERENCES country;
ALTER TABLE "Orders" ADD CONSTRAINT fk FOREIGN KEY (country_id) REFERENCES country;
ALTER TABLE news ADD CONSTRAINT fk FOREIGN KEY (country_id) REFERENCES country;
ALTER TABLE child ADD CONSTRAINT fk FOREIGN KEY (country_id) REFERENCES country;
ALTER TABLE "BlogPost" ADD CONSTRAINT fk FOREIGN KEY (country_id) REFERENCES country;
ALTER TABLE category_analysis ADD CONSTRAINT fk FOREIGN KEY (country_id) REFERENCES country;
ALTER TABLE "Category" ADD CONSTRAINT "Category_parentId_fkey" FOREIGN KEY ("parentId") REFERENCES "Category";
ALTER TABLE employee ADD CONSTRAINT employee_manager_fkey FOREIGN KEY (manager_id) REFERENCES employee;
ALTER TABLE employee ADD CONSTRAINT employee_mentor_fkey FOREIGN KEY (mentor_id) REFERENCES employee;
ALTER TABLE spouse ADD CONSTRAINT spouse_fkey FOREIGN KEY (partner_id) REFERENCES spouse;
ALTER TABLE "Order" ADD CONSTRAINT "Order_replaces_fkey" FOREIGN KEY ("tenantId", "replacesNo") REFERENCES "Order";
ALTER TABLE "OrderLine" ADD CONSTRAINT "OrderLine_order_fkey" FOREIGN KEY ("tenantId", "orderNo") REFERENCES "Order";
ALTER TABLE "match" ADD CONSTRAINT match_first_fkey FOREIGN KEY (tenant_id, first_slot) REFERENCES venue;
ALTER TABLE "match" ADD CONSTRAINT match_second_fkey FOREIGN KEY (tenant_id, second_slot) REFERENCES venue;
ALTER TABLE "match" ADD CONSTRAINT match_third_fkey FOREIGN KEY (tenant_id, venue_label) REFERENCES venue (tenant_id, label);
ALTER TABLE booking ADD CONSTRAINT booking_fkey FOREIGN KEY (slot, tenant) REFERENCES venue (slot, tenant_id);
ALTER TABLE post_tag ADD CONSTRAINT post_tag_post_fkey FOREIGN KEY (post_id) REFERENCES "Post";
ALTER TABLE post_tag ADD CONSTRAINT post_tag_tag_fkey FOREIGN KEY (tag_id) REFERENCES "Tag";
ALTER TABLE "_PostToTag" ADD CONSTRAINT "_PostToTag_A_fkey" FOREIGN KEY ("A") REFERENCES "Post";
ALTER TABLE "_PostToTag" ADD CONSTRAINT "_PostToTag_B_fkey" FOREIGN KEY ("B") REFERENCES "Tag";
ALTER TABLE "_CategoryToTag" ADD CONSTRAINT "_CategoryToTag_A_fkey" FOREIGN KEY ("A") REFERENCES "Category";
ALTER TABLE "_CategoryToTag" ADD CONSTRAINT "_CategoryToTag_B_fkey" FOREIGN KEY ("B") REFERENCES "Tag";
ALTER TABLE "_Friends" ADD CONSTRAINT "_Friends_A_fkey" FOREIGN KEY ("A") REFERENCES "User";
ALTER TABLE "_Friends" ADD CONSTRAINT "_Friends_B_fkey" FOREIGN KEY ("B") REFERENCES "User";
ALTER TABLE country_neighbour ADD CONSTRAINT country_neighbour_a_fkey FOREIGN KEY (country_id) REFERENCES country;
ALTER TABLE country_neighbour ADD CONSTRAINT country_neighbour_b_fkey FOREIGN KEY (neighbour_id) REFERENCES country;
ALTER TABLE venue_order ADD CONSTRAINT venue_order_venue_fkey FOREIGN KEY ("tenantId", slot) REFERENCES venue;
ALTER TABLE venue_order ADD CONSTRAINT venue_order_order_fkey FOREIGN KEY (no, "tenantId") REFERENCES "Order" (no, "tenantId");
ALTER TABLE "Like" ADD CONSTRAINT "Like_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User";
ALTER TABLE "Like" ADD CONSTRAINT "Like_postId_fkey" FOREIGN KEY ("postId") REFERENCES "Post";
ALTER TABLE bookmark ADD CONSTRAINT bookmark_user_fkey FOREIGN KEY (user_id) REFERENCES "User";
ALTER TABLE bookmark ADD CONSTRAINT bookmark_post_fkey FOREIGN KEY (post_id) REFERENCES "Post";
ALTER TABLE follow ADD CONSTRAINT follow_follower_fkey FOREIGN KEY (follower_id) REFERENCES "User";
ALTER TABLE follow ADD CONSTRAINT follow_followee_fkey FOREIGN KEY (followee_id) REFERENCES "User";
ALTER TABLE visit ADD CONSTRAINT visit_user_fkey FOREIGN KEY (user_id) REFERENCES "User";
ALTER TABLE visit ADD CONSTRAINT visit_country_fkey FOREIGN KEY (country_id) REFERENCES country;
ALTER TABLE triple ADD CONSTRAINT triple_user_fkey FOREIGN KEY (user_id) REFERENCES "User";
ALTER TABLE triple ADD CONSTRAINT triple_post_fkey FOREIGN KEY (post_id) REFERENCES "Post";
ALTER TABLE triple ADD CONSTRAINT triple_tag_fkey FOREIGN KEY (tag_id) REFERENCES "Tag";
ALTER TABLE "Seat" ADD CONSTRAINT "Seat_user_fkey" FOREIGN KEY ("userId") REFERENCES "User";
ALTER TABLE "Seat" ADD CONSTRAINT "Seat_post_fkey" FOREIGN KEY ("postId") REFERENCES "Post";
ALTER TABLE "we""ird" ADD CONSTRAINT "we""ird_fkey" FOREIGN KEY ("tag.id") REFERENCES "Tag";
ALTER TABLE "select" ADD CONSTRAINT "from" FOREIGN KEY ("from") REFERENCES "we""ird";
ALTER TABLE hidden ADD CONSTRAINT hidden_fkey FOREIGN KEY (user_id) REFERENCES "User";
ALTER TABLE app."Ticket" ADD CONSTRAINT "Ticket_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User";
ALTER TABLE app.country ADD CONSTRAINT country_tag_fkey FOREIGN KEY (tag_id) REFERENCES "Tag";
ALTER TABLE "Odd.Schema".unexposed ADD CONSTRAINT unexposed_fkey FOREIGN KEY (tag_id) REFERENCES "Tag";
ALTER TABLE leads_out ADD CONSTRAINT leads_out_a_fkey FOREIGN KEY (unexposed_id) REFERENCES "Odd.Schema".unexposed;
ALTER TABLE leads_out ADD CONSTRAINT leads_out_b_fkey FOREIGN KEY (tag_id) REFERENCES "Tag";
ALTER TABLE event ADD CONSTRAINT event_user_fkey FOREIGN KEY (user_id) REFERENCES "User";
ALTER TABLE ticket_event ADD CONSTRAINT ticket_event_fkey FOREIGN KEY (event_id, event_at) REFERENCES event;
CREATE VIEW post_summary AS SELECT id, title, upper(title) AS loud, "authorId" AS author_id FROM "Post";
CREATE VIEW post_count AS SELECT "authorId", count(*) AS posts FROM "Post" GROUP BY 1;
CREATE VIEW unkeyed_view AS SELECT 1 AS one;
CREATE MATERIALIZED VIEW frozen AS SELECT id, title FROM "Post";
