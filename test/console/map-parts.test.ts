import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import type { Feature, Geometry, Point, Position } from 'geojson';
import geodesic from 'geographiclib-geodesic';
import { baseLegend } from '../../console/map/base-legend.ts';
import { mapStyle } from '../../console/map/base-style.ts';
import { clipToCircle } from '../../console/map/clip-to-circle.ts';
import { boxAround, mainBox } from '../../console/map/main-box.ts';
import { LEVEL_COLOURS, MAP_COLOURS } from '../../console/map/colours.ts';
import { SET_THEMES, setsInView, setsOf } from '../../console/map/map-sets.ts';
import { setLayers, slotOf } from '../../console/map/set-layers.ts';
import { DOTS, markTiles, MARKS as NEAR, packPoints, visibleFrom } from '../../console/map/marks/mark-tiles.ts';
import { seededRandom } from '../../src/geo/seeded-random.ts';
import { isLocated } from '../../console/map/is-located.ts';
import { yearColour } from '../../console/map/year-colours.ts';
import { lookUntil, lossYears, yearsOfBar } from '../../console/pages/collections/plots/years/loss-years.ts';
import { CIRCLES, readCircles, writeCircles } from '../../console/pages/facilities/circles.ts';
import { countedGround } from '../../console/pages/facilities/counted-ground.ts';
import { readTile } from '../read-tile.ts';

type Validate = (style: unknown) => readonly { readonly message: string }[];
// The one that MapLibre brings along.
const { validateStyleMin } = createRequire(import.meta.resolve('maplibre-gl'))('@maplibre/maplibre-gl-style-spec') as {
  readonly validateStyleMin: Validate;
};

const THEMES = ['light', 'dark'] as const;
const { WGS84 } = geodesic.Geodesic;

function metresFrom(lon: number, lat: number, [x = 0, y = 0]: Position): number {
  return WGS84.Inverse(lat, lon, y, x).s12 ?? Number.NaN;
}

function positionsOf(geometry: Geometry | null): readonly Position[] {
  const found: Position[] = [];
  const visit = (value: unknown): void => {
    if (!Array.isArray(value)) return;
    if (typeof value[0] === 'number') found.push(value as Position);
    else value.forEach(visit);
  };
  visit((geometry as { readonly coordinates?: unknown } | null)?.coordinates);
  return found;
}

