"""Makes the table of tokens: `o200k.bin`. README.md describes it.

    python3 make.py o200k_base.tiktoken
"""

import base64
import pathlib
import sys

BUCKETS = 1 << 15


def bucket_of(token):
    """The bucket of a token: the first fifteen bits of its FNV-1a hash of 32 bits."""
    hashed = 0x811C9DC5
    for byte in token:
        hashed = (hashed ^ byte) * 0x01000193 & 0xFFFFFFFF
    return hashed >> 17


buckets = [[] for _ in range(BUCKETS)]
for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    token, rank = line.split()
    token = base64.b64decode(token)
    # In a bucket by rank: of the tokens, those used most tend to have the lowest.
    buckets[bucket_of(token)].append((int(rank), token))

starts, end = [], 4 * (BUCKETS + 1)
entries = bytearray()
for bucket in buckets:
    starts.append(end + len(entries))
    for rank, token in sorted(bucket):
        entries += bytes([len(token)]) + rank.to_bytes(3, "little") + token
starts.append(end + len(entries))
table = b"".join(start.to_bytes(4, "little") for start in starts) + entries
(pathlib.Path(__file__).parent / "o200k.bin").write_bytes(table)
