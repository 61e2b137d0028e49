CREATE TABLE "order details" ("order id" TEXT NOT NULL, "größe" REAL, "key" TEXT NOT NULL UNIQUE, "where" INTEGER, "select" TEXT DEFAULT 'it''s',
  "PK" TEXT, "entity" TEXT, "kind" TEXT, "a}b" TEXT, "na""me" TEXT, "名前" TEXT, "Order_Id" TEXT, PRIMARY KEY ("order id"));
CREATE TABLE "select" (id INTEGER PRIMARY KEY, "from" INTEGER REFERENCES "select" (id), "set" BLOB, "day" DATE, flag BOOLEAN NOT NULL DEFAULT 1, at TIMESTAMP);
CREATE TABLE "表" (id TEXT PRIMARY KEY, "" TEXT, huge REAL, mixed, "time" TIMESTAMP, price DECIMAL(8,2) DEFAULT 1.5, bits BLOB);
CREATE TABLE a_very_long_name_of_a_table_that_has_exactly_sixty_three_letter (
  a_very_long_name_of_a_column_that_has_exactly_sixty_three_lette INTEGER PRIMARY KEY, "orderDetails" TEXT REFERENCES "order details");
CREATE TABLE OrderDetail (orderDetailId INTEGER PRIMARY KEY, order_detail_id INTEGER, "na""me" TEXT, UNIQUE (order_detail_id));
CREATE TABLE nokey (a TEXT, b TEXT);
CREATE TABLE blobs (id BLOB PRIMARY KEY, b TEXT);
CREATE TABLE "quo""te" (id INTEGER PRIMARY KEY);
CREATE TABLE follows (follower_id INTEGER NOT NULL REFERENCES "select" (id), followee_id INTEGER NOT NULL REFERENCES "select" (id), since TEXT,
  PRIMARY KEY (follower_id, followee_id)) WITHOUT ROWID;
CREATE TABLE parts (a TEXT, b INTEGER, c TEXT, PRIMARY KEY (a, b, c), FOREIGN KEY (a) REFERENCES "order details");
CREATE TABLE sub_parts (a TEXT, b INTEGER, c TEXT, d DATE, PRIMARY KEY (a, b, c, d), FOREIGN KEY (a, b, c) REFERENCES parts ON DELETE CASCADE);
CREATE TABLE profile (id INTEGER PRIMARY KEY REFERENCES "select" (id), bio TEXT, GENERATED_ TEXT AS (upper(bio)) STORED);
CREATE TABLE ring_a (id INTEGER PRIMARY KEY, b INTEGER NOT NULL REFERENCES ring_b (id) ON DELETE CASCADE);
CREATE TABLE ring_b (id INTEGER PRIMARY KEY, a INTEGER NOT NULL REFERENCES ring_a (id) ON DELETE CASCADE);
CREATE TABLE codes (code TEXT PRIMARY KEY, label TEXT UNIQUE, level TEXT CHECK (level IN ('in-progress', 'string', '')), grade TEXT CHECK (grade IN ('A', 'it''s')));
CREATE UNIQUE INDEX odd_partial ON codes (grade) WHERE grade = 'A';
CREATE UNIQUE INDEX odd_expression ON codes (label || grade);
INSERT INTO "order details" VALUES ('o 1', 1e200, 'k#1', 3, 'x', 'p', 'e', 'k', 'z', 'n', 'な', 'clash'), ('o#2%', -0.5, 'k2', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "select" VALUES (1, NULL, x'00ff', '2024-02-29', 1, '2024-01-01T00:00:00Z'), (-5, 1, 'text', '2023-01-01', 'false', 1700000000);
INSERT INTO "表" VALUES ('x', 'e', 1.5, 1, '2024-01-01 10:00:00.123456', 1.25, x'01'), ('', 'f', 9e999, 'two', NULL, 3, NULL), (NULL, 'g', NULL, x'03', NULL, NULL, NULL);
INSERT INTO a_very_long_name_of_a_table_that_has_exactly_sixty_three_letter VALUES (20000000000, 'o#2%'), (1, NULL);
CREATE TABLE mixed_keys (id INT PRIMARY KEY, n INTEGER);
INSERT INTO mixed_keys VALUES (1, 'one'), ('two', 2);
INSERT INTO OrderDetail VALUES (1, 5, 'n'), (2, NULL, 'm');
INSERT INTO nokey VALUES ('a', 'b');
INSERT INTO blobs VALUES (x'01', 'b');
INSERT INTO follows VALUES (1, -5, 'today'), (-5, 1, NULL);
INSERT INTO parts VALUES ('o 1', 1, 'x#y'), ('o 1', -2, 'z'), ('o#2%', 1, 'x');
INSERT INTO sub_parts VALUES ('o 1', 1, 'x#y', '2024-01-01');
INSERT INTO profile (id, bio) VALUES (1, 'hello');
INSERT INTO ring_a VALUES (1, 1); INSERT INTO ring_b VALUES (1, 1);
INSERT INTO codes VALUES ('a', 'L', 'string', 'A'), ('b', '', '', 'it''s'), ('c', NULL, NULL, NULL);
