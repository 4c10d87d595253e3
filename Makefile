# Development targets. Everything here is a plain go command; .ci/run is what a change has to pass.

AHPGEN_CORPUS ?= ../shared/protocols
FUZZTIME ?= 10s
BENCHTIME ?= 1x
MUTATIONS ?= 20000
SEED ?= 1

.DEFAULT_GOAL := help
.PHONY: help build test all race corpus fmt vet lint generate drift golden thorough fuzz mutate bench ci

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## compile every package, and the command into ./ahpgen
	go build ./...
	go build -o ahpgen ./cmd/ahpgen

test: ## run the tests
	go test ./...

race: ## run the tests with the race detector
	go test -race ./...

all: ## run all that the tests take a sample of otherwise, as .ci/run does
	AHPGEN_TESTS=all go test ./...

corpus: ## run that against the corpus in AHPGEN_CORPUS
	@test -d "$(AHPGEN_CORPUS)" || { echo "no folder $(AHPGEN_CORPUS): set AHPGEN_CORPUS" >&2; exit 1; }
	AHPGEN_TESTS=all AHPGEN_CORPUS="$(abspath $(AHPGEN_CORPUS))" go test -count=1 ./...

fmt: ## format the Go files that git tracks
	@git ls-files -z '*.go' | xargs -0 gofmt -l -w

vet: ## run go vet
	go vet ./...

lint: ## run golangci-lint as .golangci.yml says, and over what is emitted
	go tool -modfile=.github/lint/go.mod golangci-lint run
	go tool -modfile=.github/lint/go.mod golangci-lint run --config .github/lint/emitted.yml ./generated/...

generate: ## write generated/ anew
	go generate ./...

drift: generate ## fail where generated/ or golden/ is not what the generator says now
	AHPGEN_TESTS=all go test -count=1 ./golden/...
	@changed=$$(git status --porcelain generated golden); if [ -n "$$changed" ]; then \
		echo "commit these, or mend the generator:" >&2; echo "$$changed" >&2; exit 1; fi

golden: ## rewrite the golden files
	AHPGEN_TESTS=all go test -count=1 ./golden/... -update

thorough: ## try all of what the tests take a sample of, kills and races among it
	go test -count=1 -timeout 60m ./golden/... -thorough
	go test -count=1 ./generator/change -run '^TestEveryMutationIsSeen$$' -all
	go test -count=1 ./generated/ahp -run '^Test(ReducersAgreeWithReference|Simulation)$$' -seed 101 -sequences 2150 -seeds 1000
	cd golden/peers/nats && go test -count=1 -race -timeout 60m . -run 'Kit|Histor|Read|Heads' -thorough
	cd golden/peers/nats && go test -count=1 -timeout 60m . -run '^TestHostsShareALogWhateverFails$$' -clients 1000 -channels 100 -kills 100 -nodes 50 -pauses 10 -cuts 10 -longest 60s -every 5s

fuzz: ## run every fuzz test for FUZZTIME
	.ci/run fuzz $(FUZZTIME)

mutate: ## try MUTATIONS mutated schemas, profiles, configurations and locks, drawn by SEED
	go test -count=1 -v -timeout 0 ./golden/mutation -run Mutations -mutations $(MUTATIONS) -seed $(SEED)

bench: ## run every benchmark for BENCHTIME
	go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

ci: ## run everything that a change has to pass
	.ci/run
