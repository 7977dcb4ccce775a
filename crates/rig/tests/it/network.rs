//! Services that are slow, busy or away.

use std::time::Duration;

use rig_agent::AgentBuilder;
use rig_core::test_utils::MockCompletionModel;
use serde_json::{Value, json};
use skillmount_rig::SkillSession;
use tokio::{
    net::TcpListener,
    time::{Instant, sleep, timeout},
};

use self::log::{LeavesAfter, Log};
use crate::{
    between::{Between, Trouble},
    service::{Program, remote},
    turns::{Results, TURNS, model, system},
};

const SHORT: Duration = Duration::from_millis(1500);

fn session(between: &Between) -> SkillSession {
    SkillSession::remote(remote(&between.url, "anna", "s1", None))
}

fn write(name: &str) -> (&'static str, Value) {
    ("write", json!({ "file_path": format!("/workspace/{name}.md"), "content": name }))
}

fn ls() -> (&'static str, Value) {
    ("ls", json!({ "path": "/workspace" }))
}

#[tokio::test]
async fn a_service_that_does_not_answer_costs_the_limit_and_the_run_goes_on() {
    let program = Program::start(&[]);
    let between = Between::start(&program.url).await;
    between.trouble("tool_calls", Trouble::Silence, 1);
    let agent = session(&between).request_timeout(SHORT).agent(AgentBuilder::new(model([ls(), ls()]))).unwrap();
    let results = Results::default();
    let began = Instant::now();
    // The runtime has one thread, which ticks on while the call waits.
    let ticks = async {
        let mut ticks = 0;
        while began.elapsed() < SHORT {
            sleep(Duration::from_millis(50)).await;
            ticks += 1;
        }
        ticks
    };
    let (reply, ticks) =
        tokio::join!(async { agent.prompt("Look.").max_turns(TURNS).add_hook(results.clone()).await }, ticks);
    assert_eq!(reply.unwrap().output(), "done");
    assert!(began.elapsed() < SHORT * 3 && ticks > 5, "{:?}, {ticks} ticks", began.elapsed());
    let [slow, next] = results.all().try_into().unwrap();
    assert!(slow.1 && slow.2.contains("did not answer within 1.5 s"), "{slow:?}");
    assert!(!next.1, "{next:?}");
}

#[tokio::test]
async fn a_run_that_cannot_read_its_first_prompt_ends_with_the_reason_within_the_limit() {
    let program = Program::start(&[]);
    let between = Between::start(&program.url).await;
    between.trouble("", Trouble::Silence, 2);
    let model = MockCompletionModel::text("done");
    let agent = session(&between).request_timeout(SHORT).agent(AgentBuilder::new(model.clone())).unwrap();
    let error = agent.prompt("Look.").await.unwrap_err();
    assert!(error.to_string().contains("skillmount did not answer within 1.5 s"), "{error}");
    assert_eq!(model.request_count(), 0);
}

#[tokio::test]
async fn dropping_a_run_ends_its_request_and_the_next_call_does_not_wait() {
    let program = Program::start(&[]);
    let between = Between::start(&program.url).await;
    between.trouble("tool_calls", Trouble::Silence, 1);
    let agent = session(&between).agent(AgentBuilder::new(model([ls(), ls()]))).unwrap();
    let calling = async {
        while between.silent_requests() == 0 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = agent.prompt("Look.").max_turns(TURNS).run() => panic!("the call has no answer"),
        () = calling => {}
    }
    let ended = async {
        while between.silent_requests() > 0 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(1), ended).await.expect("the request goes on behind the run");
    let began = Instant::now();
    let results = Results::default();
    agent.prompt("Look again.").max_turns(TURNS).add_hook(results.clone()).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    assert!(!results.all()[0].1, "{:?}", results.all());
}

#[tokio::test]
async fn a_call_without_effect_is_repeated_and_a_write_in_doubt_is_not() {
    let program = Program::start(&[]);
    for status in [429, 502, 503, 504] {
        let between = Between::start(&program.url).await;
        between.trouble("tool_calls", Trouble::StatusAfter(status), 1);
        let agent = session(&between).agent(AgentBuilder::new(model([ls()]))).unwrap();
        let results = Results::default();
        agent.prompt("Look.").max_turns(TURNS).add_hook(results.clone()).await.unwrap();
        assert!(!results.all()[0].1, "{status}: {:?}", results.all());
        assert_eq!(between.count("tool_calls"), 2, "{status}");
    }
    for status in [502, 503, 504] {
        let between = Between::start(&program.url).await;
        between.trouble("tool_calls", Trouble::StatusAfter(status), 1);
        let agent = session(&between).agent(AgentBuilder::new(model([write("doubt")]))).unwrap();
        let results = Results::default();
        agent.prompt("Write.").max_turns(TURNS).add_hook(results.clone()).await.unwrap();
        assert!(results.all()[0].1, "{status}: {:?}", results.all());
        assert_eq!(between.count("tool_calls"), 1, "{status}");
    }
}

