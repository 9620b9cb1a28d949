//! The table and the functions: made on first use, and known by their version.

use std::fmt;

use mrtr_core::ledger::LedgerError;
use tokio_postgres::{Client, Error, GenericClient};

use super::error;

const VERSION: i32 = 1;
const SQL: &str = include_str!("schema.sql");

/// The name of a schema: lower case letters, digits and underscores, so that it
/// means the same with and without quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Schema(String);

/// What is there.
struct Found {
    schema: bool,
    table: bool,
    version: Option<i32>,
}

impl Schema {
    pub(super) fn named(name: &str) -> Option<Self> {
        let starts = name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_');
        let goes_on = name
            .chars()
            .all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_');
        let free = starts && goes_on && name.len() <= 63 && !name.starts_with("pg_");
        free.then(|| Self(name.to_owned()))
    }

    /// Makes what is not there.
    pub(super) async fn set_up(&self, client: &mut Client) -> Result<(), LedgerError> {
        let found = self.find(client).await.map_err(|e| error::of(&e))?;
        found.check_version()?;
        if !found.table || found.version.is_none() {
            self.make(client).await?;
        }
        Ok(())
    }

    /// Makes all that is not there; others may do so at the same time.
    pub(super) async fn make(&self, client: &mut Client) -> Result<(), LedgerError> {
        let done = self.try_to_make(client).await;
        done.map_err(|e| error::of(&e))?.check_version()
    }

    async fn try_to_make(&self, client: &mut Client) -> Result<Found, Error> {
        let transaction = client.transaction().await?;
        let one_at_a_time =
            format!("SELECT pg_advisory_xact_lock(hashtextextended('mrtr ledger {self}', 0))");
        transaction.batch_execute(&one_at_a_time).await?;
        let found = self.find(&transaction).await?;
        if found.check_version().is_ok() {
            if !found.schema {
                let create = format!("CREATE SCHEMA {self}");
                transaction.batch_execute(&create).await?;
            }
            let sql = SQL.replace("mrtr.", &format!("{self}."));
            transaction.batch_execute(&sql).await?;
        }
        transaction.commit().await?;
        Ok(found)
    }

    /// Reads a catalog, so that what others made meanwhile is seen.
    async fn find(&self, client: &impl GenericClient) -> Result<Found, Error> {
        let sql = format!(
            "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = '{self}'), \
             to_regclass('{self}.ledger') IS NOT NULL, \
             to_regprocedure('{self}.version()') IS NOT NULL"
        );
        let row = client.query_one(&sql, &[]).await?;
        let version = if row.try_get(2)? {
            let sql = format!("SELECT {self}.version()");
            Some(client.query_one(&sql, &[]).await?.try_get(0)?)
        } else {
            None
        };
        Ok(Found {
            schema: row.try_get(0)?,
            table: row.try_get(1)?,
            version,
        })
    }
}

impl Found {
    fn check_version(&self) -> Result<(), LedgerError> {
        match self.version {
            None | Some(VERSION) => Ok(()),
            Some(version) => Err(LedgerError::broken(format!(
                "the schema has version {version}, this program knows {VERSION}"
            ))),
        }
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
