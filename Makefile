SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help demo quick test localstack tests sabotaged fuzz siege lint deny package ripgrep soak soak-hostile bench \
  localstack-start localstack-stop

# A snapshot that differs is a failure, never a file that quietly changes.
export INSTA_UPDATE ?= no

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/:.*## /\t/' | expand -t 20

demo: ## watch an agent's session, from nothing to a written file; needs no account
	@echo 'Building skillmount. The first time this takes minutes, after that no time.'
	@cargo run --quiet -- demo

# Not in it: what speaks HTTP, S3 or the command line, and what waits for real clocks.
quick: ## the inner loop: unit tests, the rules of the code base, the contract and the stores in memory; under a minute once built
	cargo test --lib
	cargo test --test it -- \
	  house:: conformance::memory conformance::every_layer_over_memory as_reviewed

# LocalStack is stopped again unless it ran before. The last line says how many tests passed and failed.
test: ripgrep ## everything that must be green, LocalStack included, with the minutes of each part
	@localstack/localstack.sh status >/dev/null 2>&1 || trap 'localstack/localstack.sh stop >/dev/null 2>&1' EXIT; \
	.ci/parts lint deny package localstack tests sabotaged fuzz siege

localstack:
	@localstack/localstack.sh start; started=$$?; \
	case $$started in \
	  0) ;; \
	  3) echo 'Going on WITHOUT LocalStack: S3 is tested in process only.' ;; \
	  *) echo "LocalStack did not start (status $$started); see localstack/README.md" >&2; exit $$started ;; \
	esac

# Tests choose their stores themselves, so the variable that points the command line at LocalStack stays out of them.
ON_LOCALSTACK = $(shell localstack/localstack.sh status >/dev/null 2>&1 \
  && echo localstack/localstack.sh run -- env -u SKILLMOUNT_STORE)

# What budgets refused in the tests.
REFUSALS = $${CARGO_TARGET_DIR:-target}/tmp/refusals

# The fuzz targets and the siege have parts of their own.
tests:
	$(ON_LOCALSTACK) cargo test -- --skip fuzz:: --skip siege::
	@cat $(REFUSALS) && grep -q 'budgets: 0$$' $(REFUSALS)

# What tests services once more, while the indexes of their catalogs are deleted, cut short, damaged and put back at
# random; SKILLMOUNT_SEED=N throws other dice. Tests of minutes to which a catalog makes no difference are left out: the creates
# that race, the server that is killed fifty times, the comparison with ripgrep, the generated clients, the invented requests,
# and the page in a browser.
sabotaged:
	$(ON_LOCALSTACK) env SKILLMOUNT_INDEX=sabotaged cargo test --test it -- \
	  --skip creates_race --skip crashes:: --skip ripgrep:: --skip generators:: --skip contract:: --skip docs_page:: \
	  --skip fuzz:: --skip siege::

fuzz: ## the seeds of the fuzz targets, and some changed ones; SKILLMOUNT_FUZZ_SECONDS=N goes on for so long with each
	cargo test --test it -- --nocapture fuzz::

# Less than a minute, and nothing in it is held to a time.
siege:
	cargo test --test it -- --nocapture siege::

lint: ## formatting, lints, the core without any feature and the doors of embedders one by one
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	cargo check --no-default-features
	cargo check --no-default-features --features server
	cargo check --no-default-features --features client
	cargo check --no-default-features --features s3,testing

# Licences, sources and banned crates. The list of known flaws lies in a repository on the network.
deny: ## licences, sources and known flaws of all dependencies; needs cargo-deny
	@if ! command -v cargo-deny >/dev/null; then \
	  echo 'cargo-deny is not installed: licences and sources of dependencies are NOT CHECKED.'; \
	else \
	  told=$$(cargo deny --locked check licenses bans sources 2>&1); status=$$?; echo "$$told"; \
	  case $$status:$$told in \
	    0:*) ;; \
	    *'failed to fetch crates'*) echo 'No network: licences and sources of dependencies are NOT CHECKED.'; exit 0 ;; \
	    *) exit $$status ;; \
	  esac; \
	  flaws=$$(cargo deny --locked check advisories 2>&1); status=$$?; \
	  case $$status:$$flaws in \
	    *'failed to fetch advisory database'*) echo 'No network: known flaws of dependencies are NOT CHECKED.' ;; \
	    *) echo "$$flaws"; exit $$status ;; \
	  esac; \
	fi

# What would be published is made and built, and nothing is sent.
package: ## make the crate and build it from what it holds
	cargo package --offline --allow-dirty

# The search tests compare with ripgrep; without it they say that they skip.
ripgrep:
	@command -v rg >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo 'Installing ripgrep, which the search tests compare with.'; \
	    { apt-get update && apt-get install -y ripgrep; } >/dev/null 2>&1 \
	      || echo 'ripgrep could not be installed: the comparison with it is SKIPPED.'; \
	  else \
	    echo 'ripgrep is not installed: the comparison with it is SKIPPED.'; \
	  fi; }

soak: ## the tests under stress, a hundred times as long, with their figures
	SKILLMOUNT_SOAK=100 cargo test --test it -- --nocapture soak races crashes model
	SKILLMOUNT_CASES=500 cargo test --test it -- --nocapture http::contract
	SKILLMOUNT_SOAK=100 cargo test --config profile.dev.package.skillmount.opt-level=2 --lib --test it -- \
	  --nocapture no_frontmatter_panics no_bytes_panic a_parser_reads_back_every_name
	SKILLMOUNT_FUZZ_SECONDS=60 cargo test --config profile.dev.package.skillmount.opt-level=2 --test it -- \
	  --nocapture fuzz::

# Two replicas, an S3 with troubles, 49 honest users and a hostile one. Optimised, all that lies below included: what is
# measured is the service. SKILLMOUNT_HOSTILITY=N takes N % of the attacks, and 0 shows what the machine does without;
# SKILLMOUNT_ATTACKS=uploads,bodies takes only those.
soak-hostile: ## ten minutes of honest users beside a hostile one, with times and memory held to bounds
	SKILLMOUNT_SOAK_SECONDS=$${SKILLMOUNT_SOAK_SECONDS:-600} cargo test --config profile.dev.package.skillmount.opt-level=2 \
	  --config 'profile.dev.package."*".opt-level=1' --test it -- --nocapture siege::

bench: ## memory, requests and time, as multiples of the raw SDK
	cargo bench

localstack-start: ## start LocalStack with a seeded bucket on a free port
	localstack/localstack.sh start

localstack-stop: ## stop it
	localstack/localstack.sh stop
