-- One JSON object: for each extract its counts, and 200 places with what is around them on the ellipsoid.
set client_min_messages = warning;
create function drivable(tags jsonb) returns boolean language sql immutable as $$
  select coalesce(tags ->> 'area', '') <> 'yes' and tags ->> 'highway' in ('motorway', 'motorway_link', 'trunk', 'trunk_link',
    'primary', 'primary_link', 'secondary', 'secondary_link', 'tertiary', 'tertiary_link', 'unclassified', 'residential',
    'living_street', 'service', 'track', 'road') $$;
create function water_kind(tags jsonb) returns text language sql immutable as $$
  select case
    when tags ->> 'natural' = 'coastline' then 'sea'
    when tags ->> 'natural' = 'water' then coalesce(tags ->> 'water', 'water')
    when tags ->> 'landuse' in ('reservoir', 'basin', 'pond') then tags ->> 'landuse'
    when tags ->> 'waterway' in ('riverbank', 'river', 'stream', 'canal', 'tidal_channel', 'brook') then 'waterway' end $$;
-- A linear congruence, so that the places are the same on every machine: half over the whole ground, half over its middle.
create function places(west float, south float, east float, north float)
returns table (number int, lon float, lat float) language sql immutable as $$
  with recursive draw (n, s) as (
    select 0, 12345::bigint union all select n + 1, (s * 1103515245 + 12345) % 2147483648 from draw where n < 401),
  shares as (select n, s / 2147483648.0 as share from draw where n > 0)
  select i, round((west + (east - west) * (m + w * x.share))::numeric, 7)::float,
    round((south + (north - south) * (m + w * y.share))::numeric, 7)::float
  from generate_series(0, 199) i
  cross join lateral (select case when i < 100 then 0.05 else 0.35 end m, case when i < 100 then 0.9 else 0.3 end w) z
  join shares x on x.n = 2 * i + 1 join shares y on y.n = 2 * i + 2 $$;
create function oracle(source regclass, west float, south float, east float, north float) returns jsonb language plpgsql as $$
declare answer jsonb;
begin
  execute format('create temp table t as select id, tags, geom::geography g, geom from %s', source);
  create temp table roads as select g from t where drivable(tags) and geometrytype(geom) like '%LINESTRING';
  -- Coasts and waterways are lines, also where they close; osmium makes areas of those.
  create temp table water as
    select case when w.line and geometrytype(geom) like '%POLYGON' then st_boundary(geom) else geom end::geography g
    from t cross join lateral (select water_kind(tags) kind) k
    cross join lateral (select kind in ('sea', 'waterway') and coalesce(tags ->> 'waterway', '') <> 'riverbank' line) w
    where kind not in ('wastewater', 'sewage', 'fountain', 'pool', 'swimming_pool', 'reflecting_pool', 'drain', 'ditch')
      and (w.line or geometrytype(geom) like '%POLYGON');
  create temp table houses as select g, st_area(g) area from t
    where coalesce(tags ->> 'building', 'no') <> 'no' and geometrytype(geom) like '%POLYGON';
  create temp table shops as select g from t where id like 'n%' and tags ?| array['shop', 'office', 'craft', 'amenity'];
  create index on roads using gist (g); create index on water using gist (g);
  create index on houses using gist (g); create index on shops using gist (g);
  select jsonb_build_object(
    'counts', jsonb_build_object('buildings', (select count(*) from houses),
      'works', (select count(*) from t where tags ->> 'man_made' = 'works' and geometrytype(geom) not like '%LINESTRING'),
      'drivable', (select count(*) from roads)),
    'places', jsonb_agg(jsonb_build_object('lon', p.lon, 'lat', p.lat,
      'road', (select round(min(st_distance(g, here))::numeric, 3) from roads where st_dwithin(g, here, 3000)),
      'water', (select round(min(st_distance(g, here))::numeric, 3) from water where st_dwithin(g, here, 5000)),
      'buildings', (select count(*) from houses where st_dwithin(g, here, 100)),
      'area', (select round(coalesce(sum(area), 0)::numeric, 2) from houses where st_dwithin(g, here, 100)),
      'largest', (select round(coalesce(max(area), 0)::numeric, 2) from houses where st_dwithin(g, here, 100)),
      'shops', (select count(*) from shops where st_dwithin(g, here, 2000))) order by p.number)) into answer
  from places(west, south, east, north) p
  cross join lateral (select st_setsrid(st_makepoint(p.lon, p.lat), 4326)::geography here) h;
  drop table t, roads, water, houses, shops;
  return answer;
end $$;
select jsonb_pretty(jsonb_build_object(
  'duitama_co', oracle('duitama_co', -73.104656, 5.755485, -72.9504, 5.877577),
  'legazpi_ph', oracle('legazpi_ph', 123.70, 12.99, 123.82, 13.24)));
