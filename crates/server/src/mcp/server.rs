//! One session as a server of the protocol.

use rmcp::{
    ErrorData, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, ContentBlock,
        CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams, GetSkillResult,
        Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListSkillsResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
        ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult, ReadResourceRequestParams,
        ReadResourceResponse, RequestId, ResourcesCapability, ServerCapabilities, ServerConfig, SubscriptionFilter,
        ToolsCapability,
    },
    service::SubscriptionContext,
};
use serde_json::Value;
use tokio::sync::watch;

use super::{
    changes::ChangeNotifier,
    completion,
    conversation::HostConversation,
    elicitation::{self, ElicitationResult, PendingRequest},
    options::McpOptions,
    prompts,
    refusal::{McpContext, McpResult, no_such_cursor, refusal, unlike_the_protocol},
    running_calls::RunningCalls,
    skills,
};
use crate::{
    context::Progress,
    error::{Error, Result},
    handle::SessionBackend,
    limits::MCP_PROGRESS_PACE,
    prompt::{TextRoom, host_listing},
    tools::{self, CallOutcome, CallQueue, QueuePlace, Tool, ToolDefinition, ToolOptions},
    wire::{DefinitionShape, Operation, PromptMode},
};

/// The page that a host asks for.
type Page = Option<PaginatedRequestParams>;

/// The tools and prompts of one session, and the skills of its user.
#[derive(Clone, Debug)]
pub(super) struct SessionServer {
    backend: SessionBackend,
    /// The text that the host puts before its model: the listing of skills when the conversation began.
    instructions: String,
    /// Whether a person sits at the host. Otherwise the agent's own program could answer in the person's place.
    has_person: bool,
    /// How the host learns that its tools and resources changed.
    changes: ChangeNotifier,
    /// The calls that other requests may cancel; `None` if all come on one stream, because the library handles it then.
    running: Option<RunningCalls>,
    /// The sizes and forms of results that the operator chose.
    options: McpOptions,
    /// The host and the notes in its results.
    conversation: HostConversation,
    /// The order of the calls of each session.
    queue: CallQueue,
}

impl SessionServer {
    /// The server of the session behind `backend`.
    ///
    /// # Errors
    /// Those of the prompt.
    pub(super) async fn new(
        backend: SessionBackend,
        options: McpOptions,
        conversation: HostConversation,
    ) -> Result<Self> {
        let server = Self::under_way(backend, options, conversation);
        Ok(Self { instructions: server.listing().await?, ..server })
    }

    /// The listing of skills for a host that begins.
    ///
    /// # Errors
    /// Those of the prompt.
    pub(super) async fn listing(&self) -> Result<String> {
        let room = TextRoom { characters: self.options.instruction_chars(), bytes: usize::MAX };
        let text = host_listing(&self.backend, room).await?.text;
        self.conversation.told.record_listing(&self.backend);
        Ok(text)
    }

    /// The server of the session behind `backend`, whose host has the listing of skills already.
    pub(super) fn under_way(backend: SessionBackend, options: McpOptions, conversation: HostConversation) -> Self {
        // A host reads the instructions once, so a loaded skill's own come in the answer of the load.
        Self {
            backend: backend.in_mode(Some(PromptMode::Listing)),
            instructions: String::new(),
            has_person: false,
            changes: ChangeNotifier::by_notification(),
            running: None,
            options,
            conversation,
            queue: CallQueue::default(),
        }
    }

    /// The same server for a host on this machine: with a person in front of it, who may be asked, and with streams of changes.
    pub(super) fn with_person(self) -> Self {
        Self { has_person: true, changes: ChangeNotifier::with_streams(), ..self }
    }

    /// The same server for a host that gets no notifications of changes.
    pub(super) fn without_changes(self) -> Self {
        Self { changes: ChangeNotifier::none(), ..self }
    }

    /// The same server for a host whose calls can be cancelled through `running`.
    pub(super) fn noting_calls(self, running: RunningCalls) -> Self {
        Self { running: Some(running), ..self }
    }

    /// The same server, whose calls wait in `queue`.
    pub(super) fn in_queue(self, queue: CallQueue) -> Self {
        Self { queue, ..self }
    }

    /// The place that a message got at its arrival. A message without a place gets the last one.
    fn place(context: &McpContext, arrive: impl FnOnce() -> QueuePlace) -> QueuePlace {
        let arrived = context.extensions.get::<QueuePlace>();
        #[cfg(feature = "http")]
        let arrived = arrived.or_else(|| context.extensions.get::<axum::http::request::Parts>()?.extensions.get());
        arrived.cloned().unwrap_or_else(arrive)
    }

    fn arrive(&self, call: &CallToolRequestParams) -> QueuePlace {
        let none = JsonObject::new();
        self.queue.arrive(&self.backend, &call.name, call.arguments.as_ref().unwrap_or(&none))
    }

