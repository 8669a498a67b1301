#!/bin/sh
# Makes the parcels of the tests, writes them in the formats of cadastres with GDAL, and asks PostGIS which of them hold
# each point. Needs Python with shapely, ogr2ogr, zip and a PostgreSQL server with PostGIS.
set -eu
cd "$(dirname "$0")"
python3 make-parcels.py
rm -f parcels.gpkg parcels.fgb parcels.zip
ogr2ogr -q -f GPKG parcels.gpkg parcels.geojson -nln parcels -a_srs EPSG:4326 -t_srs EPSG:26916
ogr2ogr -q -f FlatGeobuf parcels.fgb parcels.geojson -nln parcels -nlt PROMOTE_TO_MULTI
folder=$(mktemp -d)
ogr2ogr -q -f 'ESRI Shapefile' "$folder/parcels.shp" parcels.geojson -s_srs EPSG:4326 -t_srs EPSG:26916
zip -q -j parcels.zip "$folder"/parcels.shp "$folder"/parcels.dbf "$folder"/parcels.prj "$folder"/parcels.cpg
rm -r "$folder"
export PGHOST=${PGHOST:-127.0.0.1} PGUSER=${PGUSER:-postgres} PGDATABASE=parcels_oracle
psql -q -d postgres -c 'drop database if exists parcels_oracle' -c 'create database parcels_oracle'
psql -q -c 'create extension postgis'
ogr2ogr -q -f PostgreSQL PG:dbname=parcels_oracle parcels.geojson -nln parcels -nlt GEOMETRY -lco GEOMETRY_NAME=geom
psql -q -At -v points="$(cat points.json)" -o expected.json <<'SQL'
with points as (
  select i, st_setsrid(st_makepoint((p->>0)::float8, (p->>1)::float8), 4326) as at, p
  from json_array_elements(:'points'::json) with ordinality as t(p, i)
), held as (
  select i, json_agg(parcelid order by parcelid) filter (where st_contains(geom, at)) as inside,
         json_agg(parcelid order by parcelid) filter (where not st_contains(geom, at)) as boundary
  from points join parcels on st_covers(geom, at) group by i
)
select json_build_object(
  'areas', (select json_object_agg(parcelid, round((st_area(geom::geography) / 10000)::numeric, 4)) from parcels),
  'points', (select json_agg(json_build_object('point', p, 'inside', coalesce(inside, '[]'), 'boundary', coalesce(boundary, '[]')) order by i)
             from points left join held using (i)));
SQL
psql -q -d postgres -c 'drop database parcels_oracle'
rm points.json
