SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help demo quick test build localstack tests complement examples prepare python python-wheels bench-python python-lint python-models typescript typescript-models \
  reference book fuzz rig lint embedders s3-alone deny package nextest ripgrep soak soak-interleave soak-lifecycle soak-hostile dist bench bench-search shape localstack-start localstack-stop

# A snapshot that differs is a failure, never a file that quietly changes.
export INSTA_UPDATE ?= no

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/:.*## /\t/' | expand -t 20

# The profile of cargo that tests and lints are built with: `dev`, or `ci` without line numbers.
export PROFILE ?= dev
TARGET = $(abspath $(or $(CARGO_TARGET_DIR),target))
# What clients in other languages start.
export SKILLMOUNT_PROGRAM ?= $(TARGET)/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))/skillmount

# What the demo needs of the crate: no S3 and no encoder.
demo: ## watch an agent's session, from nothing to a written file; needs no account
	@[ -x $(TARGET)/demo/skillmount ] || echo 'Building skillmount: two to three minutes, the first time only.'
	@cargo run --profile demo -p skillmount --no-default-features --features cli,tiktoken -- demo

# Many tests wait, for a server or a disk, so there are two more of them than cores.
export NEXTEST_TEST_THREADS ?= $(shell echo $$((2 + $$(nproc 2>/dev/null || echo 2))))
# All crates but that for rig.
NEXTEST = cargo nextest run --cargo-profile $(PROFILE)

# By this each test decides whether its indexes are sabotaged.
export SKILLMOUNT_TREE ?= $(shell .ci/seed)

# Properties are tried with fewer inputs here, and with many in `make soak`.
export PROPTEST_CASES ?= 64

# Not in it: what speaks HTTP, S3 or the command line, and what waits for real clocks.
quick: nextest ## the inner loop: unit tests, the rules of the code base, the contract and the stores in memory; a minute once built
	$(NEXTEST) --lib --test it -E \
	  'kind(lib) | test(house::) | test(conformance::memory) | test(conformance::every_layer_over_memory) | test(as_reviewed)'

# LocalStack is stopped again unless it ran before. The last line says how many tests passed and failed.
test: ripgrep nextest ## everything that must be green, LocalStack included, with the minutes of each part and the slowest tests
	@rm -rf $(TARGET)/nextest $(TARGET)/reports
	@localstack/localstack.sh status >/dev/null 2>&1 || trap 'localstack/localstack.sh stop >/dev/null 2>&1' EXIT; \
	.ci/parts build+prepare+python-lint localstack tests complement python examples+typescript lint+embedders+package+s3-alone+deny

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

# The program as the tests have built it: an example beside it asks for the features that tests need of dependencies, without
# which all of them would be compiled a second time.
PROGRAM = cargo build --quiet --profile $(PROFILE) --bin skillmount --example agent_loop

build: nextest ## the program and the tests, without running them
	$(NEXTEST) --no-run

# What budgets refused in the tests: each process leaves a line with its answers and its refusals.
REFUSALS = $(TARGET)/tmp/refusals

