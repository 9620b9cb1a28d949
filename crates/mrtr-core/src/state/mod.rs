//! The sealed `requestState`: what a server remembers between rounds, kept by
//! the client.
//!
//! A state is encrypted and authenticated with AES-256-GCM-SIV, which stands
//! a repeated nonce and more than 2^32 states per key. Its text is
//!
//! ```text
//! mrtr1. base64url( key id 6 | nonce 12 | ciphertext | tag 16 )
//! ```
//!
//! without padding, and only this one text of those bytes opens. The prefix and the key id are
//! authenticated as well; only the key they name is tried. Inside are the
//! [`Claims`], the [`Bound`] request and a body for whoever seals.
//!
//! Sealing and opening are pure functions of their arguments: time and nonces
//! are given by the caller.
//!
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow>
//!
//! ```
//! use mrtr_core::Timestamp;
//! use mrtr_core::state::{
//!     Binding, Bound, Claims, ExchangeId, Keyring, Method, Secret, StateLimits, open, seal,
//! };
//!
//! let keyring = Keyring::new([Secret::generate([1; 32])])?; // 32 bytes from the system
//! let limits = StateLimits::default();
//! let now = Timestamp::from_secs(1_785_196_800);
//! let request = Binding {
//!     principal: None,
//!     method: Method::ToolsCall,
//!     target: "book",
//!     arguments: None,
//!     audience: "travel",
//!     revision: None,
//! };
//!
//! let claims = Claims::first(ExchangeId::from_bytes([2; 16]), now, now, &limits)?;
//! let state = seal(&keyring, &claims, &Bound::new(&request)?, b"journal", [3; 12], &limits)?;
//!
//! let opened = open(&keyring, &state, &request, now, &limits)?;
//! assert_eq!(opened.body(), b"journal");
//! assert_eq!(opened.claims, claims);
//!
//! let other = Binding { target: "cancel", ..request };
//! assert!(open(&keyring, &state, &other, now, &limits).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod binding;
mod claims;
mod codec;
mod key_id;
mod key_text;
mod keyring;
mod limits;
mod rejection;
mod seal;
mod text;

pub use binding::{Binding, Bound, Method, Principal};
pub use claims::{Claims, ExchangeId};
pub use codec::{DecodeError, Reader, Writer};
pub use key_id::{KeyId, NotAKeyId};
pub use key_text::{KeyText, KeyTextError};
pub use keyring::{Keyring, KeyringError, MIN_SECRET_BYTES, Secret};
pub use limits::StateLimits;
pub use rejection::{Rejection, RejectionReason};
pub use seal::{Opened, SealError, open, presented, seal};
