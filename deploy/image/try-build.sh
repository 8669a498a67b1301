#!/usr/bin/env bash
# Builds the image by its Containerfile without a registry of images, and runs it: its base is made of Debian's own packages, the Node of
# this machine and its npm. Needs root, buildah and debootstrap of Debian, and the packed package.
#   npm pack && deploy/image/try-build.sh firstmile-0.1.0.tgz
set -euo pipefail
package="$(realpath "$1")"
here="$(cd "$(dirname "$0")/../.." && pwd)"
work="$(mktemp -d)"
export BUILDAH_ISOLATION="${BUILDAH_ISOLATION:-chroot}" STORAGE_DRIVER="${STORAGE_DRIVER:-overlay}"
container=''
ended() {
  [ -z "$container" ] || { buildah umount "$container"; buildah rm "$container"; } >/dev/null
  buildah rmi -f firstmile:trial firstmile-base:trial >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap ended EXIT

debootstrap --variant=minbase bookworm "$work/base" http://deb.debian.org/debian >"$work/log"
modules="$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")")"
mkdir -p "$work/base/usr/local/lib/node_modules"
cp "$(readlink -f "$(command -v node)")" "$work/base/usr/local/bin/node"
cp -a "$modules/npm" "$work/base/usr/local/lib/node_modules/"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/base/usr/local/bin/npm"
container="$(buildah from scratch)"
buildah copy -q "$container" "$work/base" /
# A machine may reach the registry of npm through a proxy with a certificate of its own; no image keeps that.
buildah config --env NODE_EXTRA_CA_CERTS=/run/trial-ca.crt --env PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
buildah commit -q "$container" firstmile-base:trial >/dev/null
buildah rm "$container" >/dev/null
container=''

mkdir -p "$work/context/deploy"
cp "$package" "$work/context/firstmile.tgz"
cp -a "$here/deploy/image" "$here/deploy/Containerfile" "$work/context/deploy/"
buildah bud --quiet --format docker --volume /etc/ssl/certs/ca-certificates.crt:/run/trial-ca.crt:ro --build-arg BASE=localhost/firstmile-base:trial \
  --build-arg PACKAGE=firstmile.tgz --file "$work/context/deploy/Containerfile" --tag firstmile:trial "$work/context" >"$work/log" 2>&1 ||
  { tail -n 20 "$work/log"; exit 1; }
container="$(buildah from firstmile:trial)"
mounted="$(buildah mount "$container")"
health="$(buildah inspect --type image --format '{{with .Docker.Config.Healthcheck}}{{.Test}} every {{.Interval}}{{end}}' firstmile:trial)"
[[ "$health" == *readyz* ]] || { echo 'the image has no health check'; exit 1; }
echo "health check of the image: $health"
buildah push -q firstmile:trial "oci-archive:$work/image.tar"
echo "files: $(du -sm "$mounted" | cut -f1) MB (app $(du -sm "$mounted/app" | cut -f1), node $(du -sm "$mounted/usr/local/bin" | cut -f1)); packed image: $(du -m "$work/image.tar" | cut -f1) MB"

# Runs it as its own user on a read-only root, with /data and /tmp alone to write to.
mkdir -p "$work/data"
chown 10001:10001 "$work/data"
# No runtime of containers is needed for that: crun refuses where cgroups are of the old kind.
cat >"$work/run.sh" <<'RUN'
set -e
root="$1"; data="$2"; shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3; mknod -m 666 "$root/dev/urandom" c 1 9
mount --bind "$data" "$root/data"
mount -o remount,bind,ro "$root"
exec chroot --userspec=10001:10001 --groups= "$root" "$@"
RUN
settings=(/usr/bin/env -i NODE_ENV=production HOST=127.0.0.1 PORT=18188 DATA_DIR=/data LOG_FORMAT=json AUTO_DATA=off \
  PUBLIC_URL=https://firstmile.example.org PATH=/app/node_modules/.bin:/usr/local/bin:/usr/bin:/bin)
in_root=(unshare --mount --propagation private bash "$work/run.sh" "$mounted" "$work/data" "${settings[@]}")
inside() { "${in_root[@]}" "$@"; }
"${in_root[@]}" firstmile serve >"$work/out" 2>&1 &
service=$!
for _ in $(seq 240); do
  curl -fs http://127.0.0.1:18188/readyz >/dev/null && break
  sleep 0.5
done
inside node -e 'fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))' && echo 'health check: 0'
inside node -e 'console.log("uid", process.getuid()); try { require("fs").writeFileSync("/app/x", ""); console.log("the root can be written to") } catch (e) { console.log("writing to the root:", e.code) }'
curl -fs http://127.0.0.1:18188/healthz
echo
curl -fs "http://127.0.0.1:18188/readyz"
echo
kill -TERM "$service"
wait || true
tail -n 1 "$work/out"
