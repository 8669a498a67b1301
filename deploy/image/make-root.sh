#!/bin/sh
# Makes the root of the image from the Debian that this runs on: what Node and TLS need of it, Node, and a program.
#   make-root.sh APP ROOT
set -eu
app="$1"; root="$2"
mkdir -p "$root/etc/ssl" "$root/proc" "$root/sys" "$root/dev" "$root/run" "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" \
  "$root/usr/local/bin" "$root/var/tmp"
mkdir -m 1777 "$root/tmp"
for folder in lib bin sbin; do ln -s "usr/$folder" "$root/$folder"; done
# Where programs look for the loader depends on the processor.
if [ -d /usr/lib64 ]; then
  cp -a /usr/lib64 "$root/usr/"
  ln -s usr/lib64 "$root/lib64"
fi
for file in /usr/lib/ld-linux*; do
  [ ! -e "$file" ] || cp -a "$file" "$root/usr/lib/"
done
libraries="usr/lib/$(uname -m)-linux-gnu"
mkdir -p "$root/$libraries"
for library in ld-linux libc libm libdl libpthread librt libresolv libnss_dns libnss_files libgcc_s libstdc++ libatomic; do
  for file in "/$libraries/$library".so* "/$libraries/$library"-*.so*; do
    [ ! -e "$file" ] || cp -a "$file" "$root/$libraries/"
  done
done
# For who looks around in a container; the program needs no shell.
cp -a /usr/bin/dash "$root/usr/bin/sh"
cp -a /usr/bin/env "$root/usr/bin/env"
cp -aL /etc/ssl/certs "$root/etc/ssl/"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
printf 'root:x:0:0::/:/bin/sh\nfirstmile:x:10001:10001::/data:/usr/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nfirstmile:x:10001:\n' >"$root/etc/group"
cp -a "$app" "$root/app"
cp "$(command -v node)" "$root/usr/local/bin/node"
strip --strip-unneeded "$root/usr/local/bin/node"