describe('what is drawn around a facility', () => {
  for (const [lon, lat] of [
    [102.6, 4.6],
    [-88.8, 44.3],
    [25.7, 66.5],
  ] as const)
    it(`is cut at the circle on the ellipsoid, at ${lat} degrees north`, () => {
      const line: Geometry = {
        type: 'LineString',
        coordinates: [
          [lon - 0.2, lat - 0.01],
          [lon + 0.2, lat + 0.01],
          [lon + 0.2, lat],
          [lon - 0.2, lat],
        ],
      };
      for (const radius of [1_000, 5_000]) {
        const cut = clipToCircle(line, [lon, lat], radius);
        assert.equal(cut?.type, 'MultiLineString');
        const parts = (cut as { readonly coordinates: Position[][] }).coordinates;
        assert.equal(parts.length, 2);
        for (const end of parts.flatMap((part) => [part[0]!, part.at(-1)!]))
          assert.ok(
            Math.abs(metresFrom(lon, lat, end) / radius - 1) < 0.002,
            `${metresFrom(lon, lat, end)} of ${radius}`,
          );
        const area: Geometry = {
          type: 'Polygon',
          coordinates: [
            [
              [lon, lat],
              [lon + 1, lat],
              [lon + 1, lat + 1],
              [lon, lat + 1],
              [lon, lat],
            ],
          ],
        };
        const corners = positionsOf(clipToCircle(area, [lon, lat], radius));
        assert.ok(corners.length > 20);
        const far = Math.max(...corners.map((corner) => metresFrom(lon, lat, corner)));
        assert.ok(far / radius > 0.998 && far / radius < 1.002, String(far));
      }
    });

  it('is left whole inside of the circle, and gone outside', () => {
    const ring = [
      [102.6, 4.6],
      [102.6001, 4.6],
      [102.6001, 4.6001],
      [102.6, 4.6],
    ];
    const building: Geometry = { type: 'Polygon', coordinates: [ring] };
    assert.deepEqual(positionsOf(clipToCircle(building, [102.6, 4.6], 100)).length, 4);
    assert.equal(clipToCircle(building, [102.61, 4.6], 100), null);
    assert.equal(clipToCircle({ type: 'Point', coordinates: [102.61, 4.6] }, [102.6, 4.6], 1_000), null);
    const both = { type: 'MultiPoint', coordinates: [ring[0]!, [103, 5]] } as const;
    assert.deepEqual(positionsOf(clipToCircle(both as never, [102.6, 4.6], 1_000)), [ring[0]]);
  });

  it('is what the evidence counted by the same dataset, no farther than its indicator looks', () => {
    const road = (indicator: string, dataset: string): Feature => ({
      type: 'Feature',
      properties: { indicator, dataset },
      geometry: {
        type: 'LineString',
        coordinates: [
          [102.6, 4.6],
          [102.7, 4.6],
        ],
      },
    });
    const item = (indicator: string, status: 'present' | 'absent' | 'unknown', dataset: string) => ({
      indicator,
      status,
      dataset,
      value: 1,
      penalty: 0,
      dataset_version: '1',
      detail: '',
    });
    const facility: Parameters<typeof countedGround>[1] = {
      geometry: { type: 'Point', coordinates: [102.6, 4.6] },
      properties: {
        location_type: 'facility',
        country: null,
        commodity_type: null,
        evidence: [item('road_access', 'present', 'pack-roads'), item('water_access', 'absent', 'pack-water')],
      },
    };
    const found = [
      road('road_access', 'pack-roads'),
      road('road_access', 'another-roads'),
      road('water_access', 'pack-water'),
      road('port_proximity', 'pack-ports'),
    ];
    const counted = countedGround(found, facility);
    assert.equal(counted.length, 1);
    const far = Math.max(...positionsOf(counted[0]!.geometry).map((position) => metresFrom(102.6, 4.6, position)));
    assert.ok(Math.abs(far - 1_000) < 2, String(far));
  });

  it('has a circle for each distance that an indicator looks, and the address those that are not usual', () => {
    assert.deepEqual(
      CIRCLES.map(({ radiusM }) => radiusM),
      [100, 1_000, 2_000, 5_000, 50_000],
    );
    assert.deepEqual(CIRCLES.at(-1)?.indicators, ['port_proximity']);
    assert.deepEqual(readCircles(null), [100, 2_000, 5_000]);
    assert.deepEqual(readCircles('50000,100,7'), [100, 50_000]);
    assert.deepEqual(readCircles(''), []);
    assert.equal(writeCircles([5_000, 100, 2_000]), null);
    assert.equal(writeCircles([50_000, 100]), '100,50000');
    assert.equal(writeCircles([]), '');
  });
});

describe('the style of the map', () => {
  const tiles = { url: 'https://tiles.example.org/{z}/{x}/{y}.png', attribution: 'Tiles' };

  for (const theme of THEMES)
    it(`is one that MapLibre understands, with every kind of tile, ${theme}`, () => {
      const style = mapStyle({
        origin: 'http://127.0.0.1',
        theme,
        tiles,
        terrain: { ...tiles, encoding: 'terrarium' },
        sources: {},
        layers: [],
      });
      const sets = SET_THEMES.map((name) => ({ id: `a-${name}`, theme: name }));
      const source = { type: 'vector', tiles: [tiles.url] } as const;
      const whole = {
        ...style,
        sources: { ...style.sources, ...Object.fromEntries(sets.map(({ id }) => [`set-${id}`, source])) },
        layers: [...style.layers, ...sets.flatMap((set) => setLayers(set, theme))],
      };
      assert.deepEqual(
        validateStyleMin(whole).map(({ message }) => message),
        [],
      );
      const ids = whole.layers.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      for (const name of SET_THEMES) assert.ok(ids.includes(slotOf(name)));
    });

  it('draws no water from near, where its shores would be shards', () => {
    const options = { origin: '', theme: 'light', tiles: null, terrain: null, sources: {}, layers: [] } as const;
    for (const layer of mapStyle(options).layers.filter(({ id }) => id === 'water' || id === 'lakes')) {
      const { maxzoom = Infinity } = layer;
      // A unit of the deepest tiles is 300 m, which are 11 pixels there.
      assert.ok(maxzoom <= 12.5, `${layer.id} is drawn up to zoom ${maxzoom}`);
      assert.deepEqual((layer.paint as { 'fill-opacity': unknown[] })['fill-opacity'].slice(-2), [maxzoom, 0]);
    }
  });

  it('shows what an operator writes as text', () => {
    const attribution = '<img src=x onerror=alert(1)>';
    const style = mapStyle({
      origin: 'http://127.0.0.1',
      theme: 'light',
      tiles: { ...tiles, attribution },
      terrain: null,
      sources: {},
      layers: [],
    });
    assert.equal(JSON.stringify(style).includes('<img'), false);
  });

  for (const theme of THEMES)
    it(`has marks of 3:1 or more on land and on water, ${theme}`, () => {
      const { land, water, ...colours } = MAP_COLOURS[theme];
      const marks = {
        ...LEVEL_COLOURS[theme],
        ...Object.fromEntries(MARKS.map((name) => [name, colours[name]])),
        ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [2001 + i, yearColour(2001 + i, theme)])),
      };
      const low = Object.entries(marks).flatMap(([name, colour]) =>
        Object.entries({ land, water }).flatMap(([ground, below]) => {
          const found = contrast(colour, below);
          return found < 3 ? [`${name} ${colour} on ${ground}: ${found.toFixed(2)}`] : [];
        }),
      );
      assert.deepEqual(low, []);
    });
});

