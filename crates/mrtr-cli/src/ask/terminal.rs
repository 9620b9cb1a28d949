//! Form controls on a terminal.

use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyModifiers};
use crossterm::terminal;
use inquire::error::{CustomUserError, InquireError};
use inquire::list_option::ListOption;
use inquire::ui::RenderConfig;
use inquire::validator::{ErrorMessage, Validation};
use inquire::{Confirm, DateSelect, MultiSelect, Select, Text};

use super::control::{Check, Controls, Label, Left};
use crate::show::Screen;

/// The person's terminal. Prompts are drawn on stderr.
pub(crate) struct Terminal<'a> {
    screen: &'a Screen<'a>,
    look: RenderConfig<'static>,
}

impl<'a> Terminal<'a> {
    /// # Errors
    /// [`Left`] when the terminal does not work, or Ctrl-C was pressed.
    pub(crate) fn new(screen: &'a Screen<'a>) -> Result<Self, Left> {
        forget_keys()?;
        let look = if screen.colors() {
            RenderConfig::default_colored()
        } else {
            RenderConfig::empty()
        };
        Ok(Self { screen, look })
    }
}

impl Controls for Terminal<'_> {
    fn line(&mut self, label: &Label, start: &str, check: Check<str>) -> Result<String, Left> {
        let check = move |text: &str| -> Result<Validation, CustomUserError> {
            Ok(validation(check(text)))
        };
        Text::new(&label.text)
            .with_help_message(&label.help)
            .with_initial_value(start)
            .with_validator(check)
            .with_render_config(self.look)
            .prompt()
            .map_err(left)
    }

    fn one(&mut self, label: &Label, options: &[String], start: usize) -> Result<usize, Left> {
        Select::new(&label.text, options.to_vec())
            .with_help_message(&label.help)
            .with_starting_cursor(start)
            .with_render_config(self.look)
            .without_filtering()
            .raw_prompt()
            .map(|chosen| chosen.index)
            .map_err(left)
    }

    fn many(
        &mut self,
        label: &Label,
        options: &[String],
        chosen: &[usize],
        check: Check<[usize]>,
    ) -> Result<Vec<usize>, Left> {
        let check = move |chosen: &[ListOption<&String>]| -> Result<Validation, CustomUserError> {
            let chosen: Vec<_> = chosen.iter().map(|option| option.index).collect();
            Ok(validation(check(&chosen)))
        };
        MultiSelect::new(&label.text, options.to_vec())
            .with_help_message(&label.help)
            .with_default(chosen)
            .with_validator(check)
            .with_render_config(self.look)
            .without_filtering()
            .raw_prompt()
            .map(|chosen| chosen.iter().map(|option| option.index).collect())
            .map_err(left)
    }

    fn yes_no(&mut self, label: &Label, start: Option<bool>) -> Result<bool, Left> {
        let mut prompt = Confirm::new(&label.text)
            .with_help_message(&label.help)
            .with_error_message("type y for yes or n for no")
            .with_render_config(self.look);
        prompt.placeholder = Some("y/n");
        if let Some(start) = start {
            prompt = prompt.with_default(start);
        }
        prompt.prompt().map_err(left)
    }

    /// Only colours show the chosen day.
    fn has_calendar(&self) -> bool {
        self.screen.colors()
    }

    fn day(&mut self, label: &Label, start: Option<&str>) -> Result<String, Left> {
        let help = format!("the arrows choose the day; {}", label.help);
        let mut prompt = DateSelect::new(&label.text)
            .with_help_message(&help)
            .with_formatter(&|day| day.format("%Y-%m-%d").to_string())
            .with_render_config(self.look);
        if let Some(start) = start.and_then(|start| start.parse().ok()) {
            prompt = prompt.with_starting_date(start);
        }
        let day = prompt.prompt().map_err(left)?;
        Ok(day.format("%Y-%m-%d").to_string())
    }

    fn say(&mut self, text: &str) {
        self.screen.say(text);
    }

    fn quote(&mut self, text: &str) {
        self.screen.quote(text);
    }

    fn warn(&mut self, text: &str) {
        self.screen.warn(text);
    }
}

/// Forgets the keys that were pressed so far: they were not meant for a question that nobody has seen.
fn forget_keys() -> Result<(), Left> {
    let broken = |error: std::io::Error| Left::Broken(error.to_string());
    terminal::enable_raw_mode().map_err(broken)?;
    let mut interrupted = false;
    let drained = loop {
        match event::poll(Duration::ZERO) {
            Ok(true) => match event::read() {
                Ok(Event::Key(key)) => {
                    let control = key.modifiers.contains(KeyModifiers::CONTROL);
                    interrupted |= control && key.code == KeyCode::Char('c');
                }
                Ok(_) => {}
                Err(error) => break Err(error),
            },
            Ok(false) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    terminal::disable_raw_mode().and(drained).map_err(broken)?;
    if interrupted {
        return Err(Left::Interrupted);
    }
    Ok(())
}

fn validation(checked: Result<(), String>) -> Validation {
    match checked {
        Ok(()) => Validation::Valid,
        Err(problem) => Validation::Invalid(ErrorMessage::Custom(problem)),
    }
}

fn left(error: InquireError) -> Left {
    match error {
        InquireError::OperationCanceled => Left::Back,
        InquireError::OperationInterrupted => Left::Interrupted,
        error => Left::Broken(error.to_string()),
    }
}
