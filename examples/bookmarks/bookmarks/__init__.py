"""The annotations of a reader's books over devices."""
