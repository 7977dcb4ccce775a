//! Whether an encoder works: it encodes two sentences.

use crate::encoder::{Encoder, EncoderError, TextRole};
use skillmount_base::limits::VECTOR_DIMENSIONS;

/// Two sentences that mean different things.
const SENTENCES: [&str; 2] = ["how do I prune an apple tree in winter", "the invoice of last month is overdue"];
/// From this cosine on, vectors of different sentences are the same.
const SAME: f32 = 0.999_9;

/// Has `encoder` encode two sentences, and returns how many numbers their vectors have.
///
/// # Errors
/// If the encoder fails, or gives both sentences the same vector.
pub async fn try_encoder(encoder: &dyn Encoder) -> Result<usize, EncoderError> {
    let vectors = encoder.encode(SENTENCES.map(str::to_owned).to_vec(), TextRole::Question).await?;
    let [one, other] = vectors.as_slice() else {
        let message = format!("it gave {} vectors for {} sentences", vectors.len(), SENTENCES.len());
        return Err(EncoderError::new(message));
    };
    if one.len() != other.len() || !(1..=VECTOR_DIMENSIONS).contains(&one.len()) {
        let message = format!(
            "its vectors have {} and {} numbers; they need the same number, of 1 to {VECTOR_DIMENSIONS}",
            one.len(),
            other.len()
        );
        return Err(EncoderError::new(message));
    }
    let dot = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f32>();
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if !(lengths.is_finite() && lengths > 0.0) {
        return Err(EncoderError::new("its vectors have no direction: all numbers are 0, or some are none"));
    }
    if dot(one, other) / lengths >= SAME {
        let message = "its vectors of two different sentences are the same, so its tokenizer or its model is another's";
        return Err(EncoderError::new(message));
    }
    Ok(one.len())
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;

    #[derive(Debug)]
    struct Fixed(Vec<Vec<f32>>);

    #[async_trait]
    impl Encoder for Fixed {
        fn identity(&self) -> &'static str {
            "fixed"
        }

        async fn encode(&self, _: Vec<String>, _: TextRole) -> Result<Vec<Vec<f32>>, EncoderError> {
            Ok(self.0.clone())
        }
    }

    #[tokio::test]
    async fn what_gives_no_vectors_of_use_is_no_encoder() {
        let tried = async |vectors: Vec<Vec<f32>>| try_encoder(&Fixed(vectors)).await.map_err(|error| error.chain());
        assert_eq!(tried(vec![vec![1.0, 0.2], vec![0.1, 1.0]]).await, Ok(2));
        for (vectors, said) in [
            (vec![vec![1.0, 2.0]], "1 vectors for 2 sentences"),
            (vec![vec![1.0, 2.0], vec![1.0]], "2 and 1 numbers"),
            (vec![vec![], vec![]], "0 and 0 numbers"),
            (vec![vec![0.0, 0.0], vec![1.0, 0.0]], "no direction"),
            (vec![vec![f32::NAN, 0.0], vec![1.0, 0.0]], "no direction"),
            (vec![vec![1.0, 2.0], vec![2.0, 4.0]], "are the same"),
        ] {
            let why = tried(vectors).await.unwrap_err();
            assert!(why.contains(said), "{why}");
        }
        let most = vec![1.0; VECTOR_DIMENSIONS];
        let mut other = most.clone();
        other[0] = -9999.0;
        assert_eq!(tried(vec![most.clone(), other.clone()]).await, Ok(VECTOR_DIMENSIONS));
        let (most, other) = ([most, vec![1.0]].concat(), [other, vec![1.0]].concat());
        assert!(tried(vec![most, other]).await.unwrap_err().contains("of 1 to"));
    }
}
