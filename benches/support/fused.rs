//! Search by words and by meaning, with a real encoder.
//!
//! The encoder lies in the folder `SKILLMOUNT_BENCH_ENCODER`, or where `make bench-search` puts one. Thousands of vectors take
//! some minutes, so they stay in `target/bench-search` for the next run, in a store like any other.

use skillmount::{catalog::search::SearchHit, path::SkillPath};

#[cfg(feature = "encoder")]
pub(crate) use self::with_encoder::Fused;
#[cfg(not(feature = "encoder"))]
pub(crate) use self::without_encoder::Fused;

#[cfg(not(feature = "encoder"))]
mod without_encoder {
    use super::{SearchHit, SkillPath};

    pub(crate) enum Fused {}

    impl Fused {
        pub(crate) fn open(_: &[(SkillPath, String)]) -> Option<Self> {
            println!("SKIPPED: search by meaning: it needs `--features encoder`");
            None
        }

        pub(crate) fn search(&self, _: &str, _: usize) -> Vec<SearchHit> {
            match *self {}
        }
    }
}

#[cfg(feature = "encoder")]
mod with_encoder {
    use std::{
        env, fs,
        path::{Path, PathBuf},
        sync::Arc,
        time::Duration,
    };

    use skillmount::{
        budget::Workers,
        catalog::{Catalogs, Searchable},
        clock::SystemClock,
        encoder::LocalEncoder,
        path::{Id, Namespace},
        store::DirectoryStore,
    };
    use tokio::runtime::Runtime;

    use super::{SearchHit, SkillPath};

    /// A catalog whose skills have vectors.
    pub(crate) struct Fused {
        runtime: Runtime,
        catalogs: Catalogs,
        searchable: Searchable,
    }

    impl Fused {
        /// Makes the vectors of these skills, or reads those of the last run.
        pub(crate) fn open(skills: &[(SkillPath, String)]) -> Option<Self> {
            let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
            let model = env::var_os("SKILLMOUNT_BENCH_ENCODER")
                .map_or_else(|| target.join("encoder/skillmount-encoders/bench"), PathBuf::from);
            let encoder = match LocalEncoder::open(&model) {
                Ok(encoder) => encoder,
                Err(why) => {
                    println!("SKIPPED: search by meaning: {}: set SKILLMOUNT_BENCH_ENCODER", why.chain());
                    return None;
                }
            };
            let folder = target.join("bench-search");
            for (skill, text) in skills {
                let file = folder.join("u/skills").join(skill.as_str()).join("SKILL.md");
                if fs::read_to_string(&file).ok().as_ref() != Some(text) {
                    fs::create_dir_all(file.parent().unwrap()).unwrap();
                    fs::write(&file, text).unwrap();
                }
            }
            let runtime = Runtime::new().unwrap();
            let (catalogs, searchable) = runtime.block_on(async {
                let clock = Arc::new(SystemClock::new());
                let store = Arc::new(DirectoryStore::open(&folder, clock.clone()).unwrap());
                let catalogs = Catalogs::new(store, Namespace::parse("").unwrap(), clock, Workers::new(2))
                    .with_index()
                    .with_encoder(Arc::new(encoder), true);
                let user = Id::parse("u").unwrap();
                catalogs.refresh(&user).await.unwrap();
                loop {
                    let searchable = catalogs.searchable(&user).await.unwrap();
                    if searchable.meaning.is_some() {
                        return (catalogs, searchable);
                    }
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
            });
            Some(Self { runtime, catalogs, searchable })
        }

        pub(crate) fn search(&self, text: &str, most: usize) -> Vec<SearchHit> {
            let parts = self.searchable.index.telling_parts(text).expect("it is short");
            let nearness = self.runtime.block_on(self.catalogs.nearness(&self.searchable, &parts));
            assert!(nearness.is_some(), "the encoder has no vector for {text:?}");
            self.searchable.index.search_near(text, nearness.as_ref(), |_| true, most).expect("it is short").hits
        }
    }
}
