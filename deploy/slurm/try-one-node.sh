#!/bin/bash
# Runs an array of four under a SLURM of one node on this machine, kills two tasks, submits them again, and compares the
# store with that of one process. Needs Debian's slurm-wlm and munge, root, and a catalogue with embeddings.
#   CATALOGUE=catalogue.json DATASET=wisconsin BBOX=-88.9,44.27,-88.7,45 SHARD=128 deploy/slurm/try-one-node.sh
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
export FIRSTMILE="${FIRSTMILE:-$here/../../bin/firstmile.js}" DATASET BBOX SHARD PARTS=4
export CATALOGUE="$(realpath "$CATALOGUE")"
work="$(mktemp -d /tmp/firstmile-slurm.XXXXXX)"
export DATA_DIR="$work/data" OUT="$work/parts"
mkdir -p "$work"/{state,spool,log,munge}
ended() {
  kill $(cat "$work"/*.pid "$work"/munge/*.pid 2>/dev/null) 2>/dev/null || true
}
trap ended EXIT

# A key and sockets of our own, so that nothing of a system's own SLURM is touched.
dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 status=none
chmod 400 "$work/munge/key"
chmod 711 "$work"; chmod 755 "$work/munge"
munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/munged.pid" \
  --log-file="$work/munge/log" --seed-file="$work/munge/seed"
host="$(hostname -s)"
cat > "$work/slurm.conf" <<CONF
ClusterName=trial
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$work/slurm.conf"
slurmctld
slurmd
for _ in $(seq 60); do sinfo -h -o %T 2>/dev/null | grep -q idle && break; sleep 1; done
sinfo

submit() {
  sbatch --parsable --array="$1" --cpus-per-task=1 --mem=0 --export=ALL --output="$work/log/%A_%a" "$here/build-store.sbatch"
}
await() {
  while squeue -h -j "$1" 2>/dev/null | grep -q .; do sleep 1; done
}
built() {
  grep -c ': built' "$work/log/${1}_$2" 2>/dev/null || true
}
job="$(submit 0-3)"
echo "array $job of four"
for task in 1 3; do
  until [ "$(built "$job" "$task")" -ge 1 ] 2>/dev/null; do sleep 0.1; done
  scancel --signal=KILL --full "${job}_$task"
  echo "task $task killed after $(built "$job" "$task") of its tiles"
done
await "$job"
echo "tiles after the first array: $(find "$OUT" -path '*/built/*.json' | wc -l)"
again="$(submit 1,3)"
echo "tasks 1 and 3 again: $again"
await "$again"
tail -n 2 "$work/log/${again}"_*
"$FIRSTMILE" store build --dataset "$DATASET" ${BBOX:+"--bbox=$BBOX"} ${SHARD:+--shard "$SHARD"} --out "$work/whole" --quiet

# When a tile was built and how long it took are no bytes of the labels.
sum() {
  (cd "$1" && find . -type f | sort | while read -r file; do
    case "$file" in
      */built/*) sed -E 's/"seconds":[^,]*,"builtAt":"[^"]*"//' "$file" | sha256sum | sed "s|-|$file|" ;;
      *) sha256sum "$file" ;;
    esac
  done)
}
sum "$work/whole" > "$work/whole.sums"
sum "$OUT" > "$work/parts.sums"
cmp "$work/whole.sums" "$work/parts.sums" && echo "equal: $(wc -l < "$work/whole.sums") files"
"$FIRSTMILE" store verify "$OUT" --dataset "$DATASET" --sample 50 --seed 1
