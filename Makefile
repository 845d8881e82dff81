# Each target installs what the build lacks first, and prints nothing of its own under -s. Make ends with 2 whatever
# status a program fails with; where the status itself matters, call the script.
.PHONY: help demo demo-test api docs test examples install deb format bench bench-peers bench-check rest soak planted document-soak page-test frozen-subscriber hostile-clients fuzz bad-networks sites compose failover many-daemons shards thousand-replicas worlds worlds-without-rules joiner short-lived full-disk crash upgrade disks
.DEFAULT_GOAL := help

help: ## say what there is
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

demo: ## watch concurrent edits merge; ARGS="--peers 4 --json" are the program's
	@Scripts/demo $(ARGS)

demo-test: ## use the demo in tmux: the tour, every key, sizes, quitting; pictures in .build/demo-test
	@Scripts/demo --version >/dev/null
	@Scripts/demo-test $(ARGS)

test: ## format, build, test, vectors, examples: the one check
	@Scripts/check

api: ## build, and compare the public API with Documentation/API; ARGS=--record records it as it is
	@Scripts/api $(ARGS)

docs: ## the documentation as DocC, in .build/docs: no warning, every link checked; ARGS=--pages for the pages alone
	@Scripts/docs $(ARGS)

examples: ## build and test the examples from outside, the Python peer among them
	@Scripts/examples

install: ## install the programs, manual pages and completions below PREFIX=/usr/local, and below DESTDIR
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" Scripts/install $(ARGS)

deb: ## make a package for Debian in .build/deb; ARGS="--try FILE" installs and removes one in a new root
	@Scripts/deb $(ARGS)

format: ## format every Swift file in place
	@Scripts/format

bench: ## measure, and draw .build/bench/report.html; FORMAT=json for one object a line, CASES="document-set model" for some
	@Scripts/bench $(if $(FORMAT),--format $(FORMAT)) $(CASES)

bench-peers: ## install the systems that the benchmarks are measured beside
	@Scripts/bench --install-peers

bench-check: ## count instructions and allocations, and fail by name on what grew; ARGS=--update writes them down
	@Scripts/bench --check $(ARGS)

rest: ## what a daemon of 10,000 documents and 100 peers computes in a second while nobody writes; its peers are real ones, so it takes minutes
	@Scripts/bench rest

soak: ## simulate groups under faults on every core for MINUTES=n from SEED=1 on: what was done, what failed; none may be violated
	@Scripts/run-release soak --minutes $(or $(MINUTES),1) --seed $(or $(SEED),1) $(ARGS)

planted: ## plant one fault of the program after another, and see which check notices each, and how soon; ARGS="NAME..." for some
	@Scripts/prerequisites
	@Scripts/planted $(ARGS)

fuzz: ## feed every decoder and the document with RUNS=n inputs that a fuzzer makes up: executions and edges by decoder; nothing may be found
	@Scripts/prerequisites
	@Scripts/fuzz --runs $(or $(RUNS),1000000) --seed $(or $(SEED),1) $(ARGS)

page-test: ## use the page of the daemon in a headless Chromium: edit, settle, history, restart; pictures in .build/page-test
	@Scripts/prerequisites
	@Scripts/page-test $(ARGS)

document-soak: ## millions of operations on fifty bare documents: equal, and flat in memory; ARGS="--operations 50000 --seed 7"
	@Scripts/bench --soak $(ARGS)

frozen-subscriber: ## stop one of three subscribers for a minute: latency beside it, memory, time to catch up
	@Scripts/frozen-subscriber $(ARGS)

joiner: ## join a document of a million keys that is written to: progress, time, memory of both, what writers notice
	@Scripts/joiner $(ARGS)

hostile-clients: ## noise, floods, wrong keys, and admitted keys gone hostile against daemons: what is refused, memory, honest writes
	@Scripts/prerequisites
	@Scripts/hostile-clients $(ARGS)

bad-networks: ## cut, lossy, flapping, late and torn networks between daemons: nothing acknowledged is lost, all end equal; needs root
	@Scripts/prerequisites
	@Scripts/bad-networks $(ARGS)

sites: ## three sites with a NATS cluster between: a server killed, a site cut off for CUT=60 s, daemons moved, nothing acknowledged lost; needs root
	@Scripts/prerequisites --with-nats
	@Scripts/sites --cut $(or $(CUT),60) $(ARGS)

compose: ## run docker-compose.yml in Docker or Podman, kill a NATS server and a daemon, stop and start: nothing acknowledged lost
	@Scripts/compose $(ARGS)

failover: ## kill three keyed daemons in turn under four writers: each goes on within 3 s, nothing acknowledged is lost; needs root
	@Scripts/prerequisites
	@Scripts/failover $(ARGS)

many-daemons: ## 4, 16 and 64 daemons that were given one endpoint: frames for each change, time to be up to date, memory
	@Scripts/prerequisites
	@Scripts/many-daemons $(ARGS)

shards: ## spread the documents of a group over 1, 2 and 4 daemons: changes a second, processor time of each; ARGS="--readers 2"
	@Scripts/prerequisites
	@Scripts/shards $(ARGS)

worlds: ## draw COUNT=200000 worlds of replicas from SEED=1 on, against the reference model; none may differ
	@Scripts/run-release worlds $(or $(COUNT),200000) $(or $(SEED),1)

disks: ## draw COUNT=20000 simulated disks below the real log from SEED=1 on: none may lose what was acknowledged; ARGS=planted plants faults of the program
	@Scripts/run-release disks $(or $(COUNT),20000) $(or $(SEED),1) $(ARGS)

worlds-without-rules: ## take rules out of a copy of the core, one at a time, and see how soon drawn worlds tell; COUNT=20000 for each
	@Scripts/prerequisites
	@Scripts/worlds-without-rules $(or $(COUNT),20000) $(or $(SEED),1)

thousand-replicas: ## a thousand replicas behind twenty daemons, simulated; SEED=7 for another run
	@Scripts/prerequisites
	@STARLING_REPLICAS=1000 STARLING_SEED=$(or $(SEED),1) swift test --disable-xctest --filter ManyReplicasTests

short-lived: ## ten thousand writers that come and go, some killed: how long the version becomes; ARGS="--count 500"
	@Scripts/prerequisites
	@Scripts/short-lived $(ARGS)

full-disk: ## fill the disk under a daemon and free it, three times under load, without a restart: nothing acknowledged is lost; needs root
	@Scripts/prerequisites
	@Scripts/full-disk $(ARGS)

crash: ## kill a writer and the daemon 500 times each under load, and cut the power of 200 disks, honest and lying: nothing acknowledged is lost; ARGS="--kills 20 --seed 7"
	@Scripts/prerequisites
	@Scripts/crash $(ARGS)

upgrade: ## upgrade and downgrade daemons and programs between 0.2.0 and these sources, under load: nothing acknowledged is lost
	@Scripts/prerequisites
	@Scripts/upgrade $(ARGS)
