CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT NOT NULL, description TEXT NOT NULL, year INTEGER NOT NULL);
CREATE TABLE actors (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE film_actors (film_id INTEGER NOT NULL, actor_id INTEGER NOT NULL, PRIMARY KEY (film_id, actor_id));
CREATE TABLE inventory (id INTEGER PRIMARY KEY, film_id INTEGER NOT NULL, store INTEGER NOT NULL);
CREATE TABLE customers (id INTEGER PRIMARY KEY, mail TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
CREATE TABLE rentals (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, inventory_id INTEGER NOT NULL, day TEXT NOT NULL,
  changed INTEGER NOT NULL);
CREATE TABLE payments (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, rental_id INTEGER NOT NULL, cents INTEGER NOT NULL);
CREATE INDEX roles_of_actor ON film_actors (actor_id);
CREATE INDEX inventory_of_film ON inventory (film_id);
CREATE INDEX rentals_of_customer ON rentals (customer_id);
CREATE INDEX rentals_of_inventory ON rentals (inventory_id);
CREATE INDEX payments_of_customer ON payments (customer_id);
INSERT INTO films WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 20) SELECT i, 'Film Number ' || i,
  'A tale of a person with the number ' || i || ' who meets others in a town by the sea', 1950 + i % 76 FROM n;
INSERT INTO actors WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 5) SELECT i, 'Name of Actor ' || i FROM n;
INSERT INTO film_actors WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 100 - 1) SELECT i / 5 + 1,
  i % ({scale} * 5) + 1 FROM n;
INSERT INTO inventory WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 75) SELECT i, i * 7 % ({scale} * 20) + 1,
  i % 2 + 1 FROM n;
INSERT INTO customers WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 50) SELECT i,
  'customer' || i || '@mail.example', 'Name of Customer ' || i FROM n;
INSERT INTO rentals WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 375) SELECT i, i * 13 % ({scale} * 50) + 1,
  i * 3 % ({scale} * 75) + 1, '2026-0' || (i % 9 + 1) || '-1' || (i % 10), 0 FROM n;
INSERT INTO payments WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 375) SELECT i, i * 13 % ({scale} * 50) + 1,
  i, 199 + i % 5 * 100 FROM n;
