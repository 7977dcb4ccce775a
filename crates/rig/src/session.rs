//! A session with its limits, for agents of rig.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tokio::time::{sleep, timeout};

use crate::{
    approver::Approver,
    client::RemoteBackend,
    door::{Door, ModelCall, OfferedTool},
    error::{Code, Error, Outcome, Result},
    handle::SessionBackend,
    tools::Tool,
    wire::{Effect, PromptRequest, ToolResult, WaitingCall},
};

/// The time of one request unless the developer chooses another.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The pauses before a request is repeated.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];
/// The words for a call that waits, of a service whose results have no code.
const WAITS: &str = "needs a person's approval, which was asked for";
/// A call that waits again after so many decisions is left to the model.
const DECISIONS: usize = 3;

/// One session of one user, for agents of rig. Cheap to clone: clones share the session and its connections.
///
/// Nothing changes the ids of user and session. Sessions of several users are several values, each with an agent of its own.
///
/// ```
/// use std::time::Duration;
///
/// use skillmount_base::path::Id;
/// use skillmount_client::RemoteBackend;
/// use skillmount_rig::SkillSession;
///
/// let (user, session) = (Id::parse("anna")?, Id::parse("chat-7")?);
/// let backend = RemoteBackend::new("http://127.0.0.1:8787", user, session, Some("a key".to_owned()))?;
/// let session = SkillSession::remote(backend).request_timeout(Duration::from_secs(10));
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone)]
pub struct SkillSession {
    door: Door,
    control: Door,
    timeout: Duration,
    prompt: PromptRequest,
    approver: Option<Arc<dyn Approver>>,
    shared: Arc<SharedState>,
}

/// The part that clones share.
#[derive(Debug, Default)]
struct SharedState {
    /// Calls run one after another, because a call may load the skill of the next. A call that waits for a person is not among them.
    turn: tokio::sync::Mutex<()>,
    last: Mutex<LastAnswer>,
}

/// The last answer of the service.
#[derive(Debug, Default)]
struct LastAnswer {
    instructions: Option<Arc<TurnInstructions>>,
    /// Whether the log has it that the service is away.
    is_away: bool,
}

/// The prompt and the tools of one turn.
#[derive(Debug)]
pub(crate) struct TurnInstructions {
    pub(crate) prompt: String,
    pub(crate) tools: Vec<OfferedTool>,
}

impl SkillSession {
    /// A session of a service in this process.
    #[must_use]
    pub fn in_process(backend: SessionBackend) -> Self {
        Self::new(Door::InProcess(Box::new(backend)))
    }

    /// A session of a service elsewhere.
    #[must_use]
    pub fn remote(backend: RemoteBackend) -> Self {
        Self::new(Door::Remote(Arc::new(backend)))
    }

    fn new(door: Door) -> Self {
        Self {
            control: door.clone(),
            door,
            timeout: TIMEOUT,
            prompt: PromptRequest::default(),
            approver: None,
            shared: Arc::default(),
        }
    }

    /// The same session with another time limit for each request: prompt, tools, call and decision. 30 seconds by default. Repeated
    /// attempts share the time of one request. The time in which a person decides is not in it.
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The same session with another prompt: its mode, format, category and tokens. The policy's mode and 2,000 tokens by default.
    #[must_use]
    pub fn prompt_request(mut self, prompt: PromptRequest) -> Self {
        self.prompt = prompt;
        self
    }

    /// The same session with a person who decides about calls that need an approval. Without one the model reads that the call waits.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// The same session, whose decisions are sent by `backend`: the same user and session with a key of scope `control`. A service
    /// with keys needs it, because the agent's own key decides nothing.
    #[must_use]
    pub fn control(mut self, backend: RemoteBackend) -> Self {
        self.control = Door::Remote(Arc::new(backend));
        self
    }

