"""A shop in PostgreSQL becomes one table, while its programs write."""
