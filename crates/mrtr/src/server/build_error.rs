//! What is wrong with how a server was put together.

use std::fmt;

use super::KeysError;

/// A server that cannot be built: its author's fault. Tells all that is wrong
/// at once, also where `main` returns it.
pub struct BuildError {
    problems: Vec<BuildProblem>,
}

/// One thing that is wrong.
#[derive(Debug)]
#[non_exhaustive]
pub struct BuildProblem {
    /// What it is about, such as ``tool `book` ``.
    pub at: String,
    /// What is wrong with it, and what to do.
    pub problem: String,
}

impl BuildError {
    /// All that is wrong, in the order of registration.
    #[must_use]
    pub fn problems(&self) -> &[BuildProblem] {
        &self.problems
    }
}

impl fmt::Display for BuildProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.problem)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server cannot be built")?;
        self.problems
            .iter()
            .try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BuildError {}

/// Collects problems.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<BuildProblem>);

impl Problems {
    pub(super) fn add(&mut self, at: impl Into<String>, problem: impl fmt::Display) {
        let problem = problem.to_string();
        self.0.push(BuildProblem {
            at: at.into(),
            problem,
        });
    }

    /// What went well; otherwise the problem is noted.
    pub(super) fn ok<T>(&mut self, at: &str, result: Result<T, impl fmt::Display>) -> Option<T> {
        result.map_err(|problem| self.add(at, problem)).ok()
    }

    pub(super) fn keys(&mut self, error: &KeysError) {
        self.add("keys", error);
    }

    pub(super) fn into_result(self) -> Result<(), BuildError> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(BuildError { problems: self.0 }),
        }
    }
}
