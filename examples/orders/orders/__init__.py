"""The orders of customers: a join in SQL, and the same answer from one table."""
