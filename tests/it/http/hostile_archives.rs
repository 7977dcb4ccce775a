//! Archives that are made to do harm: each is refused whole, by name, and nothing of it is in the bucket.

use std::io::{Cursor, Write as _};

use skillmount::{
    path::KeyPrefix,
    store::{StoreExt as _, Verb},
};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{Answer, Server};

const MAIN: &str = "---\nname: demo\ndescription: Shows how.\n---\nBody\n";
/// Entries of the archive that is all entries.
const MILLION: u64 = 1_000_000;
/// The longest comment of an archive.
const COMMENT: usize = 0xffff;

fn zipped(make: impl FnOnce(&mut ZipWriter<Cursor<Vec<u8>>>)) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("SKILL.md", SimpleFileOptions::default()).unwrap();
    zip.write_all(MAIN.as_bytes()).unwrap();
    make(&mut zip);
    zip.finish().unwrap().into_inner()
}

/// A skill with these files more.
fn with_files(names: &[&str]) -> Vec<u8> {
    zipped(|zip| {
        for name in names {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(b"x").unwrap();
        }
    })
}

/// A skill with two files of one name: the packer writes none twice, so one of two is made the other's.
fn with_one_name_twice() -> Vec<u8> {
    let mut zip = with_files(&["note1.md", "note2.md"]);
    let name = b"note2.md";
    while let Some(at) = zip.windows(name.len()).position(|bytes| bytes == name) {
        zip[at + 4] = b'1';
    }
    zip
}

fn without_main() -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("readme.md", SimpleFileOptions::default()).unwrap();
    zip.write_all(b"x").unwrap();
    zip.finish().unwrap().into_inner()
}

/// How the end of an archive counts its entries.
#[derive(Clone, Copy, Debug)]
enum End {
    /// In the form for many entries, as the format has it.
    Large,
    /// The same, with another number in the old form, and so far from the end of the file as a comment can move it.
    LargeBehindAComment,
    /// In the old form, which has two bytes for the number, behind a comment and bytes that belong to nothing.
    SmallBehindMore,
}

/// The end of an archive whose directory of `entries` begins at `begin` and has `size` bytes.
fn end(kind: End, entries: u64, begin: u64, size: u64) -> Vec<u8> {
    let (two, four) =
        (|number: u64| number.to_le_bytes()[..2].to_vec(), |number: u64| number.to_le_bytes()[..4].to_vec());
    let large = [
        b"PK\x06\x06".to_vec(),
        44_u64.to_le_bytes().to_vec(),
        vec![45, 0, 45, 0],
        vec![0; 8],
        entries.to_le_bytes().to_vec(),
        entries.to_le_bytes().to_vec(),
        size.to_le_bytes().to_vec(),
        begin.to_le_bytes().to_vec(),
        b"PK\x06\x07\0\0\0\0".to_vec(),
        (begin + size).to_le_bytes().to_vec(),
        vec![1, 0, 0, 0],
    ];
    let (large, count, comment, more) = match kind {
        End::Large => (large.concat(), 0xffff, 0, 0),
        End::LargeBehindAComment => (large.concat(), 1, COMMENT, 0),
        End::SmallBehindMore => (Vec::new(), entries.min(0xffff), COMMENT, 8),
    };
    let place = if large.is_empty() { begin } else { u64::from(u32::MAX) };
    let small = [two(count), two(count), four(size), four(place), two(comment as u64)].concat();
    [large, b"PK\x05\x06\0\0\0\0".to_vec(), small, vec![b' '; comment + more]].concat()
}

/// An archive of so many entries, all of the same bytes, with names of their own.
fn of_entries(kind: End, entries: u64) -> Vec<u8> {
    let mut archive = b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0".to_vec();
    archive.extend([0; 12]);
    archive.extend([6, 0, 0, 0]);
    archive.extend(b"000000");
    let begin = archive.len() as u64;
    let mut header = b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\0\0".to_vec();
    header.extend([0; 12]);
    header.extend([6, 0]);
    header.extend([0; 16]);
    for entry in 0..entries {
        archive.extend(&header);
        archive.extend(format!("{entry:06}").bytes());
    }
    let size = archive.len() as u64 - begin;
    archive.extend(end(kind, entries, begin, size));
    archive
}

async fn put(server: &Server, skill: &str, zip: Vec<u8>) -> Answer {
    let put = server.client.put(server.user(&format!("/skills/{skill}"))).header("content-type", "application/zip");
    Answer::of(put.body(zip).send().await.unwrap()).await
}

/// Every object with its version, but for what is made from others.
async fn objects(server: &Server) -> Vec<(String, String)> {
    let (entries, _) = server.memory.list_all(&KeyPrefix::all(), 1000).await.unwrap();
    let kept = entries.into_iter().filter(|entry| !entry.key.ends_with("/catalog.json"));
    kept.map(|entry| (entry.key, entry.etag.as_str().to_owned())).collect()
}

