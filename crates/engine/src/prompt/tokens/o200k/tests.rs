//! Words and tokens, held against `tiktoken-rs`.

use std::{env, fs, path::Path};

use proptest::prelude::*;
use regex_syntax::hir::{Class as ClassOfExpression, HirKind};
use sha2::{Digest as _, Sha256};
use tiktoken_rs::{CoreBPE, o200k_base_singleton};

use super::{
    Merger, count, pieces,
    split::{self, Class},
    vocabulary,
};

/// One character of each kind that the expression distinguishes, and the characters of contractions.
const KINDS: [&str; 15] =
    ["A", "\u{1c5}", "s", "\u{17f}", "ʰ", "漢", "\u{301}", "7", "\n", "\r", " ", "\t", "'", "/", "🙂"];

/// The ranks of the tokens of a text that is not cut into pieces.
fn ranks(text: &str) -> Vec<u32> {
    let mut merger = Merger::default();
    let mut ranks = Vec::new();
    for word in split::words(text) {
        ranks.extend(merger.tokens(word.as_bytes()).map(|token| vocabulary::rank(token).unwrap()));
    }
    ranks
}

/// The tokens of a text in pieces, by the reference.
fn counted_by(reference: &CoreBPE, text: &str) -> usize {
    pieces(text).map(|piece| reference.encode_ordinary(piece).len()).sum()
}

#[test]
fn the_table_is_the_vocabulary_of_the_reference() {
    let reference = o200k_base_singleton();
    for rank in 0..199_998 {
        let token = reference.decode_bytes(&[rank]).unwrap();
        assert_eq!(vocabulary::rank(&token), Some(rank), "{token:?}");
    }
    let digest = hex::encode(Sha256::digest(include_bytes!("o200k.bin")));
    assert_eq!(digest, "7e4771597f245f736fd4e0cdea261bab55db8137b48ad14a1657f65a194c6cce", "as `make.py` writes it");
}

#[test]
fn what_is_no_token_has_no_rank() {
    for bytes in [&b""[..], b"<|endoftext|>", b"zzqx", &[0xff, 0xff, 0xff], &[b' '; 127], &[b' '; 129], &[0; 1000]] {
        assert_eq!(vocabulary::rank(bytes), None, "{bytes:?}");
    }
}

/// Unicode is of the same version here and in the expressions of the reference.
#[test]
fn classes_of_characters_are_those_of_the_expression() {
    let classes = [
        (r"[\p{Lu}\p{Lt}]", Class::Upper),
        (r"\p{Ll}", Class::Lower),
        (r"[\p{Lm}\p{Lo}]", Class::Caseless),
        (r"\p{M}", Class::Mark),
        (r"\p{N}", Class::Number),
        (r"[\r\n]", Class::LineEnd),
        (r"[\s--\r\n]", Class::Space),
        (r"[^\s\p{L}\p{M}\p{N}]", Class::Other),
    ];
    let mut characters = 0;
    for (expression, class) in classes {
        let HirKind::Class(ClassOfExpression::Unicode(ranges)) = regex_syntax::parse(expression).unwrap().into_kind()
        else {
            panic!("{expression} is no class");
        };
        for character in ranges.iter().flat_map(|range| range.start()..=range.end()) {
            assert_eq!(Class::from_char(character), class, "{character:?}");
            characters += 1;
        }
    }
    assert_eq!(characters, 0x11_0000 - 0x800, "each character is of one class");
}

#[test]
fn every_short_text_of_each_kind_of_character_has_the_tokens_of_the_reference() {
    let reference = o200k_base_singleton();
    let mut texts = vec![String::new()];
    for _ in 0..4 {
        texts = texts.iter().flat_map(|text| KINDS.map(|kind| format!("{text}{kind}"))).collect();
        for text in &texts {
            assert_eq!(ranks(text), reference.encode_ordinary(text), "{text:?}");
        }
    }
    assert_eq!(texts.len(), KINDS.len().pow(4));
}

