#!/bin/sh
# Builds dist/tollgate. Needs Node with npm, or Bun; everything else is fetched into this folder.
set -eu

usage() {
  cat <<'TEXT'
Usage: ./compile.sh [--target TARGET]     build dist/tollgate, or dist/tollgate-TARGET
       ./compile.sh --run [ARGUMENTS…]    build, then start the demo (tollgate demo ARGUMENTS…)
       ./compile.sh --test                build and run everything that must pass, on both databases; a run
                                          goes on to its end and names all that failed there
       ./compile.sh --test --store NAME   the same on one of them: sqlite or postgres
       ./compile.sh --release VERSION     build all that people download into dist/release: VERSION is that
                                          of package.json, or a pre-release of it, like 1.2.3-rc.1
       ./compile.sh --help

TARGET is bun-<linux|darwin|windows>-<x64|arm64>, for Linux with -musl where needed:
  ./compile.sh --target bun-linux-arm64
TEXT
}

say() { printf '%s\n' "$*"; }
heading() { printf '\n== %s\n' "$*"; }
fail() { printf 'compile.sh: %s\n' "$*" >&2; exit 1; }
misuse() { printf 'compile.sh: %s\n\n' "$*" >&2; usage >&2; exit 2; }

mode=build
target=
store=
version=
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --run) mode=run; shift; break ;; # what follows belongs to the demo
    --test) mode='test' ;;
    --target)
      [ $# -ge 2 ] || misuse '--target needs a value, for example bun-linux-arm64'
      target=$2; shift ;;
    --target=*) target=${1#--target=} ;;
    --release)
      [ $# -ge 2 ] || misuse '--release needs a version, for example 1.2.3'
      mode=release; version=$2; shift ;;
    --store)
      [ $# -ge 2 ] || misuse '--store needs a value: sqlite or postgres'
      store=$2; shift ;;
    --store=*) store=${1#--store=} ;;
    *) misuse "unknown option: $1" ;;
  esac
  shift
done
[ -z "$target" ] || [ "$mode" = build ] || misuse "--target and --$mode can't be combined: $mode uses this machine's build"
case $target in
  '' | bun-linux-x64 | bun-linux-arm64 | bun-linux-x64-musl | bun-linux-arm64-musl) ;;
  bun-darwin-x64 | bun-darwin-arm64 | bun-windows-x64 | bun-windows-arm64) ;;
  *) misuse "unknown target: $target" ;;
esac

case $store in
  '') ;;
  sqlite | postgres) [ "$mode" = 'test' ] || misuse '--store says where tests keep their data: it needs --test' ;;
  *) misuse "unknown store: $store" ;;
esac

origin=$(pwd -P)
project=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
cd -- "$project"

pinned=$(sed -n 's/^ *"bun": *"\([0-9][0-9.]*\)".*/\1/p' package.json | head -n 1)
[ -n "$pinned" ] || fail 'package.json names no Bun version: put "bun": "x.y.z" in devDependencies'

is_pinned() { [ "$("$1" --version 2>/dev/null)" = "$pinned" ]; }

