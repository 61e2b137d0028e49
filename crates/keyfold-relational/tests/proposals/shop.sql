CREATE TABLE customers (id INTEGER PRIMARY KEY, mail TEXT UNIQUE, name TEXT NOT NULL, orders_count INTEGER NOT NULL DEFAULT 0);
CREATE TABLE orders (id TEXT PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id),
  placed INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid')));
CREATE TABLE products (sku TEXT PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE lines (order_id TEXT NOT NULL REFERENCES orders (id), number INTEGER NOT NULL, sku TEXT NOT NULL REFERENCES products (sku),
  cents INTEGER NOT NULL, PRIMARY KEY (order_id, number));
CREATE TRIGGER counted AFTER INSERT ON orders BEGIN UPDATE customers SET orders_count = orders_count + 1 WHERE id = NEW.customer_id; END;
CREATE VIEW open_orders AS SELECT * FROM orders WHERE state = 'open';
INSERT INTO customers VALUES (1, 'ada@x.org', 'Ada', 0), (2, NULL, 'Bob', 0);
INSERT INTO products VALUES ('ink', 'Ink'), ('pen', 'Pen'), ('a#b', 'Odd');
INSERT INTO orders VALUES ('a1', 1, 1767261600, 'open'), ('a2', 1, 1767261700, 'paid');
INSERT INTO lines VALUES ('a1', 1, 'ink', 250), ('a1', 2, 'pen', 125), ('a2', 1, 'a#b', 999);
