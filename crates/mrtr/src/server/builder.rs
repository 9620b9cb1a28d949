//! Putting a server together.

use std::env;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mrtr_core::state::{Keyring, StateLimits};
use mrtr_core::wire::{
    CacheHints, CacheScope, DiscoverResult, Icon, Implementation, RawObject, meta_key,
};
use serde::Serialize;

use super::assemble::{add_prompts, add_resources, add_tools};
use super::build_error::{BuildError, Problems};
use super::changes::Subscriptions;
use super::keychain::{Keychain, OnNewKeys};
use super::keys;
use super::limiter::Limiter;
use super::lists::ListStyle;
use super::registry::Registry;
use super::reply::{ServerMeta, one_line};
use super::runtime::{Runtime, SystemRuntime};
use super::settings::Defaults;
use super::single_use::Setup;
use super::tasks::Tasks;
use super::{Inner, Prompt, Resource, ResourceTemplate, Server, Tool};

/// Collects what a server offers; [`build`](Self::build) checks it all.
///
/// ```
/// use std::time::Duration;
/// use mrtr::server::{Server, TokenBuckets, prompt, resource, tool};
/// use mrtr::state::StateLimits;
/// use mrtr::{Cx, ToolError};
///
/// async fn hello(_: Cx, _: ()) -> Result<&'static str, ToolError> {
///     Ok("Hello.")
/// }
///
/// let server = Server::builder("greeter", "1.0.0")
///     .title("Greeter")
///     .instructions("Say hello first.")
///     .tool(tool("hello", hello).read_only().request_deadline(Duration::from_secs(5)))
///     .prompt(prompt("hello", hello))
///     .resource(resource("greeting://hello", hello).mime_type("text/plain"))
///     .limits(StateLimits::default().with_ttl(Duration::from_secs(120)))
///     .limiter(TokenBuckets::new(20, Duration::from_secs(1)))
///     .build()?;
///
/// let twice = Server::builder("greeter", "1.0.0")
///     .tool(tool("hello", hello))
///     .tool(tool("hello", hello))
///     .build();
/// assert!(twice.unwrap_err().to_string().contains("tool `hello`: it is registered twice"));
/// # Ok::<(), mrtr::server::BuildError>(())
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct ServerBuilder {
    info: Implementation,
    instructions: Option<String>,
    tools: Vec<Tool>,
    prompts: Vec<Prompt>,
    resources: Vec<Resource>,
    templates: Vec<ResourceTemplate>,
    keyring: Option<Keyring>,
    key_file: Option<PathBuf>,
    on_new_keys: Option<Box<OnNewKeys>>,
    revision: Option<String>,
    pub(super) defaults: Defaults,
    list_hints: CacheHints,
    page_size: usize,
    logging: bool,
    pub(super) subscriptions: Subscriptions,
    pub(super) max_shielded: usize,
    limiter: Option<Arc<dyn Limiter>>,
    pub(super) single_use: Setup,
    runtime: Arc<dyn Runtime>,
}

impl ServerBuilder {
    pub(super) fn new(info: Implementation) -> Self {
        Self {
            info,
            instructions: None,
            tools: Vec::new(),
            prompts: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            keyring: None,
            key_file: None,
            on_new_keys: None,
            revision: None,
            defaults: Defaults::default(),
            list_hints: CacheHints::new(Duration::from_secs(300), CacheScope::Public),
            page_size: usize::MAX,
            logging: false,
            subscriptions: Subscriptions::default(),
            max_shielded: 1024,
            limiter: None,
            single_use: Setup::default(),
            runtime: Arc::new(SystemRuntime),
        }
    }