const MARKS = ['forest', 'segment', 'business', 'raw', 'ring', 'counted', 'selected', 'accent'] as const;

/** By the formula of WCAG 2. */
function contrast(one: string, other: string): number {
  const luminance = (hex: string): number => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe('the vector tiles of a map', () => {
  const dataset = { kind: 'flatgeobuf', coverage: [10, 0, 11, 1], attribution: 'A' } as const;
  const sets = setsOf([
    { ...dataset, id: 'a-roads', role: 'roads' },
    { ...dataset, id: 'a-buildings', role: 'buildings' },
    { ...dataset, id: 'a-labels', kind: 'zarr', role: 'forest-labels' },
    { ...dataset, id: 'live-roads', kind: 'service', role: 'roads' },
    { ...dataset, id: 'a-losses', kind: 'cog', role: 'loss-year' },
  ]);
  const view = { west: 10.2, south: 0.2, east: 10.4, north: 0.4 };
  const seen = (place: typeof view, zoom: number) => setsInView(sets, { ...place, zoom }).map(({ id }) => id);

  it('are those of packs and label stores', () => {
    assert.deepEqual(
      sets.map(({ id, theme }) => `${id} ${theme}`),
      ['a-roads roads', 'a-buildings buildings', 'a-labels segments'],
    );
  });

  it('are requested where they lie, from the zoom on that draws them', () => {
    assert.deepEqual(seen(view, 8), []);
    assert.deepEqual(seen(view, 10), ['a-roads', 'a-labels']);
    assert.deepEqual(seen(view, 15), ['a-roads', 'a-buildings', 'a-labels']);
    assert.deepEqual(seen({ west: 20, south: 0, east: 21, north: 1 }, 15), []);
  });

  it('have a legend of what is in view, with switches', () => {
    const turned: unknown[] = [];
    const legend = (leftOut: readonly ('ground' | 'segments')[], themes: readonly (typeof SET_THEMES)[number][]) =>
      baseLegend({
        theme: 'light',
        themes,
        leftOut: new Set(leftOut),
        settings: { tiles: null, terrain: null },
        say: (word) => word,
        onTurn: (...what) => turned.push(what),
      }).entries;
    assert.deepEqual(
      legend([], ['roads', 'segments']).map(({ key }) => key),
      ['ground', 'roads', 'tracks', 'paths', 'segments', 'labelled', 'water', 'borders'],
    );
    assert.deepEqual(
      legend(['ground'], ['roads', 'buildings']).map(({ key, isOn }) => [key, isOn]),
      [
        ['ground', false],
        ['water', undefined],
        ['borders', undefined],
      ],
    );
    legend([], ['segments'])[0]?.onTurn?.(false);
    assert.deepEqual(turned, [['segments', false]]);
  });
});

describe('the years of losses', () => {
  const plot = (index: number, years: { from: number; to: number } | null, lost: Record<string, number> | null) =>
    lossYears({
      properties: {
        location_number: index,
        location_type: 'plot',
        years_looked_at: years,
        loss_ha_by_year: lost,
      },
    })!;
  const lostTwice = plot(0, { from: 2001, to: 2024 }, { 2012: 2, 2022: 3, 2023: 3 });
  const kept = plot(1, { from: 2001, to: 2024 }, {});
  const uncovered = plot(2, null, null);
  const lateCovered = plot(3, { from: 2010, to: 2023 }, { 2010: 1 });

  it('are coloured by the year of most loss until the chosen one, the earlier of equal ones', () => {
    assert.equal(lookUntil(lostTwice, 2011), 'none');
    assert.equal(lookUntil(lostTwice, 2012), 2012);
    assert.equal(lookUntil(lostTwice, 2021), 2012);
    assert.equal(lookUntil(lostTwice, 2026), 2022);
    assert.equal(lookUntil(kept, 2026), 'none');
  });

  it('are unknown, and not without loss, where nothing covers them', () => {
    assert.equal(lookUntil(uncovered, 2026), 'unknown');
    assert.equal(lookUntil(undefined, 2026), 'unknown');
    assert.equal(lookUntil(lateCovered, 2009), 'unknown');
    assert.equal(lookUntil(lateCovered, 2010), 2010);
    assert.equal(lossYears({ properties: { location_number: 0, location_type: 'facility' } }), null);
  });

  it('are counted by plot, and those that no dataset covers have no data', () => {
    const bars = yearsOfBar([lostTwice, kept, uncovered, lateCovered], 2001, 2026);
    assert.equal(bars.length, 26);
    assert.deepEqual(bars[9], { year: 2010, plots: 1, isCovered: true });
    assert.deepEqual(bars[23], { year: 2024, plots: 0, isCovered: true });
    assert.deepEqual(
      bars.filter(({ isCovered }) => !isCovered).map(({ year }) => year),
      [2025, 2026],
    );
    assert.ok(yearsOfBar([uncovered], 2001, 2026).every(({ isCovered }) => !isCovered));
  });
});

describe('what a map shows as a whole', () => {
  it('leaves out missing places and those of whole regions and countries', () => {
    assert.equal(isLocated(null, null), false);
    assert.equal(isLocated([0, 0], null), false);
    assert.equal(isLocated([0, 5], null), true);
    assert.equal(isLocated([102, 4], 'country'), false);
    assert.equal(isLocated([102, 4], 'region'), false);
    assert.equal(isLocated([102, 4], 'locality'), true);
  });
});

describe('points of a crowd', () => {
  const at = (index: number, lon: number, lat: number, look = 'high') => ({ index, lon, lat, look });

  it('are drawn from the zoom on at which no other of the same look covers them', () => {
    // 0.0001 degrees are less than a square at any zoom of dots, 10 degrees are three squares from zoom 0 on.
    const points = [at(0, 100, 1), at(1, 110, 1), at(2, 100.0001, 1), at(3, 100.0001, 1, 'low'), at(4, 100.5, 1)];
    const [first, far, covered, other, near] = visibleFrom(packPoints(points));
    assert.deepEqual([first, far, covered, other], [0, 0, 10, 0]);
    assert.ok(near! > 0 && near! < 10, `${near}`);
  });

  it('leave at every zoom one dot in each square that has points', () => {
    const random = seededRandom(5);
    const points = Array.from({ length: 5_000 }, (_, i) => at(i, 95 + random() * 5, random() * 5));
    const from = visibleFrom(packPoints(points));
    for (let zoom = 0; zoom < 10; zoom++) {
      const square = ({ lon, lat }: (typeof points)[number]): string => {
        const side = (512 * 2 ** 9) / 3;
        const y = 0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI);
        return [(lon / 360 + 0.5) * side, y * side].map((n) => Math.trunc(n) >> (9 - zoom)).join();
      };
      const drawn = points.filter((_, i) => from[i]! <= zoom);
      const squares = new Set(points.map(square));
      assert.equal(drawn.length, squares.size, `zoom ${zoom}`);
      assert.deepEqual(new Set(drawn.map(square)), squares);
    }
  });

  /** What stands in a tile: its layer, and of each feature the properties and the place in degrees. */
  const drawn = (bytes: Uint8Array, [z, x, y]: readonly [number, number, number]) => {
    const [[layer = '', held] = []] = Object.entries(readTile(bytes).layers);
    return Array.from({ length: held?.length ?? 0 }, (_, i) => {
      const feature = held!.feature(i);
      const [lon = 0, lat = 0] = (feature.toGeoJSON(x, y, z).geometry as Point).coordinates;
      return { layer, ...(feature.properties as { index: number; look: string }), lon, lat };
    });
  };

  it('are in the tiles in which they lie, as marks where they are few', () => {
    const points = [at(7, 102.6124, 4.5821, 'low'), at(8, 102.6124, 4.5821), at(9, -180, 85.2), at(10, 180, -90)];
    const tile = markTiles(packPoints(points));
    const [first, second, ...none] = drawn(tile(18, 205_792, 127_731), [18, 205_792, 127_731]);
    assert.deepEqual(none, []);
    assert.deepEqual([first?.layer, first?.index, first?.look], [NEAR, 7, 'low']);
    assert.deepEqual([second?.index, second?.look], [8, 'high']);
    assert.ok(metresFrom(102.6124, 4.5821, [first!.lon, first!.lat]) < 0.03);
    assert.equal(tile(18, 205_793, 127_731).length, 0);
    const world = drawn(tile(0, 0, 0), [0, 0, 0]);
    assert.deepEqual(
      world.map(({ index }) => index),
      [7, 8, 9, 10],
    );
  });

  it('are dots from afar, those that are not covered, and marks from near, all of them', () => {
    const random = seededRandom(6);
    const points = Array.from({ length: 3_000 }, (_, i) => at(i, 100 + random() * 0.3, 1 + random() * 0.3));
    const packed = packPoints(points);
    const [from, tile] = [visibleFrom(packed), markTiles(packed)];
    for (const z of [5, 9, 10]) {
      const side = 2 ** z;
      const found = Array.from({ length: 9 }, (_, k) => {
        const x = Math.floor((100.15 / 360 + 0.5) * side) + (k % 3) - 1;
        const y = Math.floor((0.5 - 1.15 / 360) * side) + Math.floor(k / 3) - 1;
        return drawn(tile(z, x, y), [z, x, y]);
      }).flat();
      assert.deepEqual(new Set(found.map(({ layer }) => layer)), new Set([z < 10 ? DOTS : NEAR]));
      assert.deepEqual(
        found.map(({ index }) => index).toSorted((a, b) => a - b),
        points.flatMap(({ index }) => (z >= 10 || from[index]! <= z ? [index] : [])),
        `zoom ${z}`,
      );
    }
  });
});