    /// Checks that the user is not being deleted.
    ///
    /// # Errors
    /// `denied` if it is.
    pub(super) async fn check_not_deleted(&self) -> Result<()> {
        self.backend.check_not_deleted().await
    }

    /// Done when another request of the host cancels this call.
    async fn cancelled_elsewhere(&self, call: &RequestId) {
        match &self.running {
            Some(running) => running.begin(&self.backend, call).cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Runs one call, once more if a person decided about it meanwhile, and says in the answer whether it failed. If the
    /// host is to ask its person and to come back, the answer is the question.
    async fn answer(
        &self,
        call: &CallToolRequestParams,
        context: &McpContext,
        place: &QueuePlace,
    ) -> Result<CallToolResponse> {
        place.turn().await;
        let mut outcome = self.run(call, context).await?;
        if let Err(error) = &outcome.reply
            && let Some(approval) = elicitation::waits_for(error)
        {
            // Other calls do not wait for a person.
            place.leave();
            match PendingRequest::of_call(call).ask(&self.backend, context, approval, self.has_person).await? {
                ElicitationResult::Decided => {
                    let again = self.arrive(call);
                    again.turn().await;
                    outcome = self.run(call, context).await?;
                }
                ElicitationResult::Returns(question) => return Ok(question.into()),
                ElicitationResult::Waits => {}
            }
        }
        // Several hosts show their model the document alone if there is one, and some the first block of text.
        let text = vec![ContentBlock::text(outcome.text)];
        let Ok(reply) = outcome.reply else { return Ok(CallToolResult::error(text).into()) };
        let mut result = CallToolResult::success(text);
        result.structured_content = Some(reply).filter(|_| self.options.is_structured(&context.meta));
        Ok(result.into())
    }

    /// The definition of a tool, with the schema of its reply if the operator wants it.
    fn shaped(&self, tool: &ToolDefinition) -> Value {
        let mut shaped = tool.in_shape(DefinitionShape::Mcp);
        if let (true, Some(members)) = (self.options.structured, shaped.as_object_mut()) {
            members.insert("outputSchema".to_owned(), tool.output_schema());
        }
        shaped
    }

    /// Loads the skill of a prompt, once more if a person decided about it meanwhile.
    async fn prompt(
        &self,
        wanted: &GetPromptRequestParams,
        context: &McpContext,
        place: &QueuePlace,
    ) -> Result<GetPromptResponse> {
        place.turn().await;
        let error = match prompts::get(&self.backend, wanted).await {
            Ok(prompt) => return Ok(prompt.into()),
            Err(error) => error,
        };
        let Some(approval) = elicitation::waits_for(&error) else { return Err(error) };
        place.leave();
        match PendingRequest::of_prompt(wanted).ask(&self.backend, context, approval, self.has_person).await? {
            ElicitationResult::Decided => prompts::get(&self.backend, wanted).await.map(Into::into),
            ElicitationResult::Returns(question) => Ok(question.into()),
            ElicitationResult::Waits => Err(error),
        }
    }

    /// Runs one call, and reports its progress if the host asked for reports.
    async fn run(&self, call: &CallToolRequestParams, context: &McpContext) -> Result<CallOutcome> {
        let input = Value::Object(call.arguments.clone().unwrap_or_default());
        let result_bytes = self.options.result_bytes(self.conversation.host(context));
        let options = ToolOptions { result_bytes, ..ToolOptions::default() };
        let told = &self.conversation.told;
        let Some(token) = context.meta.get_progress_token() else {
            return Box::pin(tools::run_one(&self.backend, &call.name, input, options, told)).await;
        };
        let (sender, progress) = watch::channel(Progress::default());
        let backend = self.backend.clone().reporting_to(sender);
        let mut running = Box::pin(tools::run_one(&backend, &call.name, input, options, told));
        let mut reported = 0;
        loop {
            tokio::select! {
                outcome = &mut running => return outcome,
                () = tokio::time::sleep(MCP_PROGRESS_PACE) => {}
            }
            let Progress { done, total } = *progress.borrow();
            if done > reported {
                reported = done;
                let report =
                    ProgressNotificationParam::new(token.clone(), as_number(done)).with_total(as_number(total));
                if context.peer.notify_progress(report).await.is_err() {
                    tracing::debug!("the progress of a call did not reach the host");
                }
            }
        }
    }
}

impl ServerHandler for SessionServer {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_completions()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_skills_with_directory_read()
            .build();
        if !self.changes.are_promised() {
            capabilities.tools = capabilities.tools.map(|_| ToolsCapability::default());
            capabilities.resources = capabilities.resources.map(|_| ResourcesCapability::default());
        }
        let mut about = Implementation::new("skillmount", env!("CARGO_PKG_VERSION"));
        about.title = Some("skillmount".to_owned());
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(self.instructions.clone())
    }

    async fn list_tools(&self, page: Page, _: McpContext) -> McpResult<ListToolsResult> {
        only_page(page.as_ref())?;
        let tools = tools::for_session(&self.backend).await.map_err(|error| refusal(&error))?;
        let shaped = tools.iter().map(|tool| serde_json::from_value(self.shaped(tool)));
        let shaped = shaped.collect::<Result<_, _>>().map_err(|error| refusal(&Error::internal(error)))?;
        Ok(ListToolsResult::with_all_items(shaped))
    }

    async fn call_tool(&self, call: CallToolRequestParams, context: McpContext) -> McpResult<CallToolResponse> {
        let Some(tool) = Tool::all().find(|tool| tool.name() == call.name) else {
            let names: Vec<_> = Tool::all().map(Tool::name).collect();
            let message = format!("there is no tool {:?}; the tools are {}", call.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let place = Self::place(&context, || self.arrive(&call));
        let result = tokio::select! {
            result = Box::pin(self.answer(&call, &context, &place)) => result.map_err(|error| refusal(&error))?,
            () = context.ct.cancelled() => return Err(cancelled()),
            () = self.cancelled_elsewhere(&context.id) => return Err(cancelled()),
        };
        let changes_skills =
            matches!(tool.operation(), Operation::LoadSkill | Operation::UnloadSkill | Operation::CreateSkill);
        let is_done = matches!(&result, CallToolResponse::Complete(done) if done.is_error != Some(true));
        if changes_skills && is_done {
            self.changes.send(&context).await;
        }
        Ok(result)
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.changes.filter()
    }

    async fn listen(&self, stream: SubscriptionContext) -> McpResult<()> {
        self.changes.listen(&stream).await;
        Ok(())
    }

    async fn list_prompts(&self, page: Page, _: McpContext) -> McpResult<ListPromptsResult> {
        prompts::list(&self.backend, cursor(page.as_ref())).await
    }

    async fn get_prompt(&self, wanted: GetPromptRequestParams, context: McpContext) -> McpResult<GetPromptResponse> {
        let place = Self::place(&context, || self.queue.arrive_load(&self.backend));
        let prompt =
            Box::pin(self.prompt(&wanted, &context, &place)).await.map_err(|error| prompts::refused(&error))?;
        if matches!(prompt, GetPromptResponse::Complete(_)) {
            self.changes.send(&context).await;
        }
        Ok(prompt)
    }

    async fn complete(&self, wanted: CompleteRequestParams, _: McpContext) -> McpResult<CompleteResult> {
        completion::complete(&self.backend, wanted).await
    }

    async fn list_resource_templates(&self, page: Page, _: McpContext) -> McpResult<ListResourceTemplatesResult> {
        only_page(page.as_ref())?;
        Ok(ListResourceTemplatesResult::with_all_items(vec![completion::template()]))
    }

    async fn list_resources(&self, page: Page, _: McpContext) -> McpResult<ListResourcesResult> {
        skills::list_resources(&self.backend, cursor(page.as_ref())).await
    }

    async fn read_resource(&self, wanted: ReadResourceRequestParams, _: McpContext) -> McpResult<ReadResourceResponse> {
        skills::read(&self.backend, &wanted.uri).await.map(Into::into)
    }

    async fn list_skills(&self, page: Page, _: McpContext) -> McpResult<ListSkillsResult> {
        skills::list(&self.backend, cursor(page.as_ref())).await
    }

    async fn get_skill(&self, wanted: GetSkillRequestParams, _: McpContext) -> McpResult<GetSkillResult> {
        skills::get(&self.backend, &wanted.uri).await
    }

    async fn read_resource_directory(
        &self,
        wanted: ReadResourceDirectoryRequestParams,
        _: McpContext,
    ) -> McpResult<ReadResourceDirectoryResult> {
        skills::directory(&self.backend, &wanted.uri, page_after(wanted.cursor.as_deref())).await
    }

    /// Answers a request outside the protocol. A request of a served method arrives here if its parameters are wrong.
    async fn on_custom_request(&self, request: CustomRequest, _: McpContext) -> McpResult<CustomResult> {
        Err(unlike_the_protocol(&request.method))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of files, and only shown")]
fn as_number(count: usize) -> f64 {
    count as f64
}

/// Checks that the host asks for the first page, because the listing has no other.
fn only_page(page: Option<&PaginatedRequestParams>) -> McpResult<()> {
    cursor(page).map_or(Ok(()), |_| Err(no_such_cursor()))
}

fn cursor(page: Option<&PaginatedRequestParams>) -> Option<&str> {
    page_after(page?.cursor.as_deref())
}

/// The cursor, if it is not empty: some hosts ask for the first page with an empty one.
fn page_after(cursor: Option<&str>) -> Option<&str> {
    cursor.filter(|cursor| !cursor.is_empty())
}

fn cancelled() -> ErrorData {
    ErrorData::internal_error("the host cancelled the call", None)
}
