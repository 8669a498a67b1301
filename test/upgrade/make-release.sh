#!/usr/bin/env bash
# Makes the fixture of a release: what it leaves in a database and in a data folder after made-up users, plots, webhooks and data.
#   test/upgrade/make-release.sh COMMIT NAME [database|folder]
# COMMIT is the release in this repository, NAME the folder here that gets database.sql and data.tar.zst, or one of the two. Needs PostgreSQL
# at TEST_DATABASE_URL (default: the one of the tests) with psql and pg_dump, curl and zstd. SOURCE names a checkout of COMMIT that has its
# packages already. All that is in it is synthetic; who ran a command is recorded by the names of the user and the host, so run it as
#   unshare --uts sh -c 'hostname example && test/upgrade/make-release.sh COMMIT NAME'
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
commit="$1"
out="$here/$2"
what="${3:-database folder}"
server="${TEST_DATABASE_URL:-postgres://postgres@127.0.0.1:5432/postgres}"
database="firstmile_release_$$"
work="$(mktemp -d)"
pid=
ended() {
  [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
  psql -q "$server" -c "drop database if exists $database with (force)"
  [ -n "${SOURCE:-}" ] || git -C "$here" worktree remove --force "$work/source"
  rm -rf "$work"
}
trap ended EXIT
if [ -z "${SOURCE:-}" ]; then
  git -C "$here" worktree add -q --detach "$work/source" "$commit"
  cd "$work/source"
  npm ci --no-audit --no-fund >/dev/null
else
  cd "$SOURCE"
fi
for node in node_modules/node-*/bin; do PATH="$PWD/$node:$PATH"; done
psql -q "$server" -c "create database $database"

export DATABASE_URL="${server%/*}/$database" DATA_DIR="$work/data" PORT=18099 PUBLIC_URL=http://127.0.0.1:18099
export FIRSTMILE_TOKEN=release-fixture-token-0123456789abcdef LOG_FORMAT=json WEBHOOK_ALLOW_LOCAL=on
export AUTO_DATA=off PUBLIC_DATA=off PUBLIC_RASTERS=off EMAIL_FROM='Fixture <fixture@example.org>'
# Made up, and nowhere in use.
export SECRETS_KEY="made-up:$(printf '%032d' 7 | base64)"
start() {
  node bin/firstmile.js serve >"$work/log" 2>&1 &
  pid=$!
  for _ in $(seq 300); do curl -fs "$PUBLIC_URL/readyz" >/dev/null && return; sleep 0.2; done
  cat "$work/log"
  return 1
}
stop() {
  kill "$pid"
  wait "$pid" || true
  pid=
}
call() {
  curl -fsS -H "Authorization: Bearer $FIRSTMILE_TOKEN" "$@"
}
plots() {
  cat <<'JSON'
{"type":"FeatureCollection","features":[
{"type":"Feature","properties":{"location_id":"A-1","supplier_name":"Ana Múltiple ☕","commodity_type":"palm","location_type":"plot","country":"MY"},"geometry":{"type":"Polygon","coordinates":[[[102.6,4.58],[102.604,4.58],[102.604,4.584],[102.6,4.584],[102.6,4.58]]]}},
{"type":"Feature","properties":{"location_id":"A-2","supplier_name":"ບຸນມີ","commodity_type":"palm","location_type":"plot","country":"MY"},"geometry":{"type":"Point","coordinates":[102.607,4.586]}},
{"type":"Feature","properties":{"location_id":"M-1","name":"Kilang Sawit Contoh","commodity_type":"palm","location_type":"facility","country":"MY"},"geometry":{"type":"Point","coordinates":[102.6124,4.5821]}}]}
JSON
}
batch() {
  plots | call -F "collection_name=$1" -F description='Made up' -F stats=true -F validate_locations=true \
    -F 'file=@-;filename=plots.geojson;type=application/geo+json' "$PUBLIC_URL/batch_process"
}
status() {
  call "$PUBLIC_URL/tasks/$1" | grep -o '"status":"[a-z]*"' | head -n 1
}

make_database() {
  start
  printf made-up-password | node bin/firstmile.js user add ana@example.org --password-stdin
  node bin/firstmile.js token create --user ana@example.org --label 'made up' >/dev/null
  call -X POST -H 'content-type: application/json' -d '{"url":"http://127.0.0.1:9/none"}' "$PUBLIC_URL/webhooks/register" >/dev/null
  task="$(batch 'Lote de prueba' | grep -o '"task_id":"[^"]*"' | head -n 1 | cut -d'"' -f4)"
  until [ "$(status "$task")" = '"status":"completed"' ]; do sleep 0.5; done
  sleep 3
  stop
  # A batch that no process has begun when the release ends.
  export RUN_TASKS=off
  start
  batch 'Waiting' >/dev/null
  stop

  pg_dump --no-owner --no-acl --inserts --rows-per-insert=50 "$DATABASE_URL" | grep -v '^\\\(un\)\?restrict' | sed "s/$(id -un)@$(hostname)/ops@example/" >"$out/database.sql"
  echo "$commit $(psql -At "$DATABASE_URL" -c 'select max(version) from migrations')" >"$out/made-from.txt"
}

# What a service with the embedded database leaves: users, plots and a sealed secret in it, the key next to it, and what was imported and trained.
make_folder() {
  unset DATABASE_URL SECRETS_KEY RUN_TASKS
  export DATA_DIR="$work/folder"
  mkdir -p "$DATA_DIR"
  printf 'name,lat,lon\nKilang Contoh Bersama,4.5821,102.6124\n' >"$work/own-mills.csv"
  node bin/firstmile.js data import producers "$work/own-mills.csv" --licence CC0-1.0
  cat >"$work/fill.ts" <<TS
import { writeFile } from 'node:fs/promises';
import { districtLabels } from '$here/../end-to-end/district-labels.ts';
import { makePack } from '$PWD/test/made-up-pack.ts';

const line = Float64Array.of(10.499, 10.5, 10.501, 10.5);
await makePack('$DATA_DIR/regional-packs', { id: 'made-up', box: [10, 10, 11, 11] }, async (sink) =>
  sink({ theme: 'roads', geometry: { type: 'lineString', line }, values: ['r/1', 'residential', null] }),
);
await writeFile('$work/cover.geojson', JSON.stringify({ type: 'FeatureCollection', features: districtLabels(900) }));
TS
  node "$work/fill.ts"
  node bin/firstmile.js models train --labels "$work/cover.geojson" --column cover --positive palm --name district-palm \
    --commodity palm --licence CC0-1.0 --block 0.004 --quiet
  start
  printf made-up-password | node bin/firstmile.js user add ana@example.org --password-stdin
  call -X POST -H 'content-type: application/json' -d '{"url":"http://127.0.0.1:9/none"}' "$PUBLIC_URL/webhooks/register" >/dev/null
  task="$(batch 'Lote de prueba' | grep -o '"task_id":"[^"]*"' | head -n 1 | cut -d'"' -f4)"
  until [ "$(status "$task")" = '"status":"completed"' ]; do sleep 0.5; done
  stop
  # Where that release kept built-in data which its package lacked; these bytes are none.
  mkdir -p "$DATA_DIR/packs"
  echo 'made up' >"$DATA_DIR/packs/ports.pack"
  # Of 34 MB most is three copies of the catalogue of the engine, which a long window sees.
  tar -C "$DATA_DIR" --sort=name --owner=0 --group=0 -cf - database registries models regional-packs packs secrets.key |
    zstd -q --ultra -22 --long=27 -f -o "$out/data.tar.zst"
}

mkdir -p "$out"
case "$what" in *database*) make_database ;; esac
case "$what" in *folder*) make_folder ;; esac
ls -l "$out"
