//! One sequence on one store: each step is done by the service and by the model, and they are compared.

use super::{
    reference::{Answer, Model, key},
    step::Step,
};
use crate::support::world::{BackendExt, World, grep};
use bytes::Bytes;
use skillmount::{
    Code, Error, Result,
    handle::SessionBackend,
    path::KeyPrefix,
    store::{DeleteOptions, SharedStore},
    wire::{
        BackendProtocol, EditRequest, GlobRequest, GrepRequest, LoadSkillRequest, UnloadSkillRequest, UploadFile,
        WriteRequest,
    },
};

pub(super) async fn play(store: SharedStore, steps: Vec<Step>) {
    let mut world = World::over(store);
    let mut model = Model::default();
    for (number, step) in steps.into_iter().enumerate() {
        let shown = format!("step {number}: {step:?}");
        if let Step::Restart = step {
            world = world.replica();
        } else if let Some((key, bytes)) = put_by_others(&step, number) {
            world.put(&key, bytes.clone()).await;
            model.put(key, bytes);
        } else if let Some(key) = dropped_by_others(&step) {
            let dropped = KeyPrefix::all().key(&key).unwrap();
            world.bucket.delete(&dropped, DeleteOptions::default()).await.unwrap();
            model.drop_key(&key);
        } else {
            compare(&world.agent(), &mut model, step, &shown).await;
        }
    }
    compare_buckets(&world, &model).await;
}

/// The object another client puts. No two of them are alike, so that a change is a change on every store.
fn put_by_others(step: &Step, number: usize) -> Option<(String, Vec<u8>)> {
    match step {
        Step::PutFile(path, bytes) => {
            let mark = format!("b{number}\n").into_bytes();
            Some((key(path).unwrap(), [mark, bytes.clone()].concat()))
        }
        Step::PutSkillFile(skill, file) => {
            let name = skill.rsplit('/').next().unwrap();
            let text = match *file {
                "SKILL.md" => format!("---\nname: {name}\ndescription: Does a.\n---\nbody {number}\n"),
                _ => format!("a\nbody ñ {number}\n"),
            };
            Some((format!("demo/skills/{skill}/{file}"), text.into_bytes()))
        }
        _ => None,
    }
}

fn dropped_by_others(step: &Step) -> Option<String> {
    match step {
        Step::DropFile(path) => key(path),
        Step::DropSkillFile(skill, file) => Some(format!("demo/skills/{skill}/{file}")),
        _ => None,
    }
}

/// Does `step` twice. Where old bytes of a loaded skill may be gone, `skill_changed` is right too; new bytes never are.
async fn compare(agent: &SessionBackend, model: &mut Model, step: Step, shown: &str) {
    let stale = |path: &str, seen: &Answer| *seen == Err(Code::SkillChanged) && model.is_stale(path);
    match step {
        Step::Read { path, offset, limit } => {
            let seen = answer(agent.lines(&path, offset, limit).await, |read| {
                assert_eq!(read.lossy, read.content.contains('\u{fffd}'), "{shown}");
                format!("{:?} {:?} {:?}", read.content, read.start_line, read.end_line)
            });
            assert!(stale(&path, &seen) || seen == model.read(&path, offset, limit), "{shown}: {seen:?}, {model:#?}");
        }
        Step::Grep { pattern, literal, path, most } => {
            let request = GrepRequest { literal, max_count: most, ..grep(pattern, path.as_deref()) };
            let seen = answer(agent.grep(request).await, |found| {
                let hits = found.matches.unwrap();
                let hits = hits.iter().map(|hit| format!("{}:{}:{:?}\n", hit.path, hit.line, hit.text));
                format!("{}cut: {}", hits.collect::<String>(), found.truncated)
            });
            let root = path.as_deref().unwrap_or("/");
            let expected = model.grep(pattern, literal, path.as_deref(), most);
            assert!(stale(root, &seen) || seen == expected, "{shown}: {seen:?}, {expected:?}");
        }
        Step::Download(paths) => {
            let seen = agent.download(paths.to_vec()).await.unwrap();
            for (path, seen) in paths.iter().zip(seen) {
                let seen = answer(seen.result, |bytes| format!("{:?}", bytes.to_vec()));
                assert!(stale(path, &seen) || seen == model.download(path), "{shown}: {seen:?}, {model:#?}");
            }
        }
        Step::Upload(files) => {
            let upload = files.clone().map(|(path, bytes)| UploadFile { path, bytes: bytes.into() });
            let seen = agent.upload(upload.to_vec()).await.unwrap();
            for ((path, bytes), seen) in files.iter().zip(seen) {
                let seen = answer(seen.result, |_| format!("{path} {} false", bytes.len()));
                assert_eq!(seen, model.write(path, bytes, true), "{shown}");
            }
        }
        step => {
            let (seen, expected) = do_plainly(agent, model, step).await;
            assert_eq!(seen, expected, "{shown}: {model:#?}");
        }
    }
}

