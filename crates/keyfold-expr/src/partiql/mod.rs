//! PartiQL as far as DynamoDB supports it: SELECT, INSERT, UPDATE, DELETE and EXISTS on one table.
//!
//! A statement becomes the parts of the native operations: conditions, updates, paths. The engine
//! knows which attributes are keys, and decides by [`Statement`]'s condition whether a SELECT is a
//! Query or a Scan. Source: "PartiQL - a SQL-compatible query language for Amazon DynamoDB".
//!
//! ```text
//! SELECT a, b.c FROM "Tab"."Index" WHERE pk = ? AND begins_with(sk, 'x') ORDER BY sk DESC
//! INSERT INTO Tab VALUE {'pk': 'a', 'n': 1}
//! UPDATE Tab SET n = n + 1 REMOVE old WHERE pk = 'a' RETURNING ALL NEW *
//! DELETE FROM Tab WHERE pk = 'a' AND n > 3
//! ```
//!
//! `lexer` cuts the text into tokens; `parser` reads them, and knows names and paths. Literals
//! (`value`), the WHERE clause (`condition`) and the clauses of an UPDATE (`assignment`) are built
//! on it; `grammar` builds a [`Statement`] of them.

mod assignment;
mod condition;
mod error;
mod grammar;
mod lexer;
mod parser;
mod statement;
mod value;

pub use error::PartiqlError;
pub use statement::{Returning, Select, Statement};
