-- Keys and indexes come after the rows, as that is several times faster.
ALTER TABLE "User" ADD PRIMARY KEY (id), ADD UNIQUE (email);
ALTER TABLE "Post" ADD PRIMARY KEY (id);
ALTER TABLE "Comment" ADD PRIMARY KEY (id);
ALTER TABLE "Tag" ADD PRIMARY KEY (id), ADD UNIQUE (name);
ALTER TABLE "_PostToTag" ADD PRIMARY KEY ("A", "B");

CREATE INDEX ON "Post" ("authorId");
CREATE INDEX ON "Post" ("createdAt" DESC, id DESC);
CREATE INDEX ON "Comment" ("postId");
CREATE INDEX ON "Comment" ("authorId");
CREATE INDEX ON "_PostToTag" ("B");

ALTER TABLE "Post" ADD CONSTRAINT "Post_authorId_fkey" FOREIGN KEY ("authorId") REFERENCES "User";
ALTER TABLE "Comment"
	ADD CONSTRAINT "Comment_postId_fkey" FOREIGN KEY ("postId") REFERENCES "Post" ON DELETE CASCADE,
	ADD CONSTRAINT "Comment_authorId_fkey" FOREIGN KEY ("authorId") REFERENCES "User";
ALTER TABLE "_PostToTag"
	ADD CONSTRAINT "_PostToTag_A_fkey" FOREIGN KEY ("A") REFERENCES "Post" ON DELETE CASCADE,
	ADD CONSTRAINT "_PostToTag_B_fkey" FOREIGN KEY ("B") REFERENCES "Tag" ON DELETE CASCADE;
