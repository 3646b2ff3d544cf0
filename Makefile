# For those who start engines by make, as OpenBench does (docs/openbench.md); cargo is all that anyone else needs.
#
#     make                                      the engine, as ./knightlight
#     make EXE=name EVALFILE=path/to/value.net  under another name, with another network built in

EXE ?= knightlight
EVALFILE ?=
SUFFIX := $(if $(filter Windows_NT,$(OS)),.exe)
TARGET := $(or $(CARGO_TARGET_DIR),target)
comma := ,
FEATURES := native$(if $(EVALFILE),$(comma)eval-file)

.PHONY: all
all:
	$(if $(EVALFILE),KNIGHTLIGHT_EVALFILE="$(abspath $(EVALFILE))") cargo build --release --locked -p firmware --bin knightlight --no-default-features --features $(FEATURES)
	cp "$(TARGET)/release/knightlight$(SUFFIX)" "$(EXE)$(SUFFIX)"
