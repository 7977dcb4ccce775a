//! The cosine that an encoder gives to unrelated texts.
//!
//! Some encoders give them a cosine near 0, others near .8. The meaning of a cosine is its distance above this
//! background. So the background is measured once for each encoder, with questions and skills from no catalog.

use crate::{
    encoder::{Encoder, EncoderError, TextRole},
    words::{QuantizedVector, Similarity},
};

/// Questions that none of the skills answers.
const QUESTIONS: [&str; 6] = [
    "how do I prune an apple tree in winter",
    "translate this letter from my landlord",
    "my bicycle chain keeps slipping",
    "plan a birthday party for a six-year-old",
    "which birds migrate across the Sahara",
    "explain the rules of chess to a beginner",
];
const SKILLS: [&str; 6] = [
    "database migrations. Writes and checks migrations of a relational database before they run in production.",
    "tax return. Fills in the yearly tax return of a small company from its ledger.",
    "pull request review. Reviews changes of source code for bugs and unclear names.",
    "container images. Builds small container images and scans them for known vulnerabilities.",
    "medical coding. Assigns billing codes to the notes of a hospital stay.",
    "sound mixing. Balances the tracks of a recording and exports a master.",
];

/// The mean cosine of unrelated texts in ten-thousandths, and the number of dimensions.
pub(super) async fn background(encoder: &dyn Encoder) -> Result<(i32, usize), EncoderError> {
    let encode = async |texts: [&str; 6], role| {
        let vectors = encode_all(encoder, texts.map(str::to_owned).to_vec(), role).await?;
        let directions: Vec<_> = vectors.iter().filter_map(|vector| QuantizedVector::quantize(vector)).collect();
        let dimensions = directions.first().map_or(0, |first| first.numbers.len());
        let are_alike = directions.len() == texts.len() && directions.iter().all(|one| one.numbers.len() == dimensions);
        if are_alike { Ok((directions, dimensions)) } else { Err(EncoderError::new("its vectors are not alike")) }
    };
    let (questions, dimensions) = encode(QUESTIONS, TextRole::Question).await?;
    let (skills, _) = encode(SKILLS, TextRole::Skill).await?;
    let cosines =
        questions.iter().flat_map(|question| skills.iter().map(|skill| question.cosine(&skill.numbers, skill.length)));
    let sum: f32 = cosines.sum();
    Ok((Similarity::in_ten_thousandths(sum / 36.0), dimensions))
}

/// A text of a skill that no catalog decides.
pub(super) fn unrelated_skill() -> String {
    let [first, ..] = SKILLS;
    first.to_owned()
}

/// Encodes texts that no encoder has a reason to refuse. If the encoder does not take them together, each text is
/// encoded alone.
async fn encode_all(encoder: &dyn Encoder, texts: Vec<String>, role: TextRole) -> Result<Vec<Vec<f32>>, EncoderError> {
    match encoder.encode(texts.clone(), role).await {
        Err(error) if error.is_refusal() => {}
        outcome => return outcome,
    }
    let mut vectors = Vec::with_capacity(texts.len());
    for text in texts {
        vectors.extend(encoder.encode(vec![text], role).await?);
    }
    Ok(vectors)
}
