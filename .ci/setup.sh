# Set-up shared by `firmware/play`, `tests/all` and `firmware/boards/setup`: finds the tools a step needs and
# installs what is missing. POSIX sh; sourced, never run. The caller sets `root` to the top of the checkout.
#
# Every `need_...` function returns at once when there is nothing to do, says what it does when there is, and stops
# with the command to type when it may not install anything itself.
#
#   KNIGHTLIGHT_BUILD_CACHE   a folder for what takes long to build and outlives a clean checkout (default: target/)
#   KNIGHTLIGHT_BOARD_RUST    how to get Rust for the boards: `rustup`, `debian`, or `auto` (default): rustup, then debian

: "${root:?set to the top of the checkout by the script that sources this}"

# ---------------------------------------------------------------------------------------------- words
headline() { printf '\n== %s\n' "$*"; }
say() { printf '   %s\n' "$*"; }
stop() {
    printf '\nSTOPPED: %s\n' "$*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# at_least 1.95 1.100.2: is the second version the first or newer?
at_least() {
    awk -v want="$1" -v got="$2" 'BEGIN {
        split(want, w, "."); split(got, g, ".")
        for (i = 1; i <= 3; i++) if (g[i] + 0 != w[i] + 0) exit !(g[i] + 0 > w[i] + 0)
        exit 0
    }'
}

# ---------------------------------------------------------------------------------------------- Debian's packages
# Runs a command with the rights to install, or stops and says what to type.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        sudo "$@"
    else
        stop "this needs an administrator; run it and start again:  sudo $*"
    fi
}

apt_updated=no
apt_update() {
    [ "$apt_updated" = yes ] && return
    say "updating the list of packages"
    as_root apt-get update -q >/dev/null || stop "apt-get update failed"
    apt_updated=yes
}

apt_has() { [ -n "$(apt-cache madison "$1" 2>/dev/null)" ]; }

apt_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed'; }

# apt_install [-t SUITE] PACKAGE...: installs what is missing, and never removes anything to make room.
apt_install() {
    suite=
    if [ "$1" = -t ]; then
        suite=$2
        shift 2
    fi
    missing=
    for package in "$@"; do
        apt_installed "$package" || missing="$missing $package"
    done
    [ -z "$missing" ] && return
    have apt-get || stop "please install:$missing"
    apt_update
    say "installing:$missing"
    # shellcheck disable=SC2086 # the list is meant to be split
    as_root env DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes \
        apt-get install -qq -y -o DPkg::Lock::Timeout=120 --no-remove --no-install-recommends \
        ${suite:+-t "$suite"} $missing </dev/null >/dev/null || stop "could not install:$missing"
}

debian_release() {
    # shellcheck disable=SC1091 # not there on every system
    [ -r /etc/os-release ] && (. /etc/os-release && echo "${VERSION_CODENAME:-}")
}

# ---------------------------------------------------------------------------------------------- Rust for this machine
rust_wanted=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' "$root/Cargo.toml")

rust_is_good() {
    version=$(cargo --version 2>/dev/null | awk '{ print $2 }')
    [ -n "$version" ] && rustc --version >/dev/null 2>&1 && at_least "$rust_wanted" "$version"
}

# The stable toolchain of rustup, for this run only: the person's default toolchain stays as it is.
rust_by_rustup() {
    export RUSTUP_TOOLCHAIN=stable
    rust_is_good && return
    say "installing Rust's stable toolchain with rustup"
    rustup toolchain install stable --profile minimal --no-self-update || stop "rustup could not install Rust"
    if ! (unset RUSTUP_TOOLCHAIN && rustup default >/dev/null 2>&1); then
        rustup default stable
    fi
}

need_rust() {
    if [ -d "$HOME/.cargo/bin" ]; then
        PATH=$HOME/.cargo/bin:$PATH
        export PATH
    fi
    if ! rust_is_good; then
        if have rustup; then
            rust_by_rustup
        elif have apt-get; then
            apt_update
            if apt_has rustup; then
                apt_install rustup ca-certificates
                rust_by_rustup
            elif apt_has cargo-web; then
                apt_install rustc-web cargo-web ca-certificates
            fi
        fi
        hash -r
        rust_is_good || stop "Rust $rust_wanted or newer is needed: get it from https://rustup.rs and start again"
    fi
    need_c_linker
}

