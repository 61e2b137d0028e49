CREATE TABLE artists (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE albums (id INTEGER PRIMARY KEY, artist_id INTEGER NOT NULL, title TEXT NOT NULL);
CREATE TABLE genres (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE media_types (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE tracks (id INTEGER PRIMARY KEY, album_id INTEGER NOT NULL, genre_id INTEGER NOT NULL, media_type_id INTEGER NOT NULL,
  name TEXT NOT NULL, composer TEXT, milliseconds INTEGER NOT NULL, cents INTEGER NOT NULL);
CREATE TABLE playlists (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE playlist_tracks (playlist_id INTEGER NOT NULL, track_id INTEGER NOT NULL, PRIMARY KEY (playlist_id, track_id));
CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL);
CREATE TABLE customers (id INTEGER PRIMARY KEY, mail TEXT NOT NULL UNIQUE, name TEXT NOT NULL, country TEXT NOT NULL,
  support_id INTEGER NOT NULL);
CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, day TEXT NOT NULL, city TEXT NOT NULL, cents INTEGER NOT NULL);
CREATE TABLE invoice_lines (id INTEGER PRIMARY KEY, invoice_id INTEGER NOT NULL, track_id INTEGER NOT NULL, cents INTEGER NOT NULL,
  quantity INTEGER NOT NULL, changed INTEGER NOT NULL);
CREATE INDEX albums_of_artist ON albums (artist_id);
CREATE INDEX tracks_of_album ON tracks (album_id);
CREATE INDEX entries_of_track ON playlist_tracks (track_id);
CREATE INDEX invoices_of_customer ON invoices (customer_id);
CREATE INDEX lines_of_invoice ON invoice_lines (invoice_id);
CREATE INDEX lines_of_track ON invoice_lines (track_id);
INSERT INTO genres WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25) SELECT i, 'Genre ' || i FROM n;
INSERT INTO media_types WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i, 'Audio file ' || i FROM n;
INSERT INTO artists WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 20) SELECT i, 'The Artists ' || i FROM n;
INSERT INTO albums WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 40) SELECT i, i * 7 % ({scale} * 20) + 1,
  'Songs of the Year, Volume ' || i FROM n;
INSERT INTO tracks WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 140) SELECT i, i * 11 % ({scale} * 40) + 1,
  i % 25 + 1, i % 5 + 1, 'Song number ' || i, CASE WHEN i % 3 = 0 THEN NULL ELSE 'Composer ' || (i % 1000) END, 100000 + i, 99 FROM n;
INSERT INTO playlists WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale}) SELECT i, 'Playlist ' || i FROM n;
INSERT INTO playlist_tracks WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 150 - 1) SELECT i / 150 + 1,
  i % ({scale} * 140) + 1 FROM n;
INSERT INTO employees WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i, 'Employee ' || i, 'Agent' FROM n;
INSERT INTO customers WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 30) SELECT i,
  'customer' || i || '@mail.example', 'Name of Customer ' || i, 'Country ' || (i % 60), i % 100 + 1 FROM n;
INSERT INTO invoices WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 120) SELECT i, i * 13 % ({scale} * 30) + 1,
  '2026-0' || (i % 9 + 1) || '-1' || (i % 10), 'City ' || (i % 500), 396 FROM n;
INSERT INTO invoice_lines WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 500) SELECT i,
  i % ({scale} * 120) + 1, i * 3 % ({scale} * 140) + 1, 99, 1, 0 FROM n;
