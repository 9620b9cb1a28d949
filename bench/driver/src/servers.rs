//! The table of servers.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::Failure;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub name: String,
    /// Run by `bench/run`.
    pub build: String,
    pub program: Vec<String>,
    #[serde(default)]
    pub native: bool,
    #[serde(default)]
    pub fillers: bool,
    #[serde(default)]
    pub stdio: BTreeMap<String, String>,
}

impl Server {
    /// How many tools it is tried with.
    pub fn sizes(&self) -> impl Iterator<Item = usize> + use<> {
        [1].into_iter().chain(self.fillers.then_some(200))
    }

    /// By its name or by the first word of it: `rmcp` for `rmcp 3.11`.
    fn is_called(&self, name: &str) -> bool {
        let word = self.name.split(' ').next().unwrap_or_default();
        self.name == name || word.eq_ignore_ascii_case(name)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    server: Vec<Server>,
}

/// What the others are compared with.
pub const FLOOR: &str = "floor";
/// The one whose figures are kept.
pub const OURS: &str = "mrtr";

/// The servers of `servers.toml`, or those of them that are called for.
pub fn read(only: &[String]) -> Result<Vec<Server>, Failure> {
    let path = Path::new("servers.toml");
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let table: Table = toml::from_str(&text)?;
    if let Some(name) = only
        .iter()
        .find(|name| !table.server.iter().any(|server| server.is_called(name)))
    {
        return Err(format!("no server of servers.toml is called `{name}`").into());
    }
    let wanted =
        |server: &Server| only.is_empty() || only.iter().any(|name| server.is_called(name));
    Ok(table.server.into_iter().filter(wanted).collect())
}

/// One server of the table.
pub fn find(name: &str) -> Result<Server, Failure> {
    let mut found = read(&[name.to_owned()])?;
    Ok(found.remove(0))
}