/// The operations whose answer is the model's whatever became of old bytes.
async fn do_plainly(agent: &SessionBackend, model: &mut Model, step: Step) -> (Answer, Answer) {
    match step {
        Step::Ls(path) => {
            let seen = answer(agent.entries(&path).await, |entries| {
                let line = |slash, entry: &skillmount::wire::Entry| format!("{}{slash} {}\n", entry.path, entry.size);
                entries.iter().map(|entry| line(if entry.is_dir { "/" } else { "" }, entry)).collect()
            });
            (seen, model.ls(&path))
        }
        Step::Glob { pattern, path } => {
            let expected = model.glob(pattern, path.as_deref());
            let seen = answer(agent.glob(GlobRequest { pattern: pattern.into(), path }).await, |found| {
                let lines = found.matches.iter().map(|found| format!("{} {}\n", found.path, found.size));
                lines.collect::<Vec<_>>().concat()
            });
            (seen, expected)
        }
        Step::Write { path, content, overwrite } => {
            let expected = model.write(&path, content.as_bytes(), overwrite);
            let written = agent.write(WriteRequest { file_path: path, content, overwrite }).await;
            (answer(written, |file| format!("{} {} {}", file.path, file.bytes, file.created)), expected)
        }
        Step::Edit { path, old, new, all } => {
            let expected = model.edit(&path, old, new, all);
            let edited = agent.edit(EditRequest { replace_all: all, ..EditRequest::new(path, old, new) }).await;
            (answer(edited, |file| format!("{} {}", file.path, file.occurrences)), expected)
        }
        Step::Delete(path) => {
            let expected = model.delete(&path);
            (answer(agent.remove(&path).await, |deleted| format!("{path} {deleted}")), expected)
        }
        Step::Load { skill, mount_as } => {
            let request = LoadSkillRequest { mount_as: mount_as.map(str::to_owned), ..LoadSkillRequest::new(skill) };
            let seen = answer(agent.load_skill(request).await, |loaded| {
                let names: Vec<_> = loaded.files.iter().map(|file| &file.path).collect();
                format!(
                    "{:?} {} {} {names:?} {:?}",
                    loaded.status,
                    loaded.skill,
                    loaded.mount,
                    loaded.body.unwrap_or_default()
                )
            });
            (seen, model.load(skill, mount_as))
        }
        Step::Unload(skill) => {
            let unloaded = agent.unload_skill(UnloadSkillRequest { skill: skill.into() }).await;
            (answer(unloaded, |reply| format!("{:?} {}", reply.status, reply.skill)), Ok(model.unload(skill)))
        }
        other => panic!("{other:?} is not an operation"),
    }
}

fn answer<T>(result: Result<T>, show: impl FnOnce(T) -> String) -> Answer {
    result.map(show).map_err(|error: Error| error.code())
}

/// What lies in the bucket, but for the service's own objects, is what the model says.
async fn compare_buckets(world: &World, model: &Model) {
    let mut keys = world.keys().await;
    keys.retain(|key| !key.contains("/.skillmount/"));
    assert_eq!(keys, model.objects().keys().cloned().collect::<Vec<_>>());
    for (key, bytes) in model.objects() {
        assert_eq!(world.bytes(key).await.map(Bytes::from).as_deref(), Some(bytes.as_slice()), "{key}");
    }
}
