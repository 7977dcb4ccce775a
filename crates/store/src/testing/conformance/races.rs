//! Behaviours under many concurrent requests.

use bytes::Bytes;
use futures_util::future::join_all;

use super::room::Room;
use crate::{GetOptions, Metadata, PutCondition, PutOptions, StoreError};

const WRITERS: usize = 32;
const INCREMENTS: u32 = 5;

/// The results of many tasks that run `task` at once.
async fn at_once<T: Send + 'static, F: Future<Output = T> + Send + 'static>(task: impl Fn(usize) -> F) -> Vec<T> {
    let tasks: Vec<_> = (0..WRITERS).map(|number| tokio::spawn(task(number))).collect();
    join_all(tasks).await.into_iter().map(Result::unwrap).collect()
}

pub(super) async fn one_of_many_creators_wins(room: Room) {
    let created = at_once(|number| {
        let room = room.clone();
        async move { room.creates("folder/a", &format!("writer {number}")).await }
    })
    .await;
    let winners: Vec<_> = created.iter().enumerate().filter(|(_, won)| **won).map(|(number, _)| number).collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    assert_eq!(room.text("folder/a").await.unwrap(), format!("writer {}", winners[0]));
}

pub(super) async fn no_increment_is_lost(room: Room) {
    no_increment_of_two_handles_is_lost([room.clone(), room]).await;
}

pub(super) async fn no_increment_of_two_handles_is_lost(handles: [Room; 2]) {
    let [room, _] = &handles;
    room.put("counter", "0").await;
    at_once(|number| {
        let room = handles[number % 2].clone();
        async move {
            for _ in 0..INCREMENTS {
                while !increment(&room).await {}
            }
        }
    })
    .await;
    let total = u32::try_from(WRITERS).unwrap() * INCREMENTS;
    assert_eq!(room.text("counter").await.unwrap(), total.to_string());
}

async fn increment(room: &Room) -> bool {
    let object = room.get("counter", GetOptions::default()).await.unwrap();
    let count: u32 = std::str::from_utf8(&object.bytes).unwrap().parse().unwrap();
    match room.put_if("counter", &(count + 1).to_string(), PutCondition::IfMatch(object.meta.etag)).await {
        Ok(_) => true,
        Err(StoreError::PreconditionFailed | StoreError::Busy) => false,
        Err(error) => panic!("{error:?}"),
    }
}

pub(super) async fn a_reader_sees_old_or_new(room: Room) {
    put_lines(&room, 0).await;
    let writer = async {
        for number in 1..=40 {
            put_lines(&room, number).await;
        }
    };
    let readers = join_all((0..4).map(|_| async {
        let mut newest = 0;
        while newest < 40 {
            let object = room.get("a", GetOptions::default()).await.unwrap();
            let text = std::str::from_utf8(&object.bytes).unwrap();
            let number: usize = object.meta.metadata["number"].parse().unwrap();
            assert_eq!(text, lines(number), "the bytes are those of the metadata");
            assert!(number >= newest, "reads do not go back in time");
            newest = number;
        }
    }));
    tokio::join!(writer, readers);
}

fn lines(number: usize) -> String {
    format!("line of version {number}\n").repeat(number * 100)
}

async fn put_lines(room: &Room, number: usize) {
    let metadata = Metadata::from([("number".to_owned(), number.to_string())]);
    let options = PutOptions { metadata, ..PutOptions::default() };
    room.store.put(&room.key("a"), Bytes::from(lines(number)), options).await.unwrap();
}
