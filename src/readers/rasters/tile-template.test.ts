import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PUBLIC_RASTERS } from './public-rasters.ts';
import { MOST_TILES, templateFault, tileOfPlace, tilesOfBox, type TileScheme } from './tile-template.ts';

const HANSEN: TileScheme = { template: 'loss_{lat:2}{ns}_{lon:3}{ew}.tif', degrees: 10, corner: 'upper-left' };

const nameAt = (scheme: TileScheme, lon: number, lat: number): string | undefined =>
  tilesOfBox(scheme, [lon, lat, lon + 1e-6, lat + 1e-6])?.[0]?.address;

test('names tiles by their upper left corner, as Hansen, JRC and ESA do', () => {
  assert.equal(nameAt(HANSEN, -71.6, 18.6), 'loss_20N_080W.tif');
  assert.equal(nameAt(HANSEN, 102.6, 4.6), 'loss_10N_100E.tif');
  assert.equal(nameAt(HANSEN, -60.5, -3), 'loss_00N_070W.tif');
  assert.equal(nameAt(HANSEN, 25, -15), 'loss_10S_020E.tif');
  const jrc = { ...HANSEN, template: 'JRC_{ns}{lat}_{ew}{lon}.tif' };
  assert.equal(nameAt(jrc, 0.5, 0.5), 'JRC_N10_E0.tif');
  assert.equal(nameAt(jrc, -175, 75), 'JRC_N80_W180.tif');
  const esa = { ...HANSEN, template: '{ns}{lat:2}{ew}{lon:3}.tif' };
  assert.equal(nameAt(esa, 15, 45), 'N50E010.tif');
  assert.equal(nameAt({ ...esa, degrees: 3, corner: 'lower-left' }, 7, 49), 'N48E006.tif');
});

test('names tiles by their lower left corner, as ESA WorldCover does', () => {
  const template = 'ESA_WorldCover_10m_2021_v200_{ns}{lat:2}{ew}{lon:3}_Map.tif';
  const cover: TileScheme = { template, degrees: 3, corner: 'lower-left' };
  assert.equal(nameAt(cover, 103.1, -3.5), 'ESA_WorldCover_10m_2021_v200_S06E102_Map.tif');
  assert.equal(nameAt(cover, 102.6, 4.6), 'ESA_WorldCover_10m_2021_v200_N03E102_Map.tif');
  assert.equal(nameAt(cover, -0.1, 0.1), 'ESA_WorldCover_10m_2021_v200_N00W003_Map.tif');
});

test('every place lies in the tile of its name, and in no other', () => {
  const degrees = fc.constantFrom(1, 3, 5, 10, 30, 90);
  const corner = fc.constantFrom('upper-left', 'lower-left') as fc.Arbitrary<TileScheme['corner']>;
  const lon = fc.double({ min: -179.9, max: 179.9, noNaN: true });
  const lat = fc.double({ min: -89.9, max: 89.9, noNaN: true });
  fc.assert(
    fc.property(degrees, corner, lon, lat, (step, at, x, y) => {
      const tiles = tilesOfBox({ ...HANSEN, degrees: step, corner: at }, [x, y, x + 1e-9, y + 1e-9]);
      assert.ok(tiles !== null && tiles.length >= 1 && tiles.length <= 4);
      const [west, south, east, north] = tiles[0]?.box ?? [NaN, NaN, NaN, NaN];
      assert.ok(x >= west - 1e-9 && x <= east && y >= south - 1e-9 && y <= north);
      assert.ok(new Set(tiles.map(({ address }) => address)).size === tiles.length);
      assert.deepEqual(tileOfPlace({ ...HANSEN, degrees: step, corner: at }, x, y), tiles[0]);
    }),
  );
});

test('a box takes the tiles it overlaps, and not those it only touches', () => {
  const names = (box: readonly [number, number, number, number]) =>
    tilesOfBox(HANSEN, box)?.map(({ address }) => address);
  assert.deepEqual(names([100, 0, 110, 10]), ['loss_10N_100E.tif']);
  assert.deepEqual(names([109, -1, 111, 1])?.length, 4);
  assert.deepEqual(names([179, 5, 181, 6]), ['loss_10N_170E.tif']);
  assert.equal(tilesOfBox({ ...HANSEN, degrees: 1 }, [0, 0, MOST_TILES + 1, 1]), null);
});

