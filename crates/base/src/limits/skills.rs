//! Limits of skills, of the search for skills, and of the texts about skills that models read.

use std::time::Duration;

use jiff::SignedDuration;

use super::MCP_SKILL_BYTES;

// ---- skills
/// The part of a SKILL.md that is read for the catalog. The longest frontmatter of 6,616 public skills ends at byte 3,795.
pub const SKILL_HEAD_BYTES: u64 = 32 << 10;
/// The beginning of a body whose words a catalog keeps, each once, for search.
pub const SKILL_OPENING_BYTES: usize = 4 << 10;
/// The headings of a body that a catalog keeps, for search. Those of 130 public skills take 523 bytes each, 1,878 at most.
pub const SKILL_HEADINGS_BYTES: usize = 2 << 10;
/// Frontmatter: the parser is quadratic in nesting, so input is bounded before it.
pub const FRONTMATTER_BYTES: usize = 16 << 10;
/// Open `[` and `{` in frontmatter.
pub const FRONTMATTER_NESTING: usize = 64;
/// Headings kept of a body.
pub const OUTLINE_HEADINGS: usize = 10_000;
/// Links kept of a body.
pub const OUTLINE_LINKS: usize = 10_000;
/// Text and targets of the headings and links kept of a body.
pub const OUTLINE_TEXT_BYTES: usize = 1 << 20;
/// The part of a body that is parsed at once. The parser briefly takes up to thirty times as much memory.
pub const OUTLINE_WINDOW_BYTES: usize = 512 << 10;
/// A loaded SKILL.md.
pub const SKILL_FILE_BYTES: u64 = 4 << 20;
/// A body with its arguments filled in; placeholders beyond it stay as they are.
pub const RENDERED_BODY_BYTES: usize = 8 << 20;
/// The arguments of one load, which the session remembers as long as the skill is loaded.
pub const ARGUMENT_BYTES: usize = 16 << 10;
/// Parameters a skill may declare.
pub const SKILL_PARAMETERS: usize = 64;
/// How far behind a `{{` its `}}` may be.
pub const PARAMETER_REACH: usize = 128;
/// Characters of a name, by the Agent Skills specification.
pub const SKILL_NAME_CHARS: usize = 64;
/// Characters of a description, by the Agent Skills specification.
pub const SKILL_DESCRIPTION_CHARS: usize = 1024;
/// Characters of a compatibility note, by the Agent Skills specification.
pub const SKILL_COMPATIBILITY_CHARS: usize = 500;
/// Warnings shown about the frontmatter of one skill.
pub const SKILL_FINDINGS: usize = 32;
/// Lines of a body, as the Agent Skills specification advises.
pub const SKILL_BODY_LINES: usize = 500;
/// Tokens of a body, as the Agent Skills specification advises, at four bytes each.
pub const SKILL_BODY_TOKENS: usize = 5000;
/// Files of one skill.
pub const SKILL_FILES: usize = 10_000;
/// Files of a snapshot in the session object. A larger snapshot gets an object of its own.
pub const SNAPSHOT_INLINE_FILES: usize = 512;
/// The memory of a snapshot in the session object. A session with the most loaded skills, each with this much, still fits.
pub const SNAPSHOT_INLINE_BYTES: usize = 192 << 10;
/// Files of a snapshot that is copied into a fork. Larger snapshots are shared as an object of their own. Such an
/// object costs a request to write and one to read, so the usual small skill has none.
pub const SNAPSHOT_COPIED_FILES: usize = 16;
/// A version of a skill as an archive, uploaded or stored.
pub const VERSION_ZIP_BYTES: usize = 64 << 20;
/// All files of a version, unpacked.
pub const VERSION_UNPACKED_BYTES: u64 = 256 << 20;
/// A skill that is published as JSON: as much as one `write` takes. It is parsed whole in memory. Archives and forms have the limits
/// of a version.
pub const PUBLISH_JSON_BYTES: usize = 16 << 20;
/// How many times its size an archive of over a megabyte may grow when it is unpacked. Text reaches a tenth of this.
pub const VERSION_RATIO: u64 = 200;
/// The record of a version, as JSON.
pub const VERSION_RECORD_BYTES: usize = 16 << 10;
/// The head of a skill: 10,000 files with paths of the usual length take three megabytes. That of a new change takes at most half.
pub const HEAD_BYTES: u64 = 16 << 20;
/// Where a version comes from, in the words of who publishes it.
pub const SOURCE_BYTES: usize = 1 << 10;
/// Versions of a skill that have a number.
pub const NUMBERED_VERSIONS: usize = 1000;
/// Skills or versions of a page in the shape of a Skills API, if the caller gives no limit.
pub const SKILLS_API_LISTED: usize = 20;
/// The most skills or versions of such a page.
pub const SKILLS_API_PAGE: usize = 1000;
/// Characters of the display name of a skill in the Skills API of Anthropic.
pub const DISPLAY_NAME_CHARS: usize = 255;
/// How long readers leave a publish to its call before they complete it.
pub const PENDING_PUBLISH: SignedDuration = SignedDuration::from_secs(30);
/// How often a publish or a load begins again because another publish went before it.
pub const PUBLISH_ATTEMPTS: usize = 8;
/// How long a publish, or another change of a skill, may go on behind a client that has left.
pub const PUBLISH_TIMEOUT: Duration = Duration::from_mins(5);
/// How long after the newest write of a head a plain file may come late: twice [`PUBLISH_TIMEOUT`], and a minute for coarse clocks.
pub const LATE_CHANGES: Duration = Duration::from_mins(11);
/// Archives and unpacked files of versions in one process, in KiB. The largest publish needs all of it. One user has half, or a
/// single archive if that is larger.
pub const VERSION_WINDOW_KIB: u64 = 192 << 10;
/// Folders that other tools changed, in one process and in KiB. A publish packs such a folder before replacing it. The largest
/// archive and the largest file fit in. Users share this memory in the same way as that of versions.
pub const FOLDER_WINDOW_KIB: u64 = 128 << 10;
/// The largest archive, in KiB, that counts as small. Small archives have memory of their own beside that of large ones.
pub const SMALL_VERSION_KIB: u64 = 8 << 10;
/// The memory for small archives, in KiB. One user has half.
pub const SMALL_VERSIONS_KIB: u64 = 32 << 10;
/// The part of the memory for caches that unpacked files of archives have. The largest skill whose archive stands in for its
/// files takes two thirds of it.
pub const VERSION_CACHE_BYTES: u64 = 24 << 20;
/// Memory for heads that listings of skills read, and as much again for listings of heads.
pub const HEAD_CACHE_BYTES: u64 = 8 << 20;
/// Characters of a description below which its quality suffers.
pub const QUALITY_DESCRIPTION_CHARS: usize = 40;
/// Characters of a body below which its quality suffers.
pub const QUALITY_BODY_CHARS: usize = 120;
/// A text file whose lines are compared between two versions.
pub const DIFF_FILE_BYTES: u64 = 1 << 20;
/// The lines that differ between two versions.
pub const DIFF_BYTES: usize = 512 << 10;
/// Texts of both versions that one diff compares. The files after them are listed without lines.
pub const DIFF_COMPARED_BYTES: u64 = 8 << 20;
/// A piece of a skill that is sent as an archive.
pub const ARCHIVE_PIECE_BYTES: u64 = 512 << 10;
/// Files of one archive that a search misses for the archive to be fetched in their place.
pub const BUNDLE_FILES: usize = 4;
/// The bytes of all files of a skill whose archive is fetched in their place: as many as hosts over MCP take.
pub const BUNDLE_BYTES: u64 = MCP_SKILL_BYTES;
/// The bytes by which such an archive may exceed its files: names, twice, and data that does not compress.
pub const BUNDLE_NAMES_BYTES: u64 = 1 << 20;
/// The least limit of such an archive, however few bytes the files have. 10,000 names of 100 bytes take less. If longer names
/// make the archive larger, the files are read file by file.
pub const BUNDLE_LEAST_BYTES: u64 = 4 << 20;
/// The bytes of all files of a skill whose archive is fetched for the first of them that is read by itself. Of a larger skill it
/// is fetched for the second: who reads one file of sixteen megabytes waits for no sixteen megabytes. It is fetched once in
/// [`BUNDLE_PATIENCE`] for such reads, so that skills which drive each other out of memory are not fetched again for each file.
pub const BUNDLE_READ_BYTES: u64 = 1 << 20;
/// A skill with more files than these gets an archive, if it was never published and is loaded a second time.
pub const BUNDLED_FILES: usize = 32;
/// Entries in the memory of useless archives, and in that of first reads.
pub const BUNDLES_REMEMBERED: u64 = 10_000;
/// How long such an entry stays.
pub const BUNDLE_PATIENCE: Duration = Duration::from_hours(1);
/// Entries of a page of versions if the caller gives no limit.
pub const VERSIONS_LISTED: usize = 100;
/// Skills of one user.
pub const CATALOG_SKILLS: usize = 20_000;
/// The index of a catalog, inflated: 20,000 skills of five kilobytes each.
pub const CATALOG_INDEX_BYTES: usize = 96 << 20;
/// Skills loaded in one session.
pub const LOADED_SKILLS: usize = 64;

