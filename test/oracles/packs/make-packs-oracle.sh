#!/bin/sh
# Asks PostGIS what lies around 400 places of two extracts of OpenStreetMap, and writes packs-oracle.json.
# The extracts are read by osmium, so that import, areas and distances are all independent of ours.
# Needs osmium-tool, postgresql-15-postgis-3 and a PostgreSQL server; usage: make-packs-oracle.sh FOLDER_OF_EXTRACTS
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PGHOST=${PGHOST:-127.0.0.1} PGUSER=${PGUSER:-postgres} PGDATABASE=packs_oracle
psql -q -d postgres -c 'drop database if exists packs_oracle' -c 'create database packs_oracle'
psql -q -c 'create extension postgis'
for name in duitama_co legazpi_ph; do
  osmium export --overwrite -u type_id -f pg -x tags_type=jsonb -o "$scratch/$name.pg" "$data/$name.osm.pbf" 2>/dev/null
  psql -q -c "create table $name (id text, geom geometry, tags jsonb)" -c "\\copy $name from '$scratch/$name.pg'"
done
psql -q -At -f "$here/packs-oracle.sql" > "$here/packs-oracle.json"
psql -q -d postgres -c 'drop database packs_oracle'