tests: nextest ## the tests in Rust; half of them while their indexes are damaged, as the seed decides
	@rm -rf $(REFUSALS)
	$(ON_LOCALSTACK) $(NEXTEST)
	@cat $(REFUSALS)/* | awk '{ answers += $$1; refused += $$2 } \
	  END { printf "honest requests of the suite over HTTP: %d, refused by budgets: %d\n", answers, refused; exit answers == 0 || refused != 0 }'

# In these modules an index decides what is seen and what it costs.
BOTH_WAYS = test(/^(catalog|engine::bundles|engine::costs|engine::interrupted_changes|session::sessions|http::skills)::/)

complement: nextest ## the tests of modules that depend on indexes, damaged where they were left alone before and the other way round
	SKILLMOUNT_INDEX=complement $(NEXTEST) --profile complement -E '$(BOTH_WAYS)'

examples: ## the examples in the documentation of the crate
	cargo test --profile $(PROFILE) --doc

# Tests and examples install what they miss, so this only saves them the wait. What cannot be installed is reported.
prepare: ## install the packages of Python and npm that tests and examples run with, below .cache; two minutes, once
	@clients/packages all

# SKILLMOUNT_PYTHON chooses the interpreter.
python: ## the Python package, its wheels and its examples on a real service, with each framework
	@clients/python/run true; found=$$?; [ $$found != 3 ] || exit 0; [ $$found = 0 ] || exit $$found; \
	$(PROGRAM) && $(ON_LOCALSTACK) clients/python/check tests

python-wheels: ## both Python distributions for this platform, optimised, in target/wheels
	SKILLMOUNT_FRAMEWORK=build clients/python/run clients/python-bin/wheels $${CARGO_TARGET_DIR:-target}/wheels

# Needs LocalStack, and Python 3.12 or 3.13 for the packages that are compared with.
bench-python: ## edits of one file by many threads, beside the S3 backends that deepagents has otherwise
	$(PROGRAM)
	localstack/localstack.sh run -- env -u SKILLMOUNT_STORE clients/python/benches/compare

python-lint: ## formatting, lints and types of the Python package and its examples
	@clients/python/run true; found=$$?; [ $$found != 3 ] || exit 0; [ $$found = 0 ] || exit $$found; \
	clients/python/check lint

python-models: ## make again what the Python package has from the contract
	$(PROGRAM)
	cd clients/python && ./run python scripts/generate.py $(SKILLMOUNT_PROGRAM)

typescript: ## the TypeScript package and its example: types and tests on a real service; half a minute once installed
	@clients/typescript/run true; found=$$?; [ $$found != 3 ] || exit 0; [ $$found = 0 ] || exit $$found; \
	$(PROGRAM) && cd clients/typescript && { ./run tsc & types=$$!; NO_COLOR=1 ./run vitest run; tests=$$?; \
	  wait $$types && [ $$tests = 0 ]; }

typescript-models: ## make again what the TypeScript package has from the contract
	$(PROGRAM)
	cd clients/typescript && ./run node scripts/models.ts $(SKILLMOUNT_PROGRAM)

# rig declares a newer compiler than it needs. Its crates are compiled beside those of the tests, which have other features.
RIG = -p skillmount-rig --ignore-rust-version

rig: nextest ## the crate for agents of rig: lints, and tests with a scripted model on a real service
	$(PROGRAM)
	cargo nextest run --cargo-profile $(PROFILE) $(RIG)
	cargo test --profile $(PROFILE) --doc $(RIG)
	cargo clippy --profile $(PROFILE) --all-targets $(RIG) -- -D warnings

# The reference says what the program says, so the program is built, run, and built again with the new pages.
reference: nextest ## make again the pages of docs/book/reference
	INSTA_UPDATE=always $(NEXTEST) --test it -E 'test(/^reference::/)'

# The service renders the book itself. This shows that mdBook, which other people may use, takes it too.
MDBOOK = $(TARGET)/tools/bin/mdbook
book: ## the book as mdBook renders it, in target/book; mdBook is compiled once
	@[ -x $(MDBOOK) ] || CARGO_TARGET_DIR=$(TARGET)/tools/build cargo install --quiet --locked --debug --root $(TARGET)/tools \
	  --no-default-features mdbook@0.5.4
	$(MDBOOK) build docs --dest-dir $(TARGET)/book

fuzz: nextest ## the seeds of the fuzz targets, and some changed ones; SKILLMOUNT_FUZZ_SECONDS=N goes on for so long with each
	$(NEXTEST) --test it -E 'test(/^fuzz::/)'

# After the tests, in the same folder: build scripts and macros are compiled once.
lint: ## formatting, lints and the links of the documentation
	cargo fmt --all --check
	cargo clippy --profile $(PROFILE) --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --quiet --profile $(PROFILE) --no-deps

# In a folder of their own, so that they run beside the lints. They need few dependencies.
embedders: ## the core without any feature, and the doors of embedders one by one
	for features in '' server client; do \
	  CARGO_TARGET_DIR=$(TARGET)/embedders cargo check --profile $(PROFILE) -p skillmount --no-default-features --features "$$features" || exit; done

s3-alone: ## a check of the core with S3
	cargo check --profile $(PROFILE) -p skillmount --no-default-features --features s3,testing

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

# What would be published is made and compiled, and nothing is sent. The example asks for the features that tests need of
# dependencies, so that those are the ones `make lint` has checked.
package: ## make the crates and compile the program from what they hold
	cargo package --workspace --offline --allow-dirty --no-verify
	@cd $(TARGET)/package && rm -rf skillmount-*/ && for made in skillmount-*.crate; do tar -xzf $$made || exit; done
	CARGO_TARGET_DIR=$(TARGET) cargo check --offline --profile $(PROFILE) \
	  $$(for folder in $(TARGET)/package/skillmount-[a-z]*/; do name=$$(basename $$folder); \
	    echo --config patch.crates-io.$${name%-[0-9]*}.path=\"$$folder\"; done) \
	  --manifest-path $(TARGET)/package/skillmount-[0-9]*/Cargo.toml --bin skillmount --example agent_loop

# The test runner. It is compiled once if the machine does not have it.
nextest:
	@cargo nextest --version >/dev/null 2>&1 || { \
	  echo 'Installing cargo-nextest, which runs the tests. It takes some minutes, once.'; \
	  cargo install --locked --no-default-features --features default-no-update cargo-nextest; }

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

# Our crates optimised, for what would take hours without; and all that lies below them too.
CRATES = skillmount $(patsubst crates/%,skillmount-%,$(wildcard crates/*))
OPTIMISED = $(foreach name,$(CRATES),--config profile.$(PROFILE).package.$(name).opt-level=2)
ALL_OPTIMISED = $(OPTIMISED) --config 'profile.$(PROFILE).package."*".opt-level=1'
SOAK = $(NEXTEST) --profile soak

soak: nextest ## every test with sabotaged indexes and with intact ones, then the long versions, a hundred times as long
	SKILLMOUNT_INDEX=sabotaged $(NEXTEST) --profile soak
	SKILLMOUNT_INDEX=intact $(NEXTEST) --profile soak
	SKILLMOUNT_SOAK=100 $(SOAK) --test it -E 'test(/soak|races|crashes|model|two_authors|matrix|every_word/) - test(/^interleave::/)'
	$(MAKE) soak-interleave
	SKILLMOUNT_CASES=500 $(SOAK) --test it -E 'test(http::contract)'
	SKILLMOUNT_SOAK=100 PROPTEST_CASES=10000 $(SOAK) $(OPTIMISED) --lib --test it -E \
	  'test(/no_frontmatter_panics|no_field_|no_bytes_panic|a_parser_reads_back_every_name|no_question_however_hostile/)'
	PROPTEST_CASES=10000 $(SOAK) $(OPTIMISED) --lib
	$(MAKE) book
	SKILLMOUNT_FUZZ_SECONDS=60 $(SOAK) $(OPTIMISED) --test it -E 'test(/^fuzz::/)'

soak-interleave: nextest ## every pair of changes with three switches of service, every three with two, and more at random
	SKILLMOUNT_SOAK=2 $(SOAK) $(ALL_OPTIMISED) --test it -E 'test(/^interleave::/)'

soak-lifecycle: nextest ## two authors at random for twice as long, and what strict records cost on a machine at rest; two minutes
	SKILLMOUNT_SOAK=2 $(SOAK) --test it -E 'test(/two_authors_never|audit::soak|audit::crashes/)'

# Two replicas, an S3 with troubles, 49 honest users and a hostile one. Optimised, all that lies below included, and with the
# allocator of what is shipped: what is measured is the service. SKILLMOUNT_HOSTILITY=N takes N % of the attacks, and 0 shows
# what the machine does without; SKILLMOUNT_ATTACKS=uploads,bodies takes only those.
soak-hostile: nextest ## ten minutes of honest users beside a hostile one, with times and memory held to bounds
	SKILLMOUNT_SOAK_SECONDS=$${SKILLMOUNT_SOAK_SECONDS:-600} $(SOAK) $(ALL_OPTIMISED) \
	  --features jemalloc --test it -E 'test(/^siege::/)'

dist: ## the program that is shipped, optimised as a whole, in target/dist; 25 minutes
	cargo build --profile dist --locked --features jemalloc --bin skillmount
	@ls -l $(TARGET)/dist/skillmount

bench: ## memory, requests and time, as multiples of the raw SDK
	cargo bench

bench-search: ## what search finds and costs, by words and by meaning; BEFORE=COMMIT compares with the program of that commit
	benches/search-beside $(BEFORE)

# Python 3.11 without any package. `.ci/shape --details` lists what was counted, and `--check` fails if a goal is missed.
shape: ## how large modules and types are, which names repeat, which calls go up; with goals, and how each is counted
	@.ci/shape

localstack-start: ## start LocalStack with a seeded bucket on a free port
	localstack/localstack.sh start

localstack-stop: ## stop it
	localstack/localstack.sh stop