need_c_linker() {
    have cc || have gcc && return
    have apt-get || stop "a C compiler is needed, to link with: please install gcc or clang"
    apt_install gcc libc6-dev
}

need_cargo_fuzz() {
    cargo fuzz --version >/dev/null 2>&1 && return
    say "installing cargo-fuzz"
    cargo install --quiet --locked cargo-fuzz || stop "could not install cargo-fuzz"
}

# ---------------------------------------------------------------------------------------------- Python
# Sets `python_chess` to a Python that has the package `chess`: this machine's, or one in FOLDER, made once. It is
# optional, so that what fails is only said.
find_python_chess() { # FOLDER
    for python_chess in python3 "$1/bin/python"; do
        "$python_chess" -c 'import chess.engine' >/dev/null 2>&1 && return
    done
    have python3 || return 1
    say "installing python-chess in $1"
    python3 -m venv "$1" >/dev/null 2>&1 && "$python_chess" -m pip install --quiet 'chess>=1.11,<2' >/dev/null 2>&1
}

# ---------------------------------------------------------------------------------------------- QEMU
need_qemu() {
    if have qemu-system-riscv32 && have qemu-system-arm && qemu-system-arm -machine help | grep -q '^mps3-an547 '; then
        return
    fi
    have apt-get || stop "please install QEMU's emulators of Arm and RISC-V machines, qemu-system-arm and qemu-system-riscv32"
    if [ "$(debian_release)" != bookworm ]; then
        apt_install qemu-system-arm qemu-system-misc
    else
        # Debian 12's own QEMU cannot stand beside the backported qemu-utils that many machines have.
        apt_update
        if ! apt-cache policy | grep -q 'a=[a-z-]*backports'; then
            say "adding Debian's bookworm-backports, for QEMU"
            echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm-backports main' |
                as_root tee /etc/apt/sources.list.d/bookworm-backports.list >/dev/null
            apt_updated=no
        fi
        apt_install -t bookworm-backports qemu-system-arm qemu-system-misc
    fi
    hash -r
    have qemu-system-arm && have qemu-system-riscv32 || stop "QEMU is still not there"
}

# ---------------------------------------------------------------------------------------------- LLVM's tools
need_objdump() {
    have llvm-objdump && return
    have apt-get || stop "please install LLVM's llvm-objdump, which reads the boards' programs"
    apt_install llvm
}

# ---------------------------------------------------------------------------------------------- Valgrind
need_valgrind() {
    have valgrind && return
    have apt-get || stop "please install Valgrind, which counts the native engine's instructions"
    apt_install valgrind
}

# ---------------------------------------------------------------------------------------------- Rust for the boards
boards=$root/firmware/boards
# Read by cargo in every board's folder, merged with the board's own. Git ignores it.
boards_config=$boards/.cargo/config.toml

# The target a board is built for, out of its own cargo configuration.
board_target() { sed -n 's/^target *= *"\(.*\)"/\1/p' "$1/.cargo/config.toml"; }