# Prints the Bun of the right version below a folder. npm may bring several builds (other processor
# features, other C library): the first that runs here is taken. bun's own launcher is no use, it
# needs a post-install script.
bun_below() {
  for candidate in "$1"/node_modules/@oven/bun-*/bin/bun "$1"/node_modules/@oven/bun-*/bin/bun.exe; do
    if [ -x "$candidate" ] && is_pinned "$candidate"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

# Sets $bun to something that can install the dependencies.
find_installer() {
  if bun=$(bun_below "$project") || bun=$(bun_below "$project/.cache/bun"); then return; fi
  if command -v bun >/dev/null 2>&1 && is_pinned bun; then
    bun=bun
  elif command -v npm >/dev/null 2>&1; then
    say "Fetching Bun $pinned with npm into .cache/bun …"
    mkdir -p .cache/bun
    npm install --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error \
      --prefix "$project/.cache/bun" "bun@$pinned" ||
      fail "npm could not fetch bun@$pinned: check the network and 'npm config get registry', then run this again"
    bun=$(bun_below "$project/.cache/bun") ||
      fail "none of the Bun builds in .cache/bun runs on this machine ($(uname -sm)): install Bun $pinned from https://bun.sh and run this again"
  elif command -v bun >/dev/null 2>&1 && bun --version >/dev/null 2>&1; then
    bun=bun # another version: good enough to install the pinned one
  else
    fail 'neither npm nor Bun was found on PATH: install Node.js (https://nodejs.org) or Bun (https://bun.sh)'
  fi
}

# Installs the locked dependencies unless a finished install of this very bun.lock is there, then
# sets $bun to the pinned version among them.
prepare() {
  if ! cmp -s bun.lock node_modules/.installed.lock || ! bun_below "$project" >/dev/null; then
    find_installer
    say 'Installing the locked dependencies …'
    "$bun" install --frozen-lockfile ||
      fail "the dependencies could not be installed: see the lines above; if bun.lock is out of step with package.json, run 'bun install' and commit it"
    cp bun.lock node_modules/.installed.lock
  fi
  bun=$(bun_below "$project") ||
    fail "no Bun $pinned in node_modules that runs on this machine ($(uname -sm)): delete node_modules and run this again"
}

# Sets $runtime to the Bun of the target, which bun.lock names with its checksum; '' is that of this machine.
find_runtime() {
  runtime=
  [ -n "$target" ] || return 0
  package=@oven/$(printf '%s' "$target" | sed 's/arm64/aarch64/')
  folder=.cache/runtimes/$target
  if ! cmp -s bun.lock "$folder/.installed.lock"; then
    say "Fetching the runtime of $target …"
    platform=${target#bun-}
    platform=${platform%-musl}
    os=${platform%-*}
    [ "$os" != windows ] || os=win32
    rm -rf "$folder"
    mkdir -p "$folder"
    printf '{"dependencies":{"%s":"%s"}}\n' "$package" "$pinned" >"$folder/package.json"
    cp bun.lock "$folder/bun.lock"
    (cd -- "$folder" && "$bun" install --ignore-scripts --silent "--os=$os" "--cpu=${platform#*-}") ||
      fail "the runtime of $target could not be fetched: see the lines above"
    cp bun.lock "$folder/.installed.lock"
  fi
  for runtime in "$folder/node_modules/$package/bin/bun" "$folder/node_modules/$package/bin/bun.exe"; do
    if [ -f "$runtime" ]; then return; fi
  done
  fail "there is no runtime in $folder: remove that folder and run this again"
}

# True when nothing that goes into the binary has changed since it was built. A release is always built anew.
is_fresh() {
  [ -z "${RELEASE_FACTS:-}" ] && [ -f "$1" ] && [ -z "$(find src data package.json bun.lock tsconfig.json compile.sh -newer "$1" 2>/dev/null | head -n 1)" ]
}

# Builds for a target ('' is this machine) into $1.
build() {
  output=$1
  if is_fresh "$output"; then
    say "$output is up to date"
    return
  fi
  say "Building $output …"
  mkdir -p dist .cache
  : >.cache/build-started
  find_runtime
  # The console is built first, renamed and compressed as browsers get it.
  "$bun" src/app/console/write-pack.ts .cache/console.pack ||
    fail "the build of the console failed: see the lines above"
  # What a release says of itself, from data/release/programs.ts to src/lib/build-info.ts.
  set --
  for fact in ${RELEASE_FACTS:-}; do
    set -- "$@" --define "TOLLGATE_${fact%%=*}=\"${fact#*=}\""
  done
  # Nothing is renamed (no plain --minify): libraries tell their errors apart by the names of classes, and
  # one of them lets values out of their range pass when its own name is another. It costs 2 MB of 150.
  "$bun" build --compile ${target:+"--target=$target" "--compile-executable-path=$runtime"} "$@" --minify-syntax --minify-whitespace --bytecode --splitting --min-chunk-size=65536 --format=esm \
    --sourcemap --define process.env.NODE_ENV='"production"' --no-compile-autoload-dotenv --no-compile-autoload-bunfig \
    src/main.ts .cache/console.pack --outfile "$output" ||
    fail "the build of $output failed: see the lines above"
  rm -f dist/*.map # the program carries its source maps itself
  # A file edited while the build ran is newer than this, so that the next run builds again.
  touch -r .cache/build-started "$output"
}

prepare
case $mode in
  build)
    output=dist/tollgate${target:+-$target}
    case $target in bun-windows-*) output=$output.exe ;; esac
    build "$output"
    ;;
  run)
    build dist/tollgate
    cd -- "$origin"
    exec "$project/dist/tollgate" demo "$@"
    ;;
  release) exec "$bun" data/release/main.ts "$version" ;;
  test)
    heading 'build'
    build dist/tollgate
    TOLLGATE_BINARY="$project/dist/tollgate"
    export TOLLGATE_BINARY
    exec "$bun" test/all.ts ${store:+"$store"}
    ;;
esac
