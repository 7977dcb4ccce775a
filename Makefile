SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help demo test tests lint deny package ripgrep soak bench localstack-start localstack-stop

# A snapshot that differs is a failure, never a file that quietly changes.
export INSTA_UPDATE ?= no

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/:.*## /\t/' | expand -t 20

demo: ## watch an agent's session, from nothing to a written file; needs no account
	@echo 'Building skillmount. The first time this takes minutes, after that no time.'
	@cargo run --quiet -- demo

# LocalStack is stopped again unless it ran before. Tests choose their stores themselves, so the variable that points the
# command line at LocalStack stays out of them.
test: lint ripgrep ## everything that must be green, LocalStack included
	@localstack/localstack.sh status >/dev/null 2>&1 || trap 'localstack/localstack.sh stop >/dev/null 2>&1' EXIT; \
	localstack/localstack.sh start; started=$$?; \
	case $$started in \
	  0) localstack/localstack.sh run -- env -u SKILLMOUNT_STORE $(MAKE) --no-print-directory tests ;; \
	  3) echo 'Going on WITHOUT LocalStack: S3 is tested in process only.'; $(MAKE) --no-print-directory tests ;; \
	  *) echo "LocalStack did not start (status $$started); see localstack/README.md" >&2; exit $$started ;; \
	esac

# Everything, and then what tests services once more while the indexes of their catalogs are deleted, cut short, damaged and
# put back at random; SKILLMOUNT_SEED=N throws other dice. Three minutes of tests never ask for a catalog and are left out
# of the second run: the creates that race, the server that is killed fifty times, and the comparison with ripgrep.
tests:
	cargo test
	SKILLMOUNT_INDEX=sabotaged cargo test --test it -- --skip creates_race --skip crashes:: --skip ripgrep::

lint: ## formatting, lints, and the core without any feature
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	cargo check --no-default-features

# Licences, sources and banned crates. The list of known flaws lies in a repository on the network.
deny: ## licences, sources and known flaws of all dependencies; needs cargo-deny
	@if ! command -v cargo-deny >/dev/null; then \
	  echo 'cargo-deny is not installed: licences and sources of dependencies are NOT CHECKED.'; \
	else \
	  cargo deny --locked check licenses bans sources || exit; \
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
	SKILLMOUNT_SOAK=100 cargo test --config profile.dev.package.skillmount.opt-level=2 --lib --test it -- \
	  --nocapture no_frontmatter_panics no_bytes_panic a_parser_reads_back_every_name

bench: ## memory, requests and time, as multiples of the raw SDK
	cargo bench

localstack-start: ## start LocalStack with a seeded bucket on a free port
	localstack/localstack.sh start

localstack-stop: ## stop it
	localstack/localstack.sh stop
