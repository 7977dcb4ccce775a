//! From the call that a model wrote to a request of the backend.
//!
//! A model's input is text from outside: it is parsed into the request types before anything runs. The answer to wrong
//! input lists the expected input.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::tool::Tool;
use crate::{
    error::{Code, Error, Result},
    handle::SessionBackend,
    json,
    wire::{
        self, Access, BackendProtocol as _, EffectivePolicy, Operation, Reply, Request as _, TextFormat,
        with_operations,
    },
};

/// Characters of a name that is quoted back.
const QUOTED: usize = 100;

macro_rules! calls {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $method:ident($request:ident) -> $reply:ident $facts:tt
    )* ; $($also:tt)*) => {
        /// A call that parsed.
        #[derive(Clone, Debug)]
        pub(super) enum ParsedCall {
            $($variant(wire::$request),)*
        }

        impl ParsedCall {
            pub(super) fn read(tool: Tool, input: Map<String, Value>) -> Result<Self> {
                match tool.operation() {
                    $(Operation::$variant => request(tool, input).map(Self::$variant),)*
                    other => Err(Error::internal(format!("{other} is no tool"))),
                }
            }

            /// The paths that the call reads or writes, or the session.
            pub(super) fn touches(&self) -> Vec<Access<'_>> {
                match self { $(Self::$variant(request) => request.touches(),)* }
            }

            /// Runs it. The answer is the text that a model reads.
            pub(super) async fn run(self, backend: &SessionBackend, form: TextFormat) -> Result<String> {
                match self {
                    $(Self::$variant(request) => Box::pin(backend.$method(request)).await?.text(form),)*
                }
            }

            /// As [`run`](Self::run), with the reply as a document of the same window beside its text.
            pub(super) async fn run_structured(self, backend: &SessionBackend, form: TextFormat) -> Result<(String, Value)> {
                match self {
                    $(Self::$variant(request) => window(Box::pin(backend.$method(request)).await?, form),)*
                }
            }
        }
    };
}

with_operations!(calls);

impl ParsedCall {
    /// The call of the tool `name`, which must be a tool of this policy. A tool that is only not offered now can be
    /// called.
    ///
    /// # Errors
    /// `invalid_request`. The message lists the tools, or the input that this tool takes.
    pub(super) fn parse(name: &str, input: Result<Value>, policy: &EffectivePolicy) -> Result<Self> {
        let known = Tool::all().find(|tool| tool.name() == name);
        // A tool that the policy refuses is left to the backend, which says why.
        let known = known.filter(|tool| tool.operation() != Operation::LoadSkill || tool.is_open_to(policy));
        let tool = known.ok_or_else(|| unknown(name, policy))?;
        let input = input.map_err(|fault| wrong(tool, fault.message()))?;
        // An array would be taken for the members in their order.
        let Value::Object(members) = input else { return Err(wrong(tool, "it must be an object")) };
        Self::read(tool, tool.spelled(members)?)
    }
}

fn window(reply: impl Reply, form: TextFormat) -> Result<(String, Value)> {
    let (text, reply) = reply.window(form)?;
    Ok((text, serde_json::to_value(reply).map_err(Error::internal)?))
}

/// Reads the input of one tool.
fn request<T: DeserializeOwned>(tool: Tool, input: Map<String, Value>) -> Result<T> {
    json::from_value(Value::Object(input)).map_err(|error| wrong(tool, &error.to_string()))
}

pub(super) fn wrong(tool: Tool, what: &str) -> Error {
    let message = format!("wrong input for {}: {what}. It takes {}", tool.name(), tool.expected());
    Error::new(Code::InvalidRequest, message)
}

fn unknown(name: &str, policy: &EffectivePolicy) -> Error {
    let name: String = name.chars().take(QUOTED).collect();
    let tools: Vec<_> = Tool::all().filter(|tool| tool.is_open_to(policy)).map(Tool::name).collect();
    Error::new(Code::InvalidRequest, format!("there is no tool {name:?}; the tools are {}", tools.join(", ")))
}