// ---- search
/// A question to `discover_skills`: a message of a few pages.
pub const SEARCH_QUERY_BYTES: usize = 16 << 10;
/// Different words of a question, without stop words.
pub const SEARCH_QUERY_WORDS: usize = 2500;
/// Words of a question that no skill contains and that are compared with all known words: the first ones in its text.
pub const SEARCH_REPAIRS: usize = 64;
/// The most candidates for a word of a question: known words that begin with the word, and as many that end with the word. As many
/// again may be slips of the word, if equally near. In 2,569 public skills more candidates change no rank.
pub const SEARCH_COMPOUNDS: usize = 128;
/// Steps of one search: words looked up or compared, skills whose scores change, and vectors compared. This is a second of work
/// at most. A long message in a catalog of thousands takes a hundredth of the steps.
pub const SEARCH_STEPS: u64 = 1 << 26;
/// A word. Longer ones are data and are left out of the index.
pub const SEARCH_WORD_BYTES: usize = 64;
/// Words of one skill that an explanation of the score names.
pub const SEARCH_EXPLAINED_WORDS: usize = 32;
/// Categories that a prompt and an empty search name.
pub const CATEGORIES_NAMED: usize = 20;
/// Results if the caller gives no limit.
pub const SEARCH_RESULTS: usize = 10;
/// Results a caller may ask for.
pub const SEARCH_RESULTS_MOST: usize = 100;
/// The numbers of a vector that an encoder makes.
pub const VECTOR_DIMENSIONS: usize = 4096;
/// The vectors of one layer, a byte for each number: 20,000 skills with 1,600 each. A larger layer is searched by words alone.
pub const VECTORS_BYTES: usize = 32 << 20;
/// The part of a question that is encoded at once: a request of several sentences. `docs/DECISIONS.md` records how it was chosen.
pub const SEARCH_PART_BYTES: usize = 450;
/// The part of a skill that is encoded.
pub const VECTOR_TEXT_BYTES: usize = 4 << 10;
/// Skills that are encoded at once. Questions come between.
pub const ENCODED_AT_ONCE: usize = 8;
/// Vectors of so many skills are written to the bucket before all are made.
pub const VECTORS_SAVED_EVERY: usize = 1024;
/// How long a question waits for its vector before it is answered by words alone.
pub const ENCODER_PATIENCE: Duration = Duration::from_secs(2);
/// How long a command that ends after the answer waits for missing vectors of skills.
pub const VECTORS_AWAITED: Duration = Duration::from_secs(30);
/// The largest file of an encoder that is added: a model in the format of ONNX has at most 2 GiB.
pub const ENCODER_FILE_BYTES: u64 = 2 << 30;
/// The tokens of a text that a local encoder reads.
pub const ENCODER_TOKENS: usize = 256;
/// The longest answer of an encoder on a server.
pub const ENCODER_REPLY_BYTES: usize = 16 << 20;
/// How long an encoder that failed is left alone.
pub const ENCODER_REST: Duration = Duration::from_secs(10);
/// The longest single pause that an encoder may ask for.
pub const ENCODER_DELAY: Duration = Duration::from_mins(1);
/// The longest that the making of vectors waits in all for an encoder that is busy, before it waits for the next question.
pub const ENCODER_DELAYS: Duration = Duration::from_mins(10);
/// Loads after questions that are kept of a user: about 200 bytes each.
pub const FEEDBACK_LOADS: usize = 256;
/// How many days a load counts, each day less.
pub const FEEDBACK_DAYS: u32 = 90;
/// The memory of the loads of all users. Evicted loads are read again.
pub const FEEDBACK_CACHE_BYTES: u64 = 8 << 20;
/// After so long a question has the loads that other replicas noted looked for behind it.
pub const FEEDBACK_LOOK: Duration = Duration::from_mins(5);
/// The most hits whose order loads can change.
pub const FEEDBACK_REACH: usize = 100;
/// Discoveries a session remembers.
pub const DISCOVERIES: usize = 20;
/// The part of a question that a session remembers.
pub const DISCOVERY_QUERY_BYTES: usize = 512;
/// The memory of all discoveries that wait to be written. Further ones are dropped.
pub const NOTES_BYTES: usize = 4 << 20;
/// A file of questions to test the search with.
pub const QUESTIONS_BYTES: usize = 4 << 20;
/// Questions of such a file that are asked at the same time.
pub const PARALLEL_QUESTIONS: usize = 8;
/// How long notes wait: a discovery for the next change of its session, a use for the next count.
pub const NOTE_FLUSH: Duration = Duration::from_secs(5);