    /// Prompt and tools as they are now. If the service does not answer, those of the last turn, and the log says so once.
    ///
    /// # Errors
    /// The service's if there was no turn before.
    pub(crate) async fn instructions(&self) -> Result<Arc<TurnInstructions>> {
        let mode = self.prompt.mode;
        let asked = self.limited(true, || async {
            let (prompt, tools) = tokio::join!(self.door.prompt(&self.prompt), self.door.tools(mode));
            Ok(TurnInstructions { prompt: prompt?, tools: tools? })
        });
        let answer = asked.await;
        let mut known = self.last();
        match (answer, &known.instructions) {
            (Ok(instructions), _) => {
                let instructions = Arc::new(instructions);
                *known = LastAnswer { instructions: Some(Arc::clone(&instructions)), is_away: false };
                Ok(instructions)
            }
            (Err(error), Some(last)) if error.retryable() => {
                let last = Arc::clone(last);
                if !std::mem::replace(&mut known.is_away, true) {
                    tracing::warn!(error = error.chain(), "skillmount does not answer: the last prompt stays");
                }
                Ok(last)
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Runs a call. If it needs an approval and there is a person to decide, it runs once that person has decided.
    ///
    /// # Errors
    /// The service's if the call could not be made. A call that failed is a result.
    pub(crate) async fn call(&self, call: ModelCall<'_>) -> Result<ToolResult> {
        let mut result = self.call_once(call).await?;
        let Some(approver) = &self.approver else { return Ok(result) };
        for _ in 0..DECISIONS {
            if !waits(&result) {
                break;
            }
            let Some(waiting) = self.waiting(call, result.approval_id.as_deref()).await? else { break };
            let left = Duration::from_secs(waiting.seconds_left);
            let Ok(decision) = timeout(left, approver.decide(&waiting)).await else { break };
            self.limited(false, || self.control.decide(&waiting.approval_id, decision.clone())).await?;
            result = self.call_once(call).await?;
        }
        Ok(result)
    }

    async fn call_once(&self, call: ModelCall<'_>) -> Result<ToolResult> {
        let _turn = self.shared.turn.lock().await;
        self.limited(is_safe(call.tool), || self.door.call(call, self.prompt.mode)).await
    }

    /// The waiting call of this id. A service that gives no id has the call that is most like `call`, the newest of several. The person
    /// decides about the returned call, so a wrong choice costs one more question.
    async fn waiting(&self, call: ModelCall<'_>, approval_id: Option<&str>) -> Result<Option<WaitingCall>> {
        let operation = Tool::all().find(|tool| tool.name() == call.tool).map(Tool::operation);
        let waiting = self.limited(true, || self.control.waiting_calls()).await?.approvals;
        if let Some(id) = approval_id {
            return Ok(waiting.into_iter().find(|waiting| waiting.approval_id == id));
        }
        let same_tool = waiting.into_iter().filter(|waiting| operation.is_some_and(|own| own.name() == waiting.tool));
        Ok(same_tool.max_by_key(|waiting| shared_members(&waiting.input, call.input)))
    }

    /// Makes a request within the time limit. It is repeated if the service was away or busy and either nothing was changed or the
    /// request `is_safe` to repeat.
    async fn limited<T, Fut>(&self, is_safe: bool, request: impl Fn() -> Fut) -> Result<T>
    where
        Fut: Future<Output = Result<T>>,
    {
        let attempts = async {
            for pause in PAUSES {
                match request().await {
                    Err(error) if is_worth_repeating(&error, is_safe) => sleep(pause).await,
                    answer => return answer,
                }
            }
            request().await
        };
        let seconds = self.timeout.as_secs_f64();
        timeout(self.timeout, attempts).await.unwrap_or_else(|_| {
            let message = format!("skillmount did not answer within {seconds} s; try again later, or go on without it");
            let error = Error::new(Code::StoreUnavailable, message);
            Err(if is_safe { error } else { error.with_outcome(Outcome::Unknown) })
        })
    }

    fn last(&self) -> MutexGuard<'_, LastAnswer> {
        self.shared.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SkillSession {
    /// Without keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillSession").field("door", &self.door).field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// Whether the call can be made twice: it changes no file.
fn is_safe(tool: &str) -> bool {
    Tool::all().any(|known| known.name() == tool && known.operation().effect() != Effect::Writes)
}

fn is_worth_repeating(error: &Error, is_safe: bool) -> bool {
    error.retryable() && (is_safe || matches!(error.outcome(), None | Some(Outcome::NotApplied)))
}

fn waits(result: &ToolResult) -> bool {
    match &result.code {
        Some(code) => *code == Code::ApprovalRequired.as_str() && result.approval_id.is_some(),
        None => result.is_error && result.content.contains(WAITS),
    }
}

/// How many members of both inputs say the same. A number may be written as text.
fn shared_members(waiting: &Value, written: &Value) -> usize {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let Some(written) = written.as_object() else { return 0 };
    written
        .values()
        .filter(|value| {
            waiting.as_object().is_some_and(|object| object.values().any(|other| text(other) == text(value)))
        })
        .count()
}
