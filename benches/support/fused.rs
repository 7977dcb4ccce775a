//! Search by words and by meaning, with real encoders.
//!
//! The one of this machine lies in the folder `SKILLMOUNT_BENCH_ENCODER`, or where `make bench-search` puts one. Another, of many
//! languages, is a server: `SKILLMOUNT_BENCH_MULTILINGUAL` has its URL and the names of its models for questions and for skills,
//! with spaces between. Thousands of vectors take some minutes, so they stay in `target` for the next run, in stores like any other.

use skillmount::{path::SkillPath, words::SearchHit};

#[cfg(all(feature = "encoder", feature = "client"))]
pub(crate) use self::with_encoder::Fused;
#[cfg(not(all(feature = "encoder", feature = "client")))]
pub(crate) use self::without_encoder::Fused;

#[cfg(not(all(feature = "encoder", feature = "client")))]
mod without_encoder {
    use super::{SearchHit, SkillPath};

    pub(crate) enum Fused {}

    impl Fused {
        pub(crate) fn of_folder(_: &[(SkillPath, String)]) -> Option<Self> {
            println!("SKIPPED: search by meaning: it needs `--features encoder,client`");
            None
        }

        pub(crate) fn of_server(_: &[(SkillPath, String)]) -> Option<Self> {
            None
        }

        pub(crate) fn search(&self, _: &str, _: usize) -> Vec<SearchHit> {
            match *self {}
        }
    }
}

#[cfg(all(feature = "encoder", feature = "client"))]
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
        encoder::{Encoder, LocalEncoder, RemoteEncoder},
        path::{Id, Namespace},
        store::DirectoryStore,
        words::VisibleSkills,
    };
    use tokio::runtime::Runtime;

    use super::{SearchHit, SkillPath};

    fn target() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("target")
    }

    /// A catalog whose skills have vectors.
    pub(crate) struct Fused {
        runtime: Runtime,
        catalogs: Catalogs,
        searchable: Searchable,
    }

    impl Fused {
        /// With the encoder of a folder; `None`, said aloud, if there is none.
        pub(crate) fn of_folder(skills: &[(SkillPath, String)]) -> Option<Self> {
            let model = env::var_os("SKILLMOUNT_BENCH_ENCODER")
                .map_or_else(|| target().join("encoder/skillmount-encoders/bench"), PathBuf::from);
            match LocalEncoder::open(&model) {
                Ok(encoder) => Some(Self::with(Arc::new(encoder), skills, "bench-search")),
                Err(why) => {
                    println!("SKIPPED: search by meaning: {}: set SKILLMOUNT_BENCH_ENCODER", why.chain());
                    None
                }
            }
        }

        /// With the encoder of a server; `None`, said aloud, if none is named.
        pub(crate) fn of_server(skills: &[(SkillPath, String)]) -> Option<Self> {
            let Ok(server) = env::var("SKILLMOUNT_BENCH_MULTILINGUAL") else {
                println!("SKIPPED: an encoder of many languages: set SKILLMOUNT_BENCH_MULTILINGUAL");
                return None;
            };
            let [url, question, skill] =
                server.split(' ').collect::<Vec<_>>().try_into().expect("a URL and two models");
            let encoder = RemoteEncoder::new(url, question, None).unwrap().with_skill_model(skill);
            Some(Self::with(Arc::new(encoder), skills, "bench-search-multilingual"))
        }

        /// Makes the vectors of these skills, or reads those of the last run.
        fn with(encoder: Arc<dyn Encoder>, skills: &[(SkillPath, String)], folder: &str) -> Self {
            let folder = target().join(folder);
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
                    .with_encoder(encoder);
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
            Self { runtime, catalogs, searchable }
        }

        pub(crate) fn search(&self, text: &str, most: usize) -> Vec<SearchHit> {
            let parts = self.searchable.index.telling_parts(text, &VisibleSkills::ALL).expect("it is short");
            let nearness = self.runtime.block_on(self.catalogs.nearness("u", &self.searchable, &parts)).unwrap();
            assert!(nearness.is_some(), "the encoder has no vector for {text:?}");
            self.searchable
                .index
                .search_near(text, nearness.as_ref(), &VisibleSkills::ALL, |_| true, most)
                .expect("it is short")
                .hits
        }
    }
}
