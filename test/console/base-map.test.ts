import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { classifyRings, type VectorTile, type VectorTileLayer } from '@mapbox/vector-tile';
import earcut, { deviation } from 'earcut';
import { openCountries, type Countries } from '../../src/readers/built-in/countries.ts';
import { openWater, type Water } from '../../src/readers/built-in/water.ts';
import { readPack, readPackHeader } from '../../src/readers/packs/pack-file.ts';
import { seededRandom } from '../../src/geo/seeded-random.ts';
import { MAX_ZOOM, TILE_UNITS } from '../../tools/base-map/world-units.ts';
import { MAP_COLOURS } from '../../console/map/colours.ts';
import { ROOT } from '../end-to-end/run-service.ts';
import { readTile } from '../read-tile.ts';
import { browserSkip } from './browser.ts';
import { withConsole, type OpenConsole } from './with-console.ts';

/*
 * Every tile of the base map, made into triangles as the map in the browser makes them, against the country and water outlines of
 * the built-in data, which are read from the same packages by other code and neither cut nor simplified.
 */

const MAP = join(ROOT, 'dist/console/map');
const PACKS = join(ROOT, 'dist/packs');
const PLACES = 5_000;
/** MapLibre leaves the smallest rings of a polygon out past this many. */
const MOST_RINGS = 500;
/** Units round a place in which land and water must not meet for it to be wrong: what is smaller is left out above the deepest zoom. */
const CLEAR = 20;

/** What the map in the browser makes of one polygon of a tile. */
interface Drawn {
  /** x and y of three corners each, in turn. */
  readonly triangles: Float64Array;
  readonly rings: number;
  /** Square units by which the triangles are larger or smaller than the polygon. */
  readonly error: number;
}

function openTile(zoom: number, x: number, y: number): VectorTile {
  for (let [z, i, j] = [zoom, x, y]; z >= 0; [z, i, j] = [z - 1, i >> 1, j >> 1]) {
    const path = join(MAP, `${z}/${i}/${j}.mvt.gz`);
    if (existsSync(path)) return readTile(gunzipSync(readFileSync(path)));
  }
  throw new Error(`no tile holds ${zoom}/${x}/${y}`);
}

function polygonsOf(layer: VectorTileLayer | undefined): number[][][] {
  const polygons: number[][][] = [];
  for (let i = 0; i < (layer?.length ?? 0); i++)
    for (const rings of classifyRings(layer!.feature(i).loadGeometry()))
      polygons.push(rings.map((ring) => ring.flatMap(({ x, y }) => [x, y])));
  return polygons;
}

function flattened(rings: readonly number[][]): { readonly vertices: number[]; readonly holes: number[] } {
  const holes: number[] = [];
  let count = 0;
  for (const ring of rings) {
    if (count > 0) holes.push(count);
    count += ring.length / 2;
  }
  return { vertices: rings.flat(), holes };
}

const drawn = new Map<string, readonly Drawn[]>();

/** Water or lakes of a tile, made into triangles once for all tests. */
function drawnTile(zoom: number, x: number, y: number, layer: 'water' | 'lakes' = 'water'): readonly Drawn[] {
  const key = `${layer}/${zoom}/${x}/${y}`;
  const known = drawn.get(key);
  if (known !== undefined) return known;
  const made = polygonsOf(openTile(zoom, x, y).layers[layer]).map((rings): Drawn => {
    const { vertices, holes } = flattened(rings);
    const corners = earcut(vertices, holes);
    const triangles = new Float64Array(2 * corners.length);
    for (const [i, at] of corners.entries()) {
      triangles[2 * i] = vertices[2 * at]!;
      triangles[2 * i + 1] = vertices[2 * at + 1]!;
    }
    const error = deviation(vertices, holes, 2, corners) * Math.abs(areaOf(rings));
    return { triangles, rings: rings.length, error };
  });
  drawn.set(key, made);
  return made;
}

function areaOf(rings: readonly number[][]): number {
  let sum = 0;
  for (const ring of rings)
    for (let i = 0; i + 3 < ring.length; i += 2) sum += (ring[i]! * ring[i + 3]! - ring[i + 2]! * ring[i + 1]!) / 2;
  return sum;
}

function holds(polygons: readonly Drawn[], x: number, y: number): boolean {
  for (const { triangles: t } of polygons)
    for (let i = 0; i < t.length; i += 6) {
      const a = (t[i + 2]! - t[i]!) * (y - t[i + 1]!) - (t[i + 3]! - t[i + 1]!) * (x - t[i]!);
      const b = (t[i + 4]! - t[i + 2]!) * (y - t[i + 3]!) - (t[i + 5]! - t[i + 3]!) * (x - t[i + 2]!);
      const c = (t[i]! - t[i + 4]!) * (y - t[i + 5]!) - (t[i + 1]! - t[i + 5]!) * (x - t[i + 4]!);
      if ((a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0)) return true;
    }
  return false;
}

