//! What all stores bound in the same way.

use mrtr_core::ledger::LedgerError;

/// The longest result, value or journal that a ledger takes, in bytes.
pub const MAX_VALUE: usize = 4 * 1024 * 1024;

/// Refuses what is longer than [`MAX_VALUE`].
pub(crate) fn check_length(value: &[u8]) -> Result<(), LedgerError> {
    if value.len() > MAX_VALUE {
        return Err(LedgerError::too_large(format!(
            "{} bytes, at most {MAX_VALUE} are taken",
            value.len()
        )));
    }
    Ok(())
}