/// A proxy that says so has not passed it on.
#[tokio::test]
async fn a_write_that_came_too_fast_is_repeated() {
    let program = Program::start(&[]);
    let between = Between::start(&program.url).await;
    between.trouble("tool_calls", Trouble::Status(429), 1);
    let agent = session(&between).agent(AgentBuilder::new(model([write("fast")]))).unwrap();
    let results = Results::default();
    agent.prompt("Write.").max_turns(TURNS).add_hook(results.clone()).await.unwrap();
    assert!(!results.all()[0].1, "{:?}", results.all());
    assert_eq!(between.count("tool_calls"), 2);
}

#[tokio::test]
async fn a_call_that_was_refused_is_made_once() {
    let program = Program::start(&[]);
    program.policy("anna", &json!({ "tools": { "*": "auto", "ls": "blocked" } })).await;
    let between = Between::start(&program.url).await;
    let agent = session(&between).agent(AgentBuilder::new(model([ls()]))).unwrap();
    let results = Results::default();
    agent.prompt("Look.").max_turns(TURNS).add_hook(results.clone()).await.unwrap();
    assert!(results.all()[0].1 && results.all()[0].2.contains("blocked by policy"), "{:?}", results.all());
    assert_eq!(between.count("tool_calls"), 1);
}

#[tokio::test]
async fn a_write_whose_connection_was_refused_is_repeated() {
    let program = Program::start(&[]);
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = free.local_addr().unwrap();
    let session = SkillSession::remote(remote(&format!("http://{address}"), "anna", "s1", None));
    drop(free);
    let agent = session.agent(AgentBuilder::new(model([write("late")]))).unwrap();
    let results = Results::default();
    let run = async { agent.prompt("Write.").max_turns(TURNS).add_hook(results.clone()).await };
    let begin = async {
        sleep(Duration::from_millis(100)).await;
        Between::start_at(&program.url, address).await
    };
    let (reply, between) = tokio::join!(run, begin);
    assert_eq!(reply.unwrap().output(), "done");
    assert!(!results.all()[0].1, "{:?}", results.all());
    assert_eq!(between.count("tool_calls"), 1);
}

#[tokio::test]
async fn the_last_prompt_stays_while_the_service_is_away() {
    let program = Program::start(&[]);
    let between = Between::start(&program.url).await;
    let model = model([("load_skill", json!({ "skill": "law/lease-anna" })), ls(), ls(), ls()]);
    let agent = session(&between).request_timeout(SHORT).agent(AgentBuilder::new(model.clone())).unwrap();
    let results = Results::default();
    let leaves = LeavesAfter { turn: 2, between: between.clone() };
    let log = Log::default();
    let guard = log.capture();
    let reply = agent.prompt("Draft.").max_turns(TURNS).add_hook(results.clone()).add_hook(leaves).await.unwrap();
    drop(guard);

    assert_eq!(reply.output(), "done");
    let failed: Vec<_> = results.all().into_iter().map(|(_, failed, _)| failed).collect();
    assert_eq!(failed, [false, true, true, true]);
    assert!(results.texts()[1].starts_with("Error: "), "{:?}", results.texts());
    for request in &model.requests()[1..] {
        assert!(system(request).contains("Begin the lease of anna"), "{}", system(request));
    }
    assert_eq!(log.text().matches("the last prompt stays").count(), 1, "{}", log.text());
}

mod log {
    //! What the library logs, and the end of the service in the middle of a run.

    use std::{
        io::Write,
        sync::{Arc, Mutex},
    };

    use rig_agent::{
        AgentHook, HookContext,
        agent::{OutcomeAction, OutcomeEvent},
    };
    use tracing::subscriber::DefaultGuard;

    use crate::between::Between;

    #[derive(Clone, Default)]
    pub(super) struct Log(Arc<Mutex<Vec<u8>>>);

    impl Log {
        pub(super) fn capture(&self) -> DefaultGuard {
            let log = self.clone();
            let subscriber = tracing_subscriber::fmt().with_writer(move || log.clone()).finish();
            tracing::subscriber::set_default(subscriber)
        }

        pub(super) fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// The service goes away once the model has answered in `turn`.
    pub(super) struct LeavesAfter {
        pub(super) turn: usize,
        pub(super) between: Between,
    }

    impl AgentHook for LeavesAfter {
        async fn on_outcome(&self, context: &HookContext, event: OutcomeEvent<'_>) -> OutcomeAction {
            if event.completion().is_some() && context.turn() == self.turn {
                self.between.go_away();
            }
            OutcomeAction::proceed()
        }
    }
}
