//! The distance of two names, to suggest what a client meant.

/// The edit distance of two names, without regard to case. A name that contains the other is near at any length.
///
/// Long input is cut, because nobody mistypes a hundred characters.
///
/// ```
/// assert_eq!(skillmount::path::distance("compraventa", "comprventa"), 1);
/// ```
#[must_use]
pub fn distance(one: &str, two: &str) -> usize {
    const COMPARED: usize = 100;
    let fold = |text: &str| -> Vec<char> { text.chars().take(COMPARED).flat_map(char::to_lowercase).collect() };
    let (one, two) = (fold(one), fold(two));
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (b, cell) in two.iter().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            left = (diagonal + usize::from(a != b)).min(above + 1).min(left + 1);
            diagonal = above;
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_are_those_of_levenshtein_without_case() {
        assert_eq!(distance("compraventa", "Compraventa"), 0);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("hipoteca", "ipoteca"), 1);
    }
}
