#!/bin/bash
# Starts Ceph of Debian (one monitor, one OSD in memory, radosgw) in a folder of its own, on ports of its own.
# usage: radosgw.sh FOLDER PORT; needs: apt-get install --no-install-recommends ceph-mon ceph-osd ceph-common radosgw
# Prints the settings of the bucket; ends everything when its input ends.
set -euo pipefail
folder=$(realpath -m "$1"); port=${2:-7480}; mon=127.0.0.1:$((port + 1))
[ ! -e "$folder" ] || { echo "wanted a folder that is not there yet, got $folder" >&2; exit 1; }
mkdir -p "$folder"/{mon,osd,rgw,log,run}
cd "$folder"
fsid=$(cat /proc/sys/kernel/random/uuid)
cat > ceph.conf <<CONF
[global]
fsid = $fsid
mon initial members = a
mon host = v2:$mon
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
run dir = $folder/run
admin socket = $folder/run/\$name.asok
log file = $folder/log/\$name.log
ms bind ipv6 = false
ms mon client mode = crc
ms mon service mode = crc
ms mon cluster mode = crc
[mon]
mon data = $folder/mon
mon data avail crit = 1
[osd]
osd data = $folder/osd
osd objectstore = memstore
memstore device bytes = 4294967296
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:$port
rgw data = $folder/rgw
rgw thread pool size = 32
rgw multipart min part size = 5242880
CONF
export CEPH_CONF=$folder/ceph.conf
c() { ceph -c ceph.conf --connect-timeout 60 "$@"; }
monmaptool --create --fsid "$fsid" --addv a "[v2:$mon]" monmap >/dev/null
ceph-mon -c ceph.conf -i a --mkfs --monmap monmap
ceph-mon -c ceph.conf -i a -f > log/mon.out 2>&1 & pids=($!)
trap 'kill "${pids[@]}" 2>/dev/null; wait' EXIT TERM INT
c mon enable-msgr2 >/dev/null 2>&1 || true
uuid=$(cat /proc/sys/kernel/random/uuid)
c osd new "$uuid" 0 >/dev/null
ceph-osd -c ceph.conf -i 0 --mkfs --osd-uuid "$uuid" > log/mkfs.out 2>&1
c osd crush add osd.0 1 root=default >/dev/null 2>&1
ceph-osd -c ceph.conf -i 0 -f > log/osd.out 2>&1 & pids+=($!)
timeout 120 bash -c "until ceph -c ceph.conf osd stat 2>/dev/null | grep -q '1 up'; do sleep 0.5; done"
timeout 300 radosgw-admin -c ceph.conf --name client.rgw user create --uid=firstmile --display-name=firstmile \
  --access-key=firstmile-key --secret-key=firstmile-secret > log/user.out 2>&1
radosgw -c ceph.conf --name client.rgw -f > log/rgw.out 2>&1 & pids+=($!)
timeout 120 bash -c "until curl -sf -o /dev/null http://127.0.0.1:$port/; do sleep 0.5; done"
echo "OBJECT_STORE_URL=http://127.0.0.1:$port/firstmile AWS_ACCESS_KEY_ID=firstmile-key AWS_SECRET_ACCESS_KEY=firstmile-secret"
cat > /dev/null