/** Whether water is drawn at a place in units of a zoom. */
function isDrawnAt(px: number, py: number, zoom: number): boolean {
  const [x, y] = [Math.floor(px / TILE_UNITS), Math.floor(py / TILE_UNITS)];
  return (['water', 'lakes'] as const).some((layer) =>
    holds(drawnTile(zoom, x, y, layer), px - x * TILE_UNITS, py - y * TILE_UNITS),
  );
}

function toLonLat(x: number, y: number, zoom: number): readonly [lon: number, lat: number] {
  const units = TILE_UNITS * 2 ** zoom;
  return [(x / units) * 360 - 180, (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / units))) * 180) / Math.PI];
}

async function packOf(kind: 'countries' | 'water') {
  const path = join(PACKS, `${kind}.pack`);
  const header = await readPackHeader(path);
  const { pack } = await readPack(path, header?.dataset ?? '', header?.key ?? '');
  assert.ok(pack !== null, `${path} cannot be read`);
  return pack;
}

let countries: Countries;
let water: Water;

async function readOutlines(): Promise<void> {
  countries ??= openCountries(await packOf('countries'));
  water ??= openWater(await packOf('water'));
}

/** What the outlines say of a place in units of a zoom; null where they disagree, a coarse lake alone has it, or it lies beyond the antimeridian. */
function isWater(x: number, y: number, zoom: number): boolean | null {
  const [lon, lat] = toLonLat(x, y, zoom);
  if (Math.abs(lon) > 180) return null;
  const area = water.areaAt(lon, lat);
  if (area !== null) return area.coarse ? null : true;
  return countries.landAt(lon, lat) === null ? null : false;
}

/** The Aral Sea, whose coarse outline is older than its shore, and Island Lake in Manitoba: other outlines have a part of each. */
const PARTLY_KNOWN = [
  [58, 43, 62, 47],
  [-95.5, 53, -93, 54.5],
] as const;

/** Whether no other outlines have inland water near a place: a lake of theirs is drawn with their shore. */
function isOnlyCoarseAround(lon: number, lat: number): boolean {
  if (PARTLY_KNOWN.some(([west, south, east, north]) => lon > west && lon < east && lat > south && lat < north))
    return false;
  for (let dy = -0.3; dy <= 0.3; dy += 0.05)
    for (let dx = -0.3; dx <= 0.3; dx += 0.05) if (water.areaAt(lon + dx, lat + dy)?.coarse === false) return false;
  return true;
}

/** Whether all around a place is as it is itself. */
function isAlikeAround(x: number, y: number, zoom: number, clear = CLEAR): boolean {
  const own = isWater(x, y, zoom);
  for (let dy = -clear; dy <= clear; dy += clear / 2)
    for (let dx = -clear; dx <= clear; dx += clear / 2) if (isWater(x + dx, y + dy, zoom) !== own) return false;
  return true;
}

