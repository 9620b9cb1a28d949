//! A ledger from its address, for programs whose operators choose the store.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use mrtr_core::ledger::{Ledger, LedgerError};

use crate::MemoryLedger;

/// Opens the ledger at an address:
///
/// | address | ledger |
/// | --- | --- |
/// | `memory:` | [`MemoryLedger`] |
/// | `sqlite:PATH` | `SqliteLedger`, with the feature `sqlite` |
/// | `postgres://user:password@host:port/database` | `PostgresLedger`, with the feature `postgres` |
/// | `redis://user:password@host:port/database` | `RedisLedger`, with the feature `redis` |
///
/// At the end of the last two, `?accept_loss=true` takes a server that is not
/// set up to keep what it is told, and warns.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let ledger = mrtr_ledger::open("memory:").await?;
/// ledger.epoch().await?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// When the address is of no kind that this program knows, and when the store
/// cannot be reached or is not usable. No error names the password.
pub async fn open(address: &str) -> Result<Arc<dyn Ledger>, OpenError> {
    let (scheme, rest) = address.split_once(':').ok_or(OpenError::Address)?;
    match scheme {
        "memory" if rest.is_empty() => Ok(Arc::new(MemoryLedger::new())),
        "sqlite" => sqlite(rest.strip_prefix("//").unwrap_or(rest)).await,
        "postgres" | "postgresql" => postgres(address).await,
        "redis" | "valkey" => redis(address).await,
        _ => Err(OpenError::Address),
    }
}

#[cfg(feature = "sqlite")]
async fn sqlite(path: &str) -> Result<Arc<dyn Ledger>, OpenError> {
    if path.is_empty() {
        return Err(OpenError::Address);
    }
    Ok(Arc::new(crate::SqliteLedger::open(path).await?))
}

#[cfg(not(feature = "sqlite"))]
async fn sqlite(_path: &str) -> Result<Arc<dyn Ledger>, OpenError> {
    Err(OpenError::Feature("sqlite"))
}

#[cfg(feature = "postgres")]
async fn postgres(address: &str) -> Result<Arc<dyn Ledger>, OpenError> {
    let mut options = crate::PostgresLedger::options();
    let (address, accept_loss) = without_accept_loss(address);
    if accept_loss {
        options = options.accept_loss();
    }
    Ok(Arc::new(options.connect(&address).await?))
}

#[cfg(not(feature = "postgres"))]
async fn postgres(_address: &str) -> Result<Arc<dyn Ledger>, OpenError> {
    Err(OpenError::Feature("postgres"))
}

#[cfg(feature = "redis")]
async fn redis(address: &str) -> Result<Arc<dyn Ledger>, OpenError> {
    let mut options = crate::RedisLedger::options();
    let (address, accept_loss) = without_accept_loss(address);
    if accept_loss {
        options = options.accept_loss();
    }
    Ok(Arc::new(options.connect(&address).await?))
}

#[cfg(not(feature = "redis"))]
async fn redis(_address: &str) -> Result<Arc<dyn Ledger>, OpenError> {
    Err(OpenError::Feature("redis"))
}

/// The address for the client of the store, and whether loss is accepted.
#[cfg(any(feature = "postgres", feature = "redis"))]
fn without_accept_loss(address: &str) -> (String, bool) {
    let Some((before, query)) = address.split_once('?') else {
        return (address.to_owned(), false);
    };
    let is_ours = |member: &&str| *member == "accept_loss=true";
    let others: Vec<&str> = query.split('&').filter(|it| !is_ours(it)).collect();
    let accept_loss = query.split('&').any(|it| is_ours(&it));
    let question = if others.is_empty() { "" } else { "?" };
    (
        format!("{before}{question}{}", others.join("&")),
        accept_loss,
    )
}

/// Why [`open`] gave no ledger.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The address is of no known kind. It is not repeated, since it may hold a
    /// password.
    Address,
    /// This program was built without the feature of that name.
    Feature(&'static str),
    /// The store cannot be reached or is not usable.
    Ledger(LedgerError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address => f.write_str(
                "a ledger's address is memory:, sqlite:PATH, postgres://.. or redis://..",
            ),
            Self::Feature(name) => {
                write!(
                    f,
                    "this program was built without the feature `{name}` of mrtr-ledger"
                )
            }
            Self::Ledger(error) => error.fmt(f),
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Ledger(error) => error.source(),
            _ => None,
        }
    }
}

impl From<LedgerError> for OpenError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}
