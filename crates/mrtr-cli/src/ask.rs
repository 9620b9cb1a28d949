//! Asking the person at the terminal what a server wants to know.

mod control;
mod form;
mod page;
mod terminal;
#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal as _};

use mrtr::exchange::Target;
use mrtr::wire::{ElicitRequest, ElicitResult, InputRequest, InputResponse};

use crate::show::Screen;

pub(crate) use self::control::{Left, hint};
pub(crate) use self::form::{secret_warning, secrets};
use self::terminal::Terminal;

/// Whether somebody is there to be asked.
pub(crate) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks one question. `None` for the kinds that are not put to a person.
///
/// # Errors
/// [`Left`] when the person ended the program, or the terminal does not work. Nothing is to be sent
/// then.
pub(crate) fn put(
    screen: &Screen<'_>,
    server: &Target,
    key: &str,
    question: &InputRequest,
) -> Result<Option<InputResponse>, Left> {
    let InputRequest::Elicit(question) = question else {
        return Ok(None);
    };
    let mut terminal = Terminal::new(screen)?;
    screen.asks(server, key, question.message());
    let answer = match question {
        ElicitRequest::Form(form) => form::fill_in(&mut terminal, form)?,
        ElicitRequest::Url(url) => page::visit(&mut terminal, screen, url)?,
        _ => return Ok(None),
    };
    Ok(Some(InputResponse::Elicit(answer)))
}

/// The answer of a person who said no, or went away.
fn refusal(declined: bool) -> ElicitResult {
    if declined {
        ElicitResult::decline()
    } else {
        ElicitResult::cancel()
    }
}