describe('the tiles of the base map', { skip: !existsSync(join(MAP, 'stamp')) && 'the console is not built' }, () => {
  before(readOutlines);

  for (let zoom = 0; zoom <= MAX_ZOOM; zoom++)
    it(`are land and water where the country data has them, at zoom ${zoom}`, () => {
      const random = seededRandom(7 + zoom);
      const wrong: string[] = [];
      let [land, sea] = [0, 0];
      for (let tried = 0; land + sea < PLACES && tried < PLACES * 20; tried++) {
        const lon = random() * 360 - 180;
        const sine = random() * 1.98 - 0.99;
        const units = TILE_UNITS * 2 ** zoom;
        const [px, py] = [(lon / 360 + 0.5) * units, (0.5 - Math.atanh(sine) / (2 * Math.PI)) * units];
        const expected = isWater(px, py, zoom);
        if (expected === null) continue;
        if (expected) sea++;
        else land++;
        const isDrawn = isDrawnAt(px, py, zoom);
        if (isDrawn !== expected && isAlikeAround(px, py, zoom))
          wrong.push(
            `${toLonLat(px, py, zoom)
              .map((value) => value.toFixed(2))
              .join(' ')} is ${expected ? 'water' : 'land'}`,
          );
      }
      assert.deepEqual(wrong, []);
      assert.equal(land + sea, PLACES);
      assert.ok(land > PLACES / 20, `${land} on land`);
    });

  it('have the lakes that only the coarse outlines know, from Lake Volta on', () => {
    const units = TILE_UNITS * 2 ** MAX_ZOOM;
    const wrong: string[] = [];
    let found = 0;
    for (let lat = -55; lat < 75; lat += 0.2)
      for (let lon = -179.9; lon < 180; lon += 0.2) {
        if (water.areaAt(lon, lat)?.coarse !== true || !isOnlyCoarseAround(lon, lat)) continue;
        found++;
        const sine = Math.sin((lat * Math.PI) / 180);
        const at = [(lon / 360 + 0.5) * units, (0.5 - Math.atanh(sine) / (2 * Math.PI)) * units] as const;
        if (!isDrawnAt(...at, MAX_ZOOM)) wrong.push(`${lon.toFixed(1)} ${lat.toFixed(1)}`);
      }
    assert.deepEqual(wrong, []);
    assert.ok(found >= 15, `${found} places`);
  });

  it('hold polygons that fall into triangles of the same area, with no more rings than are drawn', () => {
    let polygons = 0;
    const worst: [error: number, tile: string][] = [];
    for (let zoom = 0; zoom <= MAX_ZOOM; zoom++)
      for (let x = 0; x < 2 ** zoom; x++)
        for (let y = 0; y < 2 ** zoom; y++) {
          let error = 0;
          if (!existsSync(join(MAP, `${zoom}/${x}/${y}.mvt.gz`))) continue;
          for (const polygon of drawnTile(zoom, x, y)) {
            polygons++;
            assert.ok(polygon.rings <= MOST_RINGS, `${zoom}/${x}/${y} has a polygon of ${polygon.rings} rings`);
            error = Math.max(error, polygon.error);
          }
          worst.push([error, `${zoom}/${x}/${y}`]);
        }
    const [[error, tile] = [Infinity, '']] = worst.sort(([a], [b]) => b - a);
    // A square of 2 pixels.
    assert.ok(error < TILE_UNITS ** 2 / 65_536, `the triangles of ${tile} are off by ${error} square units`);
    assert.ok(polygons > 5_000);
  });
});

/** Places of the fault that this test is for, with others around them. */
const SEEN = {
  'Ivory Coast': [-5.5, 7.2],
  Ghana: [-1.8, 7],
  Mali: [-5, 14.5],
  Senegal: [-14.5, 14.6],
  Morocco: [-6, 32.2],
  Nigeria: [8, 9],
  Jordan: [36.5, 30.8],
  Sinai: [33.8, 29.6],
  Egypt: [30, 27],
  Brazil: [-52, -10],
  'the lake of the Volta': [0.12, 7.2],
  'the Gulf of Guinea': [-2, 1],
  'the Atlantic': [-28, 18],
  'the Indian Ocean': [62, -6],
} as const;