/// That each archive is refused with this finding, for a skill that is there and for one that is not, and that nothing of it
/// is stored.
async fn are_refused(archives: Vec<(&str, Vec<u8>, &str)>) {
    let server = Server::start().await;
    put(&server, "a/demo", with_files(&[])).await.is(201);
    let before = objects(&server).await;
    assert_eq!(before.len(), 3, "a file, a head and a version: {before:?}");
    for (what, archive, code) in archives {
        for skill in ["a/demo", "b/demo"] {
            let written = server.faulty.seen(Verb::Put);
            let answer = put(&server, skill, archive.clone()).await;
            answer.is_problem(400, "invalid_skill");
            assert_eq!(answer.json["findings"][0]["code"], code, "{what}: {}", answer.json);
            assert_eq!(objects(&server).await, before, "{what}");
            assert_eq!(server.faulty.seen(Verb::Put), written, "{what}: nothing was even tried");
        }
    }
    let memory = server.service.memory();
    assert!(memory.peak() <= memory.capacity() && memory.reserved() == 0);
}

// S-PUBLISH-2: The service checks a whole skill before it stores anything: paths, size, secrets, and the errors of
// lint.
#[tokio::test]
async fn each_archive_that_is_made_to_do_harm_is_refused_whole_and_nothing_is_stored() {
    let many: Vec<String> = (0..10_000).map(|number| format!("{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let link = zipped(|zip| zip.add_symlink("notes.md", "/etc/passwd", SimpleFileOptions::default()).unwrap());
    let grows = zipped(|zip| {
        zip.start_file("zeros", SimpleFileOptions::default()).unwrap();
        zip.write_all(&vec![0; 16 << 20]).unwrap();
    });
    assert!(grows.len() * 900 < 16 << 20, "it grows to about a thousand times its size: {}", grows.len());
    are_refused(vec![
        ("a link", link, "not_a_file"),
        ("10,001 files", with_files(&many), "too_many_files"),
        ("a ratio of a thousand", grows, "archive_invalid"),
        ("one name twice", with_one_name_twice(), "archive_invalid"),
        ("twins", with_files(&["notes.md", "Notes.md"]), "path_twins"),
        ("twins of folders", with_files(&["notes/a.md", "Notes/b.md"]), "path_twins"),
        ("an absolute name", with_files(&["/etc/passwd"]), "path_invalid"),
        ("an absolute name of another system", with_files(&["C:\\notes.md"]), "path_invalid"),
        ("a way out", with_files(&["../x"]), "path_invalid"),
        ("a way out further down", with_files(&["a/../../x"]), "path_invalid"),
        ("a file that a tool would act on", with_files(&[".git/hooks/post-checkout"]), "path_invalid"),
        ("no SKILL.md", without_main(), "skill_file_missing"),
    ])
    .await;
}

// S-PUBLISH-16: The service refuses an archive that unpacks to over 1 MiB and to over 200 times its size.
#[tokio::test]
async fn how_far_an_archive_grows_counts_from_a_megabyte_on() {
    let growing = |unpacked: usize| {
        let zip = zipped(|zip| {
            zip.start_file("zeros", SimpleFileOptions::default()).unwrap();
            zip.write_all(&vec![0; unpacked - MAIN.len()]).unwrap();
        });
        assert!(zip.len() * 300 < unpacked, "it grows to hundreds of times its size: {}", zip.len());
        zip
    };
    let server = Server::start().await;
    put(&server, "a/demo", growing(1 << 20)).await.is(201);
    are_refused(vec![("a byte more", growing((1 << 20) + 1), "archive_invalid")]).await;
}

// S-PUBLISH-2: The service checks a whole skill before it stores anything: paths, size, secrets, and the errors of
// lint.
#[tokio::test]
async fn an_archive_of_a_million_entries_is_refused_by_its_end_wherever_that_stands() {
    let of_end = |kind| {
        // Nothing but the end, which speaks of a directory that is not there: whoever looked at an entry would say so.
        let nothing = [vec![0; 64], end(kind, MILLION, 0, 64)].concat();
        [
            ("a million entries", of_entries(kind, MILLION), "archive_invalid"),
            ("none of them", nothing, "archive_invalid"),
        ]
    };
    for kind in [End::Large, End::LargeBehindAComment, End::SmallBehindMore] {
        let server = Server::start().await;
        for (what, archive, _) in of_end(kind) {
            let answer = put(&server, "a/demo", archive).await;
            let said = answer.is_problem(400, "invalid_skill").json["detail"].as_str().unwrap();
            assert!(said.contains("20000"), "{kind:?} {what}: it is counted before it is read: {said}");
        }
    }
    are_refused(of_end(End::LargeBehindAComment).into()).await;
}
