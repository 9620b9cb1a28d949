//! Registering a tool.

use std::fmt;

use mrtr_core::flow::{self, Flow};
use mrtr_core::replay::{Context, Cx, ToolError};
use mrtr_core::wire::{self, RawObject, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::args::from_json;
use super::handler::{ToolHandler, start};
use super::output::ToolOutput;
use super::schema::Schema;
use super::settings::{Settings, shared_methods};

/// A tool to give to [`ServerBuilder::tool`](super::ServerBuilder::tool), made
/// by [`tool`].
#[must_use = "a tool does nothing until a server has it"]
pub struct Tool {
    pub(super) definition: wire::Tool,
    /// Of the arguments; else why the type of the handler has none.
    pub(super) input: Result<Schema, String>,
    /// Of the structured content, when it was written by hand.
    pub(super) output: Option<Schema>,
    pub(super) handler: ToolHandler,
    pub(super) settings: Settings,
    pub(super) problems: Vec<String>,
}

/// A tool called `name`: 1 to 128 of the characters `A-Z a-z 0-9 _ - .`
///
/// The handler is an `async fn` of a [`Cx`] and the arguments; one of a
/// [`Cx<Durable>`](crate::Durable) is of [single use](super#single-use). The
/// type of the arguments derives `Deserialize` and `JsonSchema`, from which the
/// tool's `inputSchema` is made; `()` takes none. What does not fit the type
/// never reaches the handler: the model is told which argument is wrong, and
/// why. What the schema says beyond the type is checked as well: bounds given
/// with `#[schemars(range(..))]` and `#[schemars(length(..))]` always, other
/// keywords such as `pattern` with the feature `json-schema`, a default one.
///
/// What a handler returns as [`Json<T>`](super::Json) is structured content, and
/// the tool's `outputSchema` is made from `T`.
///
/// See [tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools).
///
/// ```
/// use mrtr::server::{Server, tool};
/// use mrtr::{Cx, ToolError};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Removal {
///     /// The file to remove.
///     path: String,
/// }
///
/// async fn remove(cx: Cx, removal: Removal) -> Result<String, ToolError> {
///     cx.confirm("remove", format!("Really remove {}?", removal.path)).await?;
///     Ok(format!("Removed {}.", removal.path))
/// }
///
/// let server = Server::builder("files", "1.0.0")
///     .tool(tool("remove", remove).description("Removes a file").destructive(true))
///     .build()?;
/// # Ok::<(), mrtr::server::BuildError>(())
/// ```
pub fn tool<F, C, A, Fut, T, E>(name: impl Into<String>, handler: F) -> Tool
where
    F: Fn(C, A) -> Fut + Send + Sync + 'static,
    C: Context,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    T: ToolOutput,
    E: Into<ToolError>,
{
    let mut definition = wire::Tool::new(name, RawObject::new());
    definition.output_schema = T::output_schema();
    let handler: ToolHandler = Box::new(move |round, arguments| {
        let arguments = from_json(arguments)?;
        Ok(start(round, |cx| {
            let running = handler(cx, arguments);
            async move { running.await.map_err(Into::into)?.into_result() }
        }))
    });
    Tool {
        definition,
        input: Schema::of_arguments::<A>(),
        output: None,
        handler,
        settings: Settings::of::<C>(),
        problems: Vec::new(),
    }
}

/// A tool called `name` that is an explicit state machine.
///
/// `make` gives the [`Flow`] for the arguments of a call, anew in every round:
/// what is to be remembered goes into its state.
///
/// ```
/// use mrtr::flow::{Flow, Next, Turn};
/// use mrtr::form::FormSchema;
/// use mrtr::server::{Server, flow};
/// use mrtr::ToolError;
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Survey {
///     questions: Vec<String>,
/// }
///
/// impl Flow for Survey {
///     type State = usize;
///     type Output = String;
///
///     async fn advance(
///         &self,
///         turn: &mut Turn,
///         state: Option<usize>,
///     ) -> Result<Next<usize, String>, ToolError> {
///         for at in state.unwrap_or(0)..self.questions.len() {
///             let ask = turn.cx().confirm(at.to_string(), &self.questions[at]);
///             if turn.answer(ask)?.is_none() {
///                 return Ok(Next::Ask(at));
///             }
///         }
///         Ok(Next::Done("Thank you.".to_owned()))
///     }
/// }
///
/// let server = Server::builder("survey", "1.0.0")
///     .tool(flow("survey", |survey: Survey| survey))
///     .build()?;
/// # Ok::<(), mrtr::server::BuildError>(())
/// ```
pub fn flow<M, A, F>(name: impl Into<String>, make: M) -> Tool
where
    M: Fn(A) -> F + Send + Sync + 'static,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Flow<State: Sync, Output: ToolOutput> + Send + 'static,
{
    tool(name, move |cx: Cx, arguments: A| {
        let flow = make(arguments);
        async move { flow::run(&flow, cx).await }
    })
}

impl Tool {
    shared_methods!("tool");

    /// Tells clients that the tool changes nothing.
    pub fn read_only(mut self) -> Self {
        self.annotations_mut().read_only_hint = Some(true);
        self
    }

    /// Tells clients whether the tool may destroy something; they assume so
    /// unless told otherwise.
    pub fn destructive(mut self, destructive: bool) -> Self {
        self.annotations_mut().destructive_hint = Some(destructive);
        self
    }

    /// Tells clients that calling the tool again with the same arguments
    /// changes nothing more.
    pub fn idempotent(mut self) -> Self {
        self.annotations_mut().idempotent_hint = Some(true);
        self
    }

    /// Tells clients whether the tool deals with a world of unknown things,
    /// such as the web; they assume so unless told otherwise.
    pub fn open_world(mut self, open_world: bool) -> Self {
        self.annotations_mut().open_world_hint = Some(open_world);
        self
    }

    /// Sets all hints at once.
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.definition.annotations = Some(annotations);
        self
    }

    /// Gives the tool this JSON Schema for its arguments in place of the one
    /// made from the handler's type: one that is known at run time only, or
    /// says what Rust types cannot. It is listed as it is written and every
    /// call is checked against it, before the handler's type is: take
    /// [`serde_json::Value`] there if the schema says all.
    ///
    /// The dialect is 2020-12 unless `$schema` names another: drafts 4, 6, 7 and
    /// 2019-09 are known. References must lead into the schema itself.
    ///
    /// ```
    /// use mrtr::server::{Server, tool};
    /// use mrtr::{Cx, ToolError};
    /// use serde_json::{Value, json};
    ///
    /// async fn contact(_: Cx, person: Value) -> Result<String, ToolError> {
    ///     Ok(format!("Noted {}.", person["name"]))
    /// }
    ///
    /// let contact = tool("contact", contact).input_schema(&json!({
    ///     "type": "object",
    ///     "properties": {"name": {"type": "string"}, "phone": {"type": "string"}},
    ///     "required": ["name"],
    ///     "anyOf": [{"required": ["phone"]}, {"required": ["email"]}],
    /// }));
    /// let server = Server::builder("contacts", "1.0.0").tool(contact).build()?;
    /// # Ok::<(), mrtr::server::BuildError>(())
    /// ```
    #[cfg(feature = "json-schema")]
    pub fn input_schema(mut self, schema: &(impl serde::Serialize + ?Sized)) -> Self {
        self.input = Schema::by_hand(schema);
        self
    }

    /// Gives the tool this JSON Schema for its structured content in place of
    /// the one made from what the handler returns, such as a
    /// [`CallToolResult`](wire::CallToolResult), which has none.
    ///
    /// The handler must keep to it: a result without structured content, or
    /// with content that does not fit, is logged and answered with -32603. A
    /// result that says the tool failed is not checked.
    ///
    /// See [output schemas](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema).
    #[cfg(feature = "json-schema")]
    pub fn output_schema(mut self, schema: &(impl serde::Serialize + ?Sized)) -> Self {
        match Schema::by_hand(schema) {
            Ok(schema) => self.output = Some(schema),
            Err(problem) => self.problems.push(problem),
        }
        self
    }

    fn annotations_mut(&mut self) -> &mut ToolAnnotations {
        self.definition.annotations.get_or_insert_default()
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("definition", &self.definition)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