// ---- prompt
/// Skills of a user whose uses are counted; those used least go first.
pub const USED_SKILLS: usize = 10_000;
/// Skills a session remembers to have used; it counts as a user of no others.
pub const USED_IN_SESSION: usize = 1000;
/// The most used skills that a session remembers: more than a prompt of the usual size describes.
pub const RANKED_SKILLS: usize = 200;
/// Tokens of a prompt if the caller gives no budget.
pub const PROMPT_TOKENS: usize = 2000;
/// Skills of one download, each of which is looked up.
pub const DOWNLOAD_SKILLS: usize = 100;
/// Skills that the explanation of a prompt names.
pub const PROMPT_EXPLAINED_SKILLS: usize = 1000;

// ---- tools
/// Skills that the tool `load_skill` lists by name. If there are more, the tool takes any text.
pub const TOOL_ENUM_SKILLS: usize = 50;
/// Calls of one turn that are run.
pub const TOOL_CALLS: usize = 128;
/// Calls of one turn that run at the same time.
pub const TOOL_PARALLEL: usize = 16;
/// Tokens of one tool's result if the caller gives no limit, at four bytes each.
pub const TOOL_RESULT_TOKENS: usize = 25_000;
/// The same in bytes. A prompt has as much of the instructions of the current skill.
pub const TOOL_RESULT_BYTES: usize = 4 * TOOL_RESULT_TOKENS;
/// Skills that a result names in each list of changes: new ones, changed ones and removed ones.
pub const CHANGED_SKILLS: usize = 8;
/// Characters of the description of such a skill.
pub const CHANGED_SKILL_CHARS: usize = 100;
/// Bytes of the skills that the tool `load_skill` lists by name. claude.ai drops a tool over 16,384 bytes without a word.
pub const TOOL_ENUM_BYTES: usize = 12_000;
/// Files of a loaded skill that its result lists by name.
pub const TOOL_LOADED_FILES: usize = 50;

