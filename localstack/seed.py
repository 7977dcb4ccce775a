"""Makes a bucket and puts a folder's files into it: seed.py ENDPOINT BUCKET [FOLDER]. Safe to run again."""

import mimetypes
import sys
from pathlib import Path

import boto3


def main(endpoint: str, bucket: str, folder: str | None = None) -> None:
    s3 = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    s3.create_bucket(Bucket=bucket)
    if folder is None or not Path(folder).is_dir():
        return
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    for path in files:
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        key = path.relative_to(folder).as_posix()
        s3.put_object(Bucket=bucket, Key=key, Body=path.read_bytes(), ContentType=kind)
    print(f"localstack: {len(files)} files in bucket {bucket}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