# The folders of the boards: those that say which target they are built for. The others hold what boards share.
board_folders() {
    for config in "$boards"/*/.cargo/config.toml; do
        dirname "$(dirname "$config")"
    done
}

board_targets() {
    for board in $(board_folders); do
        board_target "$board"
    done | sort -u
}

has_core() { # SYSROOT TARGET
    for library in "$1/lib/rustlib/$2/lib"/libcore-*.rlib; do
        [ -f "$library" ] && return
    done
    return 1
}

# Makes `cargo run --release` work in every board's folder. There are two ways to a bare chip's `core` library:
# ready-made through rustup (a network away), or compiled here from Debian's packaged source with Debian's compiler.
need_board_targets() {
    targets=$(board_targets | xargs)
    case ${KNIGHTLIGHT_BOARD_RUST:-auto} in
    rustup) board_targets_by_rustup || stop "rustup could not add: $targets" ;;
    debian) board_targets_by_debian ;;
    auto) board_targets_by_rustup || board_targets_by_debian ;;
    *) stop "KNIGHTLIGHT_BOARD_RUST is rustup, debian or auto, not '$KNIGHTLIGHT_BOARD_RUST'" ;;
    esac
}

board_targets_by_rustup() {
    sysroot=$(rustc --print sysroot)
    for target in $targets; do
        has_core "$sysroot" "$target" && continue
        have rustup || return 1
        say "asking rustup for $target"
        if have timeout; then
            timeout 180 rustup target add "$target" >/dev/null 2>&1 || return 1
        else
            rustup target add "$target" >/dev/null 2>&1 || return 1
        fi
    done
    rm -f "$boards_config"
    say "Rust for the boards: the toolchain's own targets"
}

# Debian calls its current compiler rustc-web in a stable release, and rustc where it is current anyway.
board_targets_by_debian() {
    debian_rustc=/usr/bin/rustc
    debian_version() { "$debian_rustc" --version 2>/dev/null | awk '{ print $2 }'; }
    debian_source() { [ -d "$("$debian_rustc" --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library/core" ]; }
    if ! { at_least "$rust_wanted" "$(debian_version)" && debian_source; }; then
        have apt-get || stop "there is no Rust for the boards here; please run: rustup target add $targets"
        apt_update
        if apt_has rustc-web; then
            apt_install rustc-web rust-web-src
        else
            apt_install rustc rust-src
        fi
        at_least "$rust_wanted" "$(debian_version)" ||
            stop "Debian's Rust is too old for the boards; please run, with a network: rustup target add $targets"
        debian_source || stop "Debian's source of Rust's library is not where it should be"
    fi
    find_lld
    # One folder per compiler: libraries of another version are of no use to it.
    id=$("$debian_rustc" --version | awk '{ print $2 "-" substr($3, 2) }')
    sysroots=${KNIGHTLIGHT_BUILD_CACHE:-$root/target}/board-sysroot
    sysroot=$sysroots/$id
    for target in $targets; do
        has_core "$sysroot" "$target" || build_core "$target"
    done
    write_boards_config
    say "Rust for the boards: Debian's compiler $(debian_version), core built from its source in $sysroot"
}

# Sets `lld`: empty where Debian's compiler brings a linker of its own.
find_lld() {
    lld=
    host=$("$debian_rustc" -vV | sed -n 's/^host: //p')
    [ -x "$("$debian_rustc" --print sysroot)/lib/rustlib/$host/bin/rust-lld" ] && return
    lld=$(rustc --print sysroot)/lib/rustlib/$host/bin/rust-lld
    [ -x "$lld" ] && return
    have ld.lld || apt_install lld
    lld=$(command -v ld.lld) || stop "no linker for the boards: please install lld"
}

# Compiles `core` (and the compiler's own arithmetic) once for a target and keeps the libraries.
build_core() {
    say "building Rust's core library for $1: once, a few minutes"
    work=$sysroots/work
    rm -rf "$work"
    mkdir -p "$work/src"
    echo '#![no_std]' >"$work/src/lib.rs"
    cat >"$work/Cargo.toml" <<-END
		[package]
		name = "core-for-boards"
		version = "0.0.0"
		edition = "2024"
		[workspace]
		[profile.release]
		opt-level = 3
		codegen-units = 1
		debug = "line-tables-only"
	END
    # The libraries carry bitcode, so that a board's link-time optimisation reaches into them.
    (cd "$work" && env -u CARGO_BUILD_TARGET -u CARGO_ENCODED_RUSTFLAGS CARGO_TARGET_DIR="$work/target" \
        RUSTC="$debian_rustc" RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes \
        cargo build --quiet --release --target "$1" -Zbuild-std=core) || stop "core for $1 did not build"
    into=$sysroot/lib/rustlib/$1/lib
    rm -rf "$into.new"
    mkdir -p "$into.new"
    cp "$work/target/$1/release/deps"/libcore-*.rlib "$work/target/$1/release/deps"/libcompiler_builtins-*.rlib \
        "$into.new" || stop "core for $1 did not build whole"
    rm -rf "$into"
    mv "$into.new" "$into"
    rm -rf "$work"
}

write_boards_config() {
    mkdir -p "$(dirname "$boards_config")"
    {
        echo "# Written by the set-up, for every board: this machine gets its boards' Rust from Debian's packages."
        echo "# Delete this file to go back to rustup's targets."
        echo "[build]"
        echo "rustc = \"$debian_rustc\""
        for target in $targets; do
            echo
            echo "[target.$target]"
            echo "rustflags = [\"--sysroot\", \"$sysroot\"]"
            if [ -n "$lld" ]; then echo "linker = \"$lld\""; fi
        done
    } >"$boards_config.new"
    # An unchanged file keeps its time, and cargo its builds.
    if cmp -s "$boards_config.new" "$boards_config"; then
        rm "$boards_config.new"
    else
        mv "$boards_config.new" "$boards_config"
    fi
}
