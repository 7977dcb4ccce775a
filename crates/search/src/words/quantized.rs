//! Vectors in whole numbers of eight bits.
//!
//! Only the direction of a vector counts, so its scale need not be kept. Cosines are made of sums of whole numbers: every
//! machine gets the same.

/// The numbers of a vector that are compared in the time of a step.
pub const NUMBERS_PER_STEP: usize = 32;

/// A vector in eight-bit numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedVector {
    /// The numbers, scaled so that the largest is 127.
    pub numbers: Box<[i8]>,
    /// The length of the vector that the numbers are.
    pub length: f32,
}

impl QuantizedVector {
    /// The direction of `vector`; `None` if it has none, or numbers that are none.
    #[must_use]
    pub fn quantize(vector: &[f32]) -> Option<Self> {
        let largest = vector.iter().fold(0.0, |largest: f32, number| largest.max(number.abs()));
        if !(largest > 0.0 && vector.iter().all(|number| number.is_finite())) {
            return None;
        }
        let scale = f32::from(i8::MAX) / largest;
        let numbers: Box<[i8]> = vector.iter().map(|number| eight_bits(number * scale)).collect();
        let length = length(&numbers);
        Some(Self { numbers, length })
    }

    /// The cosine of the angle to a row of `numbers`, whose length is known.
    #[must_use]
    pub fn cosine(&self, numbers: &[i8], length: f32) -> f32 {
        dot(&self.numbers, numbers) / (self.length * length).max(f32::MIN_POSITIVE)
    }
}

/// The length of a vector in eight-bit numbers.
#[must_use]
pub fn length(numbers: &[i8]) -> f32 {
    dot(numbers, numbers).sqrt()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "sums of a few thousand products fit 24 bits, or lose what no rank depends on"
)]
fn dot(one: &[i8], other: &[i8]) -> f32 {
    let sum: i32 = one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum();
    sum as f32
}

/// A number between -127 and 127 as a whole one.
#[expect(clippy::cast_possible_truncation, reason = "the caller has scaled it to eight bits")]
fn eight_bits(number: f32) -> i8 {
    number.round() as i8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_keeps_its_angles_whatever_its_scale() {
        let one = QuantizedVector::quantize(&[0.3, -0.1, 0.7, 0.05]).unwrap();
        let same = QuantizedVector::quantize(&[30.0, -10.0, 70.0, 5.0]).unwrap();
        assert_eq!(one, same);
        assert!((one.cosine(&same.numbers, same.length) - 1.0).abs() < 1e-6);
        let opposite = QuantizedVector::quantize(&[-0.3, 0.1, -0.7, -0.05]).unwrap();
        assert!((one.cosine(&opposite.numbers, opposite.length) + 1.0).abs() < 1e-6);
        let across = QuantizedVector::quantize(&[0.1, 0.3, 0.0, 0.0]).unwrap();
        assert!(one.cosine(&across.numbers, across.length).abs() < 0.02);
    }

    #[test]
    fn what_has_no_direction_is_no_vector() {
        for none in [&[][..], &[0.0, 0.0], &[1.0, f32::NAN], &[f32::INFINITY, 1.0]] {
            assert_eq!(QuantizedVector::quantize(none), None, "{none:?}");
        }
    }
}
