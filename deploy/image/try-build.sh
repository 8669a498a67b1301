#!/usr/bin/env bash
# Builds the image without a registry of images and runs it: a root of Debian's own packages in place of the base image, Node from
# npm. Needs root, buildah and debootstrap of Debian, and the packed package.
#   npm pack && deploy/image/try-build.sh firstmile-0.1.0.tgz
set -euo pipefail
package="$(realpath "$1")"
work="$(mktemp -d)"
root="$work/root"
trap 'rm -rf "$work"' EXIT

# What Node and TLS need of Debian, and nothing to install more with.
debootstrap --variant=minbase --include=ca-certificates,libstdc++6,libatomic1 bookworm "$work/full" http://deb.debian.org/debian >"$work/log"
mkdir -p "$root"/{etc/ssl,tmp,data,proc,sys,dev,run,usr/bin,usr/sbin,usr/lib,usr/local/bin,var/tmp}
ln -s usr/lib "$root/lib"; ln -s usr/lib64 "$root/lib64"; ln -s usr/bin "$root/bin"; ln -s usr/sbin "$root/sbin"
cp -a "$work/full/usr/lib64" "$root/usr/"
mkdir -p "$root/usr/lib/x86_64-linux-gnu"
for library in ld-linux-x86-64 libc libm libdl libpthread librt libresolv libnss_dns libnss_files libgcc_s libstdc++ libatomic; do
  cp -a "$work/full/usr/lib/x86_64-linux-gnu/$library".so* "$root/usr/lib/x86_64-linux-gnu/" 2>/dev/null || true
done
cp -a "$work/full/usr/bin/dash" "$root/usr/bin/sh"
cp -a "$work/full/usr/bin/env" "$root/usr/bin/env"
cp -aL "$work/full/etc/ssl/certs" "$root/etc/ssl/"
cp -a "$work/full/etc/nsswitch.conf" "$root/etc/" 2>/dev/null || echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
printf 'root:x:0:0::/:/bin/sh\nfirstmile:x:10001:10001::/data:/usr/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nfirstmile:x:10001:\n' >"$root/etc/group"
chown 10001:10001 "$root/data"; chmod 700 "$root/data"; chmod 1777 "$root/tmp"

npm install --prefix "$work/app" --omit=dev --omit=optional --no-audit --no-fund --ignore-scripts "$package" >/dev/null
find "$work/app" \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
cp -a "$work/app" "$root/app"
cp "$(command -v node)" "$root/usr/local/bin/node"
strip --strip-unneeded "$root/usr/local/bin/node" 2>/dev/null || true

export BUILDAH_ISOLATION="${BUILDAH_ISOLATION:-chroot}" STORAGE_DRIVER="${STORAGE_DRIVER:-vfs}"
container="$(buildah from scratch)"
buildah copy -q "$container" "$root" /
buildah config --user 10001:10001 --workingdir /data --port 8080 --stop-signal SIGTERM --volume /data \
  --env NODE_ENV=production --env HOST=0.0.0.0 --env PORT=8080 --env DATA_DIR=/data --env LOG_FORMAT=json \
  --env PATH=/app/node_modules/.bin:/usr/local/bin:/usr/bin:/bin \
  --entrypoint '["firstmile"]' --cmd serve "$container"
image="$(buildah commit -q "$container" firstmile:trial)"
buildah rm "$container" >/dev/null
buildah push -q "$image" "oci-archive:$work/image.tar"
echo "files: $(du -sm "$root" | cut -f1) MB (app $(du -sm "$root/app" | cut -f1), node $(du -sm "$root/usr/local/bin" | cut -f1)); packed image: $(du -m "$work/image.tar" | cut -f1) MB"

# Runs it as its own user on a read-only root, with /data and /tmp alone to write to.
container="$(buildah from "$image")"
mounted="$(buildah mount "$container")"
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
inside() { unshare --mount --propagation private bash "$work/run.sh" "$mounted" "$work/data" "${settings[@]}" "$@"; }
inside firstmile serve >"$work/out" 2>&1 &
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
pkill -TERM -P "$service" || kill "$service"
wait || true
tail -n 1 "$work/out"
buildah umount "$container" >/dev/null
buildah rm "$container" >/dev/null
buildah rmi -f "$image" >/dev/null