    /// A title for people; the name is shown where there is none.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// What the server is for.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info.description = Some(description.into());
        self
    }

    /// Where to read about the server.
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.info.website_url = Some(url.into());
        self
    }

    /// Adds an icon to show beside the server.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.info.icons.get_or_insert_default().push(icon);
        self
    }

    /// How a model should use the server.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Adds a tool.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Adds a prompt.
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.prompts.push(prompt);
        self
    }

    /// Adds a resource.
    pub fn resource(mut self, resource: Resource) -> Self {
        self.resources.push(resource);
        self
    }

    /// Adds a template of resources.
    pub fn resource_template(mut self, template: ResourceTemplate) -> Self {
        self.templates.push(template);
        self
    }

    /// The keys that seal and open states. All instances behind one address
    /// need the same.
    ///
    /// Without this and [`key_file`](Self::key_file), the keys are read from
    /// the environment variable `MRTR_KEYS`; without that too, a server on
    /// stdio keeps a key of its own in the user's state folder, and any other
    /// makes up a random one and warns.
    pub fn keyring(mut self, keyring: Keyring) -> Self {
        self.keyring = Some(keyring);
        self
    }

    /// A file with keys, in the format of [`Keyring::parse`]. While the server
    /// serves it is read every second, and a change is followed at once: see
    /// [`Server::watch_keys`].
    pub fn key_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.key_file = Some(path.into());
        self
    }

    /// Is told of the keys that take the place of others while the server
    /// runs, for whatever else is sealed with them.
    pub fn on_new_keys(mut self, heard: impl Fn(&Keyring) + Send + Sync + 'static) -> Self {
        self.on_new_keys = Some(Box::new(heard));
        self
    }

    /// Binds states to this revision of the handlers: give another one when a
    /// change of them must end the exchanges that are open.
    pub fn revision(mut self, revision: impl Into<String>) -> Self {
        self.revision = Some(revision.into());
        self
    }

    /// Times, rounds and sizes for everything that does not set its own.
    pub fn limits(mut self, limits: StateLimits) -> Self {
        self.defaults.limits = limits;
        self
    }

    /// How long one request may take, for everything that does not set its
    /// own; the handler is dropped then and the client told. Default: 5
    /// minutes.
    pub fn request_deadline(mut self, deadline: Duration) -> Self {
        self.defaults.request_deadline = deadline;
        self
    }

    /// How long clients may keep the lists and the description of the server,
    /// and whether they may share them between users. Default: 5 minutes,
    /// shared.
    ///
    /// See [caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).
    pub fn list_cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.list_hints = CacheHints::new(ttl, scope);
        self
    }

    /// How many definitions a list gives at once. Default: all.
    ///
    /// See [pagination](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination).
    pub fn page_size(mut self, definitions: usize) -> Self {
        self.page_size = definitions;
        self
    }

    /// Lets handlers send log messages to clients that ask for them, with
    /// [`Notify::log`](super::Notify::log). Deprecated by the 2026-07-28
    /// revision.
    pub fn logging(mut self) -> Self {
        self.logging = true;
        self
    }

    /// Who may call how often. Default: everybody without limit.
    pub fn limiter(mut self, limiter: impl Limiter) -> Self {
        self.limiter = Some(Arc::new(limiter));
        self
    }

    /// Another clock, generator and timer, for tests.
    pub fn runtime(mut self, runtime: impl Runtime) -> Self {
        self.runtime = Arc::new(runtime);
        self
    }

    /// The server.
    ///
    /// # Errors
    /// All that is wrong with what it was given, each with the tool, prompt or
    /// resource it is about.
    pub fn build(self) -> Result<Server, BuildError> {
        let mut problems = Problems::default();
        if self.info.name.is_empty() {
            problems.add("server", "the name is empty");
        }
        if self.page_size == 0 {
            problems.add(
                "server",
                "a page of a list must hold at least one definition",
            );
        }
        self.single_use.check(&mut problems);
        let server_meta = server_meta(&self.info, &mut problems);
        let style = ListStyle {
            page_size: self.page_size.max(1),
            hints: self.list_hints,
            meta: server_meta.members(),
        };
        let mut registry = Registry::default();
        let (defaults, found) = (&self.defaults, &mut problems);
        add_tools(&mut registry, self.tools, defaults, &style, found);
        add_prompts(&mut registry, self.prompts, defaults, &style, found);
        let resources = (self.resources, self.templates);
        add_resources(&mut registry, resources, defaults, &style, found);

        let mut capabilities = registry.capabilities();
        self.subscriptions.changes.declare(&mut capabilities);
        if self.logging {
            capabilities.logging = Some(RawObject::new());
        }
        let discover = {
            let mut result = DiscoverResult::new(capabilities).with_cache_hints(self.list_hints);
            result.instructions = self.instructions;
            result.meta = Some(server_meta.members().clone());
            serialised(&result, &mut problems)
        };
        let keyring = keyring(self.keyring, self.key_file.as_ref(), &mut problems);
        problems.into_result()?;
        let tasks = Arc::new(Tasks::new(self.max_shielded));
        let metrics = Arc::default();
        let single_use = self.single_use.build(&self.runtime, &tasks, &metrics);
        Ok(Server {
            inner: Arc::new(Inner {
                keychain: Keychain::new(
                    keyring,
                    &self.info.name,
                    self.revision,
                    self.key_file,
                    self.on_new_keys,
                ),
                info: self.info,
                server_meta,
                discover,
                completes: registry.completes(),
                registry,
                logging: self.logging,
                subscriptions: self.subscriptions,
                limiter: self.limiter,
                single_use,
                runtime: self.runtime,
                draining: AtomicBool::new(false),
                tasks,
                metrics,
            }),
        })
    }
}

fn keyring(
    given: Option<Keyring>,
    file: Option<&PathBuf>,
    problems: &mut Problems,
) -> Option<Keyring> {
    let read = match (given, file) {
        (Some(_), Some(_)) => {
            problems.add("keys", "give either a keyring or a key file");
            return None;
        }
        (Some(keyring), None) => Ok(Some(keyring)),
        (None, Some(path)) => keys::from_file(path).map(Some),
        (None, None) => keys::from_environment(env::var(keys::KEYS_VARIABLE).ok().as_deref()),
    };
    read.unwrap_or_else(|error| {
        problems.keys(&error);
        None
    })
}

fn server_meta(info: &Implementation, problems: &mut Problems) -> ServerMeta {
    let mut members = RawObject::new();
    let meta = members
        .insert_as(meta_key::SERVER_INFO, info)
        .and_then(|()| ServerMeta::new(members));
    meta.unwrap_or_else(|error| {
        problems.add("server", error);
        ServerMeta::default()
    })
}

fn serialised(value: &impl Serialize, problems: &mut Problems) -> Box<[u8]> {
    match serde_json::to_vec(value) {
        Ok(mut json) => {
            one_line(&mut json);
            json.into()
        }
        Err(error) => {
            problems.add("server", error);
            Box::default()
        }
    }
}

impl fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder")
            .field("info", &self.info)
            .field("tools", &self.tools)
            .field("prompts", &self.prompts)
            .field("resources", &self.resources)
            .field("templates", &self.templates)
            .finish_non_exhaustive()
    }
}
