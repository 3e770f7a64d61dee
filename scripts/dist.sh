#!/usr/bin/env bash
# Writes the release archive and the npm package to target/dist/, each with its checksum: scripts/dist.sh [--debug]
#
# The same commit and the same compiler give the same bytes. Absent on purpose: signatures and uploads. Checksums show that
# files arrived as they were packed, not who packed them. The npm package has no dependencies and runs no scripts; its
# launcher says no on machines that it is not for.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
MOST_NPM_BYTES=12000000

case ${1-} in
"") built=release ;;
--debug) built=debug ;;
*) echo "usage: scripts/dist.sh [--debug]" >&2 && exit 2 ;;
esac
target=${CARGO_TARGET_DIR:-target}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
host=$(rustc -vV | sed -n 's/^host: //p')
seconds=$(git log -1 --format=%ct)
commit=$(git rev-parse HEAD)
git diff --quiet HEAD || commit+=-modified
name=svc-$version-$host
out=$target/dist
stage=$out/$name
rm -rf "$out"
mkdir -p "$stage/completions" "$stage/man/man1"

# The folders of this machine, which must not be in a released program.
here=$PWD
cargo_home=${CARGO_HOME:-$HOME/.cargo}
remapped="--remap-path-prefix=$here=/svc"
remapped+=" --remap-path-prefix=$cargo_home=/cargo"

# Builds a program with the features beyond the defaults that it is released with.
build() {
    local program=$1 features=$2
    if [ $built = release ]; then
        RUSTFLAGS=$remapped SVC_COMMIT=$commit \
            cargo build --quiet --locked --release --package "$program" --features "$features"
        cp "$target/release/$program" "$stage/"
        if grep --quiet --text --fixed-strings --regexp="$here/" --regexp="$cargo_home/" "$stage/$program"; then
            echo "$program holds a path of this machine" >&2 && exit 1
        fi
    else
        features=
        SVC_COMMIT=$commit cargo build --quiet --locked --profile test --package "$program"
        strip --strip-all -o "$stage/$program" "$target/debug/$program"
    fi
    python3 scripts/sbom.py "$program" --features "$features" --binary "$stage/$program" >"$stage/$program.cdx.json"
    for shell in bash:.bash elvish:.elv fish:.fish powershell:.ps1 zsh:; do
        local file=$program${shell#*:}
        case $shell in powershell:* | zsh:*) file=_$file ;; esac
        "$stage/$program" completions "${shell%:*}" >"$stage/completions/$file"
    done
    "$stage/$program" man "$stage/man/man1" >/dev/null
}
build svc ""
build svc-registry jemalloc
cp CHANGELOG.md LICENSE-APACHE LICENSE-MIT README.md THIRD-PARTY.md "$stage/"
(cd "$stage" && find . -type f ! -name SHA256SUMS -printf '%P\0' | sort -z | xargs -0 sha256sum >../SHA256SUMS)
mv "$out/SHA256SUMS" "$stage/"
tar --create --directory "$out" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$seconds" \
    --mode=u=rwX,go=rX "$name" | gzip -9 --no-name >"$out/$name.tar.gz"

package=$out/package
mkdir -p "$package"
cp -r packaging/npm/README.md packaging/npm/bin packaging/npm/lib LICENSE-APACHE LICENSE-MIT THIRD-PARTY.md "$package/"
cp "$stage/svc" "$package/bin/"
glibc=$(objdump --dynamic-syms "$stage/svc" | grep --only-matching 'GLIBC_[0-9.]*' | sort --version-sort | tail -1)
node - packaging/npm/package.json "$version" "${glibc#GLIBC_}" >"$package/package.json" <<'JS'
const [, , template, version, glibc] = process.argv;
const svc = { os: process.platform, cpu: process.arch, libc: "glibc", glibc };
const manifest = { ...JSON.parse(require("node:fs").readFileSync(template)), version, svc };
process.stdout.write(`${JSON.stringify(manifest, null, 2)}\n`);
JS
npm_name=$(cd "$package" && npm pack --silent --ignore-scripts --pack-destination ..)
npm_file=svc-preflight-$version-$host.tgz
mv "$out/$npm_name" "$out/$npm_file"
rm -r "$package"
if [ $built = release ] && [ "$(stat --format=%s "$out/$npm_file")" -gt $MOST_NPM_BYTES ]; then
    echo "the npm package has more than $MOST_NPM_BYTES bytes" >&2 && exit 1
fi
for file in "$name.tar.gz" "$npm_file"; do
    (cd "$out" && sha256sum "$file" >"$file.sha256")
    echo "$out/$file  $(stat --format=%s "$out/$file") bytes, commit $commit"
done