// ---- hooks
/// The part of a message, a command or a task that is held against the triggers of skills: a few pages.
pub const TRIGGER_TEXT_BYTES: usize = 16 << 10;
/// Skills that share words with such a text and whose triggers are examined. Skills with the most shared words come
/// first.
pub const TRIGGER_CANDIDATES: usize = 100;
/// How many words apart two words of a description may stand in a text to call for the skill, stop words not counted.
pub const TRIGGER_REACH: usize = 8;
/// Skills that one hook names because words of theirs stand in a text.
pub const HOOK_SKILLS: usize = 5;
/// Characters, and bytes, of the context that a hook gives. A host replaces a longer text by a preview.
pub const HOOK_CONTEXT: usize = 10_000;
/// Skills that are handed down to a sub-agent.
pub const HOOK_INHERITED_SKILLS: usize = 20;
/// Words of a text that a hook quotes for one skill.
pub const HOOK_WORDS: usize = 5;
/// The longest time that the command `hook` can be configured to wait for its answer.
pub const HOOK_TIMEOUT_MOST: Duration = Duration::from_mins(10);
/// Characters of the reason that the command `hook` gives to the person.
pub const HOOK_REASON_CHARS: usize = 1000;
/// Characters of a description that a hook shows.
pub const HOOK_DESCRIPTION_CHARS: usize = 200;
