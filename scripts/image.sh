#!/usr/bin/env bash
# Writes an image of the registry for container engines to target/image/: scripts/image.sh [--debug]
#
# It holds the two programs, what they are linked with, and the few files that a C library reads; no shell and no base image.
# It starts `svc-registry`; `svc` is in it to verify what runs. The same archive of `scripts/dist.sh` gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
# Whom the programs run as; containers know no names.
USER_ID=65532
command -v umoci >/dev/null || { echo "umoci is needed: apt-get install --no-install-recommends umoci" >&2 && exit 1; }

scripts/dist.sh "$@"
target=${CARGO_TARGET_DIR:-target}
image=$target/image
root=$target/image-root
stage=$(find "$target/dist" -maxdepth 1 -type d -name 'svc-*')
version=$("$stage/svc" --version | sed -n '1s/^svc //p')
seconds=$(git log -1 --format=%ct)
created=$(date --utc --date="@$seconds" +%FT%TZ)
rm -rf "$image" "$root"
mkdir -p "$root"/{dev,etc/svc-registry,proc,sys,tmp,usr/local/bin,usr/share/doc/svc,var/lib/{svc-registry,dpkg/status.d}}
cp "$stage"/{svc,svc-registry} "$root/usr/local/bin/"
cp "$stage"/{svc.cdx.json,svc-registry.cdx.json,LICENSE-APACHE,LICENSE-MIT,THIRD-PARTY.md} "$root/usr/share/doc/svc/"

# A package of Debian that is in the image, where scanners look for it, with the licence that asks to be handed on.
of_package() {
    dpkg-query --status "$1" >"$root/var/lib/dpkg/status.d/$1"
    install -D --mode=644 "/usr/share/doc/$1/copyright" "$root/usr/share/doc/$1/copyright"
}
of_package ca-certificates
install -D --mode=644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
libraries=$(ldd "$stage/svc" "$stage/svc-registry")
if grep 'not found' >&2 <<<"$libraries"; then exit 1; fi
for library in $(grep --only-matching '/[^ ]* (' <<<"$libraries" | tr -d ' (' | sort -u); do
    install -D --mode=755 "$library" "$root$library"
    # Debian's tables name some files below /usr and some not.
    owner=$(dpkg-query --search "$library" 2>/dev/null || dpkg-query --search "/usr$library")
    of_package "${owner%%:*}"
done
# Names are looked up in /etc/hosts, which engines write, and then by DNS.
printf 'passwd: files\ngroup: files\nhosts: files dns\n' >"$root/etc/nsswitch.conf"
printf 'root:x:0:0:root:/:/nologin\nsvc:x:%s:%s:svc registry:/var/lib/svc-registry:/nologin\n' $USER_ID $USER_ID >"$root/etc/passwd"
printf 'root:x:0:\nsvc:x:%s:\n' $USER_ID >"$root/etc/group"
chmod -R u=rwX,go=rX "$root"
chmod 1777 "$root/tmp"
chmod 700 "$root/var/lib/svc-registry"

pack() { tar --directory "$root" --format=ustar --sort=name --numeric-owner --mtime="@$seconds" --file "$root.tar" "$@"; }
pack --create --owner=0 --group=0 --exclude=./var/lib/svc-registry .
pack --append --owner=$USER_ID --group=$USER_ID ./var/lib/svc-registry
umoci init --layout "$image"
umoci new --image "$image:$version"
umoci raw add-layer --image "$image:$version" --history.created "$created" --history.created_by scripts/image.sh "$root.tar"
# A container's own loopback is of no use to others, so it listens to all. Then it wants tokens, and a certificate or
# SVC_BEHIND_PROXY=yes, and does not start without.
umoci config --no-history --image "$image:$version" --created "$created" --config.user $USER_ID:$USER_ID \
    --config.entrypoint /usr/local/bin/svc-registry --config.cmd serve --config.workingdir / --config.stopsignal SIGTERM \
    --config.env SVC_BIND=0.0.0.0:8787 --config.env SVC_DATA_DIR=/var/lib/svc-registry \
    --config.env SVC_TOKENS=/etc/svc-registry/tokens.json --config.exposedports 8787/tcp \
    --config.volume /var/lib/svc-registry --config.label org.opencontainers.image.licenses="MIT OR Apache-2.0" \
    --config.label org.opencontainers.image.revision="$("$stage/svc" --version | sed -n 2p)" \
    --config.label org.opencontainers.image.title=svc --config.label org.opencontainers.image.version="$version"
umoci gc --layout "$image"
rm -rf "$root" "$root.tar"
digest=$(sed -n 's/.*"digest":"\([^"]*\)".*/\1/p' "$image/index.json")
echo "$image  $digest"
