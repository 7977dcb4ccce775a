#!/usr/bin/env bash
# LocalStack's S3 on this machine, without Docker and without an account: on a free port of 127.0.0.1, with the buckets
# made and the fixtures in them. Its packages are those of requirements.txt, which clients/packages installs. Everything else that
# it writes is in .state beside this script.
#
#   localstack.sh start        start it, make the buckets, seed them, print how to reach it
#   localstack.sh stop         stop it and forget what it held
#   localstack.sh status       say whether it runs; status 0 if so, 1 if not
#   localstack.sh seed         put crates/cli/fixtures/store into the bucket again
#   localstack.sh env          print the variables that reach it, for eval
#   localstack.sh run -- CMD   run CMD with those variables; starts and stops LocalStack where it does not run already
#
# Exit status: 0 done, 1 failed, 2 wrong use, 3 no Python of 3.13 or newer: LocalStack is skipped, not broken.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
state=$here/.state
bucket=skillmount
test_bucket=skillmount-test

say() { printf 'localstack: %s\n' "$*" >&2; }

fail() {
  say "$1"
  exit "${2:-1}"
}

no_python() {
  cat >&2 <<'MESSAGE'
**********************************************************************
*  LocalStack is SKIPPED: it needs Python 3.13 or newer, none found. *
*  Looked at python3.13, python3.14, python3 and what pyenv has.     *
*  Docker will do instead: see localstack/README.md.                 *
**********************************************************************
MESSAGE
  exit 3
}

# Sets the virtual environment, with exactly the pinned packages.
install() {
  local status=0
  venv=$("$here/../clients/packages" python/localstack) || status=$?
  case $status in
    0) ;;
    3) no_python ;;
    *) fail "the packages could not be installed" ;;
  esac
}

# The process id file counts only while that process is LocalStack: ids are used again.
running() {
  local pid
  [[ -f $state/pid && -f $state/port ]] || return 1
  pid=$(<"$state/pid")
  [[ $(ps -o command= -p "$pid" 2>/dev/null) == *localstack.runtime.main* ]]
}

endpoint() { printf 'http://127.0.0.1:%s' "$(<"$state/port")"; }

variables() {
  cat <<VARIABLES
export S3_ENDPOINT_URL=$(endpoint)
export AWS_ENDPOINT_URL_S3=$(endpoint)
export AWS_ACCESS_KEY_ID=test
export AWS_SECRET_ACCESS_KEY=test
export AWS_REGION=us-east-1
export SKILLMOUNT_STORE=s3://$bucket
export SKILLMOUNT_TEST_S3_ENDPOINT=$(endpoint)
export SKILLMOUNT_TEST_S3_BUCKET=$test_bucket
VARIABLES
}

free_port() {
  "$venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# In a process group of its own, so that stopping it leaves none of its children; from a directory of its own, because a
# folder called "moto" in the working directory breaks its start; on hypercorn, because its default server listens on
# every address whatever GATEWAY_LISTEN says.
launch() {
  local port=$1
  mkdir -p "$state/files"
  printf '%s' "$port" >"$state/port"
  cd "$state"
  set -m
  SERVICES=s3 EAGER_SERVICE_LOADING=1 STRICT_SERVICE_LOADING=1 \
    GATEWAY_LISTEN=127.0.0.1:$port GATEWAY_SERVER=hypercorn LOCALSTACK_HOST=localhost:$port \
    SKIP_SSL_CERT_DOWNLOAD=1 USE_SSL=0 DISABLE_EVENTS=1 DNS_ADDRESS=0 FILESYSTEM_ROOT=$state/files \
    nohup "$venv/bin/python" -m localstack.runtime.main >"$state/log" 2>&1 </dev/null &
  printf '%s' "$!" >"$state/pid"
  disown
  set +m
  cd "$OLDPWD"
}

healthy() {
  "$venv/bin/python" - "$(endpoint)/_localstack/health" >/dev/null 2>&1 <<'PYTHON'
import json, sys, urllib.request
with urllib.request.urlopen(sys.argv[1], timeout=2) as answer:
    sys.exit(json.load(answer)["services"].get("s3") != "running")
PYTHON
}

wait_until_healthy() {
  local _
  for _ in {1..120}; do
    healthy && return
    running || break
    sleep 0.5
  done
  tail -n 20 "$state/log" >&2
  stop
  fail "it did not start; the end of its log is above"
}

seed() {
  "$venv/bin/python" "$here/seed.py" "$(endpoint)" "$test_bucket"
  "$venv/bin/python" "$here/seed.py" "$(endpoint)" "$bucket" "$here/../crates/cli/fixtures/store"
}

start() {
  if running; then
    say "already runs at $(endpoint)"
    return
  fi
  rm -rf "$state"
  install
  launch "$(free_port)"
  wait_until_healthy
  seed || {
    stop
    fail "the buckets could not be made"
  }
  say "runs at $(endpoint), bucket $bucket; to use it: eval \"\$($0 env)\""
}

stop() {
  local pid _
  if running; then
    pid=$(<"$state/pid")
    kill -TERM -- "-$pid" 2>/dev/null || true
    for _ in {1..100}; do
      running || break
      sleep 0.1
    done
    kill -KILL -- "-$pid" 2>/dev/null || true
    say "stopped"
  fi
  rm -rf "$state"
}

run() {
  if ! running; then
    trap stop EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    start
  fi
  eval "$(variables)"
  "$@"
}

need_running() { running || fail "does not run; start it with $0 start"; }

case ${1:-} in
  start) start ;;
  stop) stop ;;
  status)
    running || fail "does not run"
    say "runs at $(endpoint)"
    ;;
  seed)
    need_running
    install
    seed
    ;;
  env)
    need_running
    variables
    ;;
  run)
    shift
    [[ ${1:-} == -- ]] && shift
    (($#)) || fail "run needs a command" 2
    run "$@"
    ;;
  *) fail "use: $0 start | stop | status | seed | env | run -- CMD" 2 ;;
esac
