//! The library on any store: memory, a folder, a bucket. `docs/book/how-to/rust-library.md` shows it.
//!
//! ```text
//! cargo run --example first_session -- memory:
//! cargo run --example first_session -- file:agents
//! cargo run --example first_session -- s3://bucket/agents
//! ```

#![expect(clippy::print_stdout, reason = "it is what the program is for")]

use std::{env, sync::Arc};

use skillmount::{
    clock::SystemClock,
    handle::{OpenStore, ServiceOptions},
    path::Id,
    store::{S3Options, StoreAddress},
    wire::{BackendProtocol, ReadRequest, WriteRequest},
};

#[tokio::main]
async fn main() -> skillmount::Result<()> {
    let address = env::args().nth(1).unwrap_or_else(|| "memory:".to_owned());
    let address = StoreAddress::parse(&address)?;
    let store = OpenStore::open(address, S3Options::default(), Arc::new(SystemClock::new())).await?;
    // A store that does not honour conditional writes is only read, because concurrent edits would be lost.
    let access = store.write_access().await?;
    let service = store.service(ServiceOptions { access, ..ServiceOptions::default() });
    let agent = service.session(Id::parse("anna")?, Id::parse("chat-7")?);
    let plan = WriteRequest { overwrite: true, ..WriteRequest::new("/workspace/plan.md", "Ask Otto.\n") };
    agent.write(plan).await?;
    let plan = agent.read(ReadRequest::new("/workspace/plan.md")).await?;
    print!("{}", plan.content);
    Ok(())
}