test('says what a template lacks', () => {
  assert.equal(templateFault(HANSEN.template), null);
  assert.match(templateFault('x_{lat}_{lon}.tif') ?? '', /wanted \{ns\}, \{ew\} in/);
  assert.match(templateFault(`${HANSEN.template}{zone}`) ?? '', /got \{zone\}/);
});

test('names tiles of Web Mercator by their quadkey', () => {
  const scheme: TileScheme = { template: 'chm/{quadkey}.tif', degrees: 10, corner: 'upper-left', zoom: 3 };
  // The example of the tile system of Bing Maps: column 3, row 5 of zoom 3 is 213.
  const place = [(3.5 / 8) * 360 - 180, -50] as const;
  assert.equal(tileOfPlace(scheme, ...place).address, 'chm/213.tif');
  assert.equal(templateFault('chm/{quadkey}.tif'), null);
  assert.match(templateFault('chm/{quadkey}_{lat}.tif') ?? '', /wanted \{quadkey\} alone, got \{lat\}/);
  const lon = fc.double({ min: -179.9, max: 179.9, noNaN: true });
  const lat = fc.double({ min: -84.9, max: 84.9, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 14 }), lon, lat, (zoom, x, y) => {
      const tile = tileOfPlace({ ...scheme, zoom }, x, y);
      const [west, south, east, north] = tile.box!;
      assert.ok(
        west - 1e-9 <= x && x <= east + 1e-9 && south - 1e-9 <= y && y <= north + 1e-9,
        `${x} ${y} in ${tile.box}`,
      );
      assert.match(tile.address, new RegExp(`^chm/[0-3]{${zoom}}\\.tif$`));
      const inside = tilesOfBox({ ...scheme, zoom }, [x - 1e-6, y - 1e-6, x + 1e-6, y + 1e-6]);
      assert.ok(inside?.some(({ address }) => address === tile.address));
    }),
  );
});

test('names files by UTM zone, each box on the one of its middle', () => {
  const scheme: TileScheme = { template: 'status/{zone:2}.tif', degrees: 10, corner: 'upper-left' };
  const named = (box: readonly [number, number, number, number]) =>
    tilesOfBox(scheme, box)?.map(({ address }) => address);
  assert.deepEqual(named([32.9, 0.4, 33, 0.5]), ['status/36.tif']);
  assert.deepEqual(named([-51.2, -9.1, -51.1, -9]), ['status/22.tif']);
  assert.deepEqual(named([35.9, -1, 36.05, 0]), ['status/36.tif']);
  assert.deepEqual(named([35.95, -1, 36.1, 0]), ['status/37.tif']);
  // Bergen and Svalbard lie in wider zones, of which the tiles of images are named.
  assert.equal(tileOfPlace(scheme, 5.3, 60.4).address, 'status/32.tif');
  assert.equal(tileOfPlace(scheme, 8, 78).address, 'status/31.tif');
  assert.equal(tileOfPlace(scheme, 10, 78).address, 'status/33.tif');
  assert.equal(tileOfPlace(scheme, -180, -17).address, 'status/01.tif');
  assert.equal(tileOfPlace(scheme, 179.9, -17).address, 'status/60.tif');
  // Ground beyond the antimeridian is given a second time, from the other side.
  assert.deepEqual(named([179.9, -17, 180.3, -16]), []);
  assert.deepEqual(named([-180.1, -17, -179.7, -16]), ['status/01.tif']);
  assert.equal(templateFault(scheme.template), null);
  assert.match(templateFault('{zone}/{lat}.tif') ?? '', /wanted \{ns\}|wanted \{zone\} alone/);
  assert.match(templateFault('{zone}/{year}.tif') ?? '', /wanted \{zone\} alone, got \{year\}/);
  const listed = { ...scheme, listed: new Set(['36.tif']) };
  assert.equal(tileOfPlace(listed, 33, 0).isUnlisted, undefined);
  assert.equal(tileOfPlace(listed, 40, 0).isUnlisted, true);
});

test('the public rasters name their tiles with all of their corner', () => {
  for (const { url } of PUBLIC_RASTERS) assert.equal(templateFault(url.replaceAll('{year}', '2020')), null, url);
});
