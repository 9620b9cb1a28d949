//! Sending the person to a page. The program itself never opens it.

use mrtr::wire::{ElicitResult, ElicitUrl};

use super::control::{Controls, Label, Left};
use super::refusal;
use crate::show::Screen;
use crate::show::url::Page;

/// Shows the URL and asks whether to go on.
///
/// # Errors
/// [`Left`], never [`Left::Back`]: that cancels.
pub(crate) fn visit(
    controls: &mut impl Controls,
    screen: &Screen<'_>,
    question: &ElicitUrl,
) -> Result<ElicitResult, Left> {
    let mut options = vec!["Decline (say no)", "Cancel (neither yes nor no)"];
    let help = match Page::parse(&question.url) {
        Ok(page) => {
            screen.page(&page);
            controls.say(
                "If you trust this, open it in your browser; this program does not. Continue when you \
                 are done there.",
            );
            options.insert(0, "Continue");
            "Esc: cancel; Ctrl-C: end, and send nothing"
        }
        Err(bad) => {
            controls.warn(&format!("{bad}, so it is not shown"));
            "Esc: cancel"
        }
    };
    let ask = Label {
        text: "What now?".to_owned(),
        help: help.to_owned(),
    };
    let titles: Vec<_> = options.iter().map(|title| (*title).to_owned()).collect();
    let chosen = match controls.one(&ask, &titles, 0) {
        Ok(chosen) => chosen,
        Err(Left::Back) => return Ok(refusal(false)),
        Err(left) => return Err(left),
    };
    Ok(match options.get(chosen) {
        Some(&"Continue") => ElicitResult::accept(None),
        Some(title) => refusal(title.starts_with("Decline")),
        None => refusal(false),
    })
}
