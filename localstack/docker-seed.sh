#!/usr/bin/env bash
# LocalStack runs this in its container once it is ready: the same buckets and files as seed.py makes. The bucket that
# the health check looks for comes last, so that nobody meets a half-filled one.
set -euo pipefail
awslocal s3 mb s3://skillmount
awslocal s3 cp --recursive --only-show-errors /seed s3://skillmount
awslocal s3 mb s3://skillmount-test