describe('what a map shows at first', () => {
  const at = (lon: number, lat: number) => [lon - 0.01, lat - 0.01, lon + 0.01, lat + 0.01] as const;
  const village = Array.from({ length: 20 }, (_, i) => at(102.5 + (i % 5) / 50, 4.5 + i / 200));

  it('leaves out a few places far from all others, and counts them', () => {
    assert.deepEqual(mainBox([...village, at(0, -75)]), { box: boxAround(village), far: 1 });
    assert.deepEqual(mainBox(village), { box: boxAround(village), far: 0 });
  });

  it('has all places where many are far from each other, or there are few', () => {
    const two = [...village, ...village.slice(0, 6).map(([west, south]) => at(west - 110, south))];
    assert.deepEqual(mainBox(two), { box: boxAround(two), far: 0 });
    const few = [at(102, 4), at(-1.6, 6.7)];
    assert.deepEqual(mainBox(few), { box: boxAround(few), far: 0 });
    assert.deepEqual(mainBox([]), { box: null, far: 0 });
    const spread = [at(102, 4), at(-1.6, 6.7), at(-60, -3)];
    assert.deepEqual(mainBox(spread), { box: boxAround(spread), far: 0 });
    const region = [at(102, 4), at(102.1, 4), at(104, 5)];
    assert.deepEqual(mainBox(region), { box: boxAround(region), far: 0 });
  });

  it('leaves out one of few where the others are in one region', () => {
    const near = [at(102, 4), at(102.01, 4)];
    assert.deepEqual(mainBox([near[0]!, at(-1.6, 6.7), near[1]!]), { box: boxAround(near), far: 1 });
  });

  it('leaves out what lies around a pole, unless there is nothing else', () => {
    assert.deepEqual(mainBox([at(102, 4), at(0, 89)]), { box: at(102, 4), far: 1 });
    assert.deepEqual(mainBox([at(0, -89)]), { box: at(0, -89), far: 0 });
  });
});