describe('the base map in a browser', { skip: browserSkip() }, () => {
  let opened: OpenConsole;
  withConsole((found) => (opened = found), { maps: true });
  before(readOutlines);

  it('draws land and water where they are, from zoom 1.5 to 6.5', async () => {
    const { page } = opened.window;
    const wrong: string[] = [];
    let sampled = 0;
    await opened.window.go('/console/forest');
    await opened.window.signIn(opened.service.token);
    for (const zoom of [1.5, 2, 2.5, 3, 3.5, 4.5, 6.5]) {
      const [lon, lat] = zoom > 5 ? SEEN.Ghana : ([8, 14] as const);
      await opened.window.go(`/console/forest?map=${zoom}/${lat}/${lon}`);
      await opened.window.mapIdle();
      await opened.window.shot(`base-map-${zoom}`);
      const canvas = page.locator('.maplibregl-canvas');
      const size = await canvas.boundingBox();
      const shot = await canvas.screenshot();
      const pixels = Object.entries(SEEN).map(([name, place]) => {
        const [x, y] = pixelOf(place, zoom).map((value, i) => value - pixelOf([lon, lat], zoom)[i]!);
        return { name, x: (size?.width ?? 0) / 2 + x!, y: (size?.height ?? 0) / 2 + y! };
      });
      // A lake is a few pixels wide only from close by.
      const inView = pixels.filter(
        ({ name, x, y }) =>
          (zoom > 5 || !name.includes('lake')) &&
          x > 60 &&
          y > 60 &&
          x < (size?.width ?? 0) - 60 &&
          y < (size?.height ?? 0) - 60,
      );
      const shares = await waterShares(page, shot, inView);
      for (const [i, { name }] of inView.entries()) {
        sampled++;
        if (shares[i]! > 0.5 !== /the /.test(name)) wrong.push(`${name} at zoom ${zoom}: ${shares[i]} water`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(sampled > 40, `${sampled} places were in view`);
    assert.deepEqual(opened.window.faults, []);
  });
});

/** Zooms at which pixels are looked at, views at each, and places of each view: 5,040 in all. */
const PIXEL_ZOOMS = [2, 2.5, 3, 3.5, 4, 4.5, 5];
const VIEWS = 6;
const PLACES_OF_VIEW = 120;
/** Pixels of a view that are not looked at along its edges. */
const EDGE = 12;

describe('the pixels of the base map', { skip: browserSkip() }, () => {
  let opened: OpenConsole;
  withConsole((found) => (opened = found), { maps: true });
  before(readOutlines);

  it('are land and water where the country data has them, at 5,000 random places', async () => {
    const { page, go, signIn, mapIdle } = opened.window;
    const random = seededRandom(21);
    const wrong: string[] = [];
    let [land, sea, covered] = [0, 0, 0];
    await go('/console/forest');
    await signIn(opened.service.token);
    for (const zoom of PIXEL_ZOOMS)
      for (let view = 0; view < VIEWS; view++) {
        const middle = [random() * 300 - 150, random() * 110 - 50] as const;
        await go(`/console/forest?map=${zoom}/${middle[1]}/${middle[0]}`);
        await mapIdle();
        // What lies over the map has colours of its own.
        await page.evaluate(`for (const one of document.querySelectorAll('.map-legend, .maplibregl-control-container'))
          one.style.display = 'none'`);
        const canvas = page.locator('.maplibregl-canvas');
        const { width, height } = (await canvas.boundingBox())!;
        const [left, top] = pixelOf(middle, zoom).map((value, i) => value - (i === 0 ? width : height) / 2);
        const places: { x: number; y: number; isWater: boolean; at: string }[] = [];
        while (places.length < PLACES_OF_VIEW) {
          const x = EDGE + random() * (width - 2 * EDGE);
          const y = EDGE + random() * (height - 2 * EDGE);
          const [unitX, unitY] = [(left! + x) * UNITS_OF_PIXEL, (top! + y) * UNITS_OF_PIXEL];
          const expected = isWater(unitX, unitY, zoom);
          const at = toLonLat(unitX, unitY, zoom);
          if (expected === null || Math.abs(at[1]) > 80) continue;
          places.push({
            x,
            y,
            isWater: expected,
            at: `${at.map((value) => value.toFixed(2)).join(' ')} at zoom ${zoom}`,
          });
          if (expected) sea++;
          else land++;
        }
        const shares = await waterShares(page, await canvas.screenshot(), places, 1);
        for (const [i, place] of places.entries()) {
          if (Number.isNaN(shares[i]!)) covered++;
          else if (
            shares[i]! > 0.5 !== place.isWater &&
            isAlikeAround((left! + place.x) * UNITS_OF_PIXEL, (top! + place.y) * UNITS_OF_PIXEL, zoom, CLEAR_PIXELS)
          )
            wrong.push(`${place.at} is ${place.isWater ? 'water' : 'land'}`);
        }
      }
    assert.deepEqual(wrong, []);
    assert.ok(land > 1_000 && sea > 1_000, `${land} on land, ${sea} in water`);
    assert.ok(covered < (land + sea) / 50, `${covered} places are under a name or a line`);
  });
});

/** Units of a tile for one pixel of the screen. */
const UNITS_OF_PIXEL = TILE_UNITS / 512;
/** Units around a place: 3 pixels, in which nothing is drawn as smooth edges. */
const CLEAR_PIXELS = 3 * UNITS_OF_PIXEL;

/** Pixels of the screen from the north-west corner of the world. */
function pixelOf([lon, lat]: readonly [number, number], zoom: number): readonly [number, number] {
  const world = 512 * 2 ** zoom;
  return [(lon / 360 + 0.5) * world, (0.5 - Math.atanh(Math.sin((lat * Math.PI) / 180)) / (2 * Math.PI)) * world];
}

/** Of the pixels within a reach of each place that have the colour of land or water, the share that is water. */
async function waterShares(
  page: Page,
  shot: Buffer,
  places: readonly { readonly x: number; readonly y: number }[],
  reach = 4,
): Promise<readonly number[]> {
  const colours = [MAP_COLOURS.light.land, MAP_COLOURS.light.water];
  return page.evaluate<readonly number[]>(`(async () => {
    const bytes = Uint8Array.from(atob('${shot.toString('base64')}'), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const [land, water] = ${JSON.stringify(colours)}.map((hex) =>
      [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
    return ${JSON.stringify(places)}.map(({ x, y }) => {
      const { data } = context.getImageData(Math.floor(x) - ${reach}, Math.floor(y) - ${reach}, ${2 * reach + 1}, ${2 * reach + 1});
      const near = (at, colour) => colour.every((value, i) => Math.abs(data[at + i] - value) <= 2);
      let [lands, waters] = [0, 0];
      for (let at = 0; at < data.length; at += 4) {
        if (near(at, land)) lands++;
        if (near(at, water)) waters++;
      }
      return waters / (lands + waters);
    });
  })()`);
}