#[test]
fn files_have_the_tokens_of_the_reference() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let real = env::var_os("SKILLMOUNT_REAL_SKILLS").map_or_else(|| root.join("../shared/real-skills"), Into::into);
    if !real.is_dir() {
        println!("SKIPPED: the collection of real skills is not at {}", real.display());
    }
    let reference = o200k_base_singleton();
    let mut folders = vec![root.join("docs"), root.join("fixtures"), real];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = String::from_utf8(fs::read(&path).unwrap()) {
                assert_eq!(count(&text), counted_by(reference, &text), "{}", path.display());
                files += 1;
            }
        }
    }
    println!("{files} files have the tokens of the reference");
    assert!(files > 100, "{files}");
}

/// Texts that the reference cannot tokenize at once, or only in minutes. In pieces they take as long as other text.
#[test]
fn a_quarter_of_a_megabyte_of_one_character_is_counted_in_pieces() {
    let reference = o200k_base_singleton();
    for run in [" ", "a", "^", "\u{301}"] {
        let text = run.repeat((1 << 18) / run.len());
        assert_eq!(count(&text), counted_by(reference, &text), "{run:?}");
    }
}

/// Of more than a piece at once, the reference can do this much.
#[test]
fn a_long_word_is_merged_as_by_the_reference() {
    let reference = o200k_base_singleton();
    for run in ["a", "A", "=", "/", "_", "é", "漢", "\u{200d}", "aA", "\t", "\r\n ", "abcdefghijklmnopqrstuvwxyz"] {
        let text = run.repeat(20_000 / run.len());
        assert_eq!(ranks(&text), reference.encode_ordinary(&text), "{run:?}");
    }
}

#[test]
fn pieces_are_the_text_and_add_up_to_its_tokens() {
    let text = "A line of plain words, as in a listing.\n".repeat(1000);
    assert_eq!(pieces(&text).collect::<String>(), text);
    assert!(pieces(&text).count() > 1);
    assert_eq!(count(&text), o200k_base_singleton().encode_ordinary(&text).len());
}

/// Texts that other tokenizers got wrong, as their users reported.
#[test]
fn texts_that_other_tokenizers_got_wrong_have_the_tokens_of_the_reference() {
    let reference = o200k_base_singleton();
    for text in [
        "<|endoftext|><|im_start|>dd<|im_sep|><|endofprompt|>",
        "'RE",
        "I'M we'll THEY'RE we'd don't DON'T x'S x'\u{17f} x's's 'sx",
        "a  b",
        "def f():\n    return  x\n\n\n\tx = 1  \n",
        "camelCase HTTPSession XMLHttpRequest iOS eBay",
        "a → b —\n“c”\n//\r\n/d",
        "\u{2029} \u{a3e4}",
        "नमस्ते สวัสดี Xin Chào. Bạn có khỏe không",
        "hello 😀 world 𝄞 clef 👨\u{200d}👩\u{200d}👧\u{200d}👦 family 🇮🇳 flag \u{fffd}",
        "12345678901 ²³½Ⅷ ١٢٣٤ 1,000.50",
    ] {
        assert_eq!(ranks(text), reference.encode_ordinary(text), "{text:?}");
    }
}

/// Texts of characters that are rare in plain ones and make words end.
fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z]{1,12}",
        2 => prop::sample::select(KINDS.as_slice()).prop_map(str::to_owned),
        2 => "[ \t\r\n\u{a0}\u{2028}\u{3000}\u{85}]{1,6}",
        1 => "'(s|S|ſ|t|re|RE|vE|m|ll|LL|d|x)",
        1 => "[0-9٠-٩Ⅰ-Ⅻ²½]{1,9}",
        1 => "\\p{M}{1,4}",
        1 => "[\\p{Lt}\\p{Lm}\\p{Lo}]{1,6}",
        1 => "[一-龥ぁ-んァ-ン가-힣ก-๙]{1,8}",
        1 => "[\u{1f468}\u{1f3fd}\u{200d}\u{fe0f}\u{1f1ea}🙂]{1,6}",
        1 => "[!-/:-@\\[-`{-~]{1,6}",
        1 => (prop::sample::select(&[" ", "a", "=", "\n", "\u{301}"][..]), 1..300_usize).prop_map(|(run, many)| run.repeat(many)),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn hostile_texts_have_the_tokens_of_the_reference(text in hostile_text()) {
        let reference = o200k_base_singleton();
        prop_assert_eq!(split::words(&text).collect::<String>(), text.as_str());
        prop_assert_eq!(ranks(&text), reference.encode_ordinary(&text));
    }
}
