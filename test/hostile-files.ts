import { DatabaseSync } from 'node:sqlite';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { archive } from './make-archive.ts';
import { geopackage, geoparquet } from './sample-location-files.ts';

/** A file that asks for more work or memory than its size lets expect. */
export interface HostileFile {
  readonly name: string;
  readonly endpoint: '/normalize_locations' | '/validate_facilities' | '/validate_locations';
  /** Statuses a service may answer with. */
  readonly status: readonly number[];
  /** What a refusal says. */
  readonly detail: RegExp;
  /** `scale` 1 is the size of the standing test; the bench takes the sizes that were seen to do harm. */
  readonly make: (scale: number) => Uint8Array;
}

const PLACES = [
  { name: 'Alpha', lon: 101.5, lat: 0.25 },
  { name: 'Beta', lon: -1.625, lat: 6.75 },
];
const NO_REFUSAL = /$^/;

export const HOSTILE_FILES: readonly HostileFile[] = [
  {
    name: 'a CSV row of commas',
    endpoint: '/normalize_locations',
    status: [413],
    detail: /Row 2 has too many cells; wanted at most 2000 \(file_columns/,
    make: (scale) => Buffer.concat([Buffer.from('name,lat,lon\n'), Buffer.alloc(14e6 * scale, ',')]),
  },
  {
    name: 'MultiPolygons of 975 kB',
    endpoint: '/validate_facilities',
    status: [200],
    detail: NO_REFUSAL,
    make: (scale) => Buffer.from(collection(Array.from({ length: 5 * scale }, (_, i) => multiPolygon(i)))),
  },
  {
    name: 'MultiPolygons of 975 kB as plots',
    endpoint: '/validate_locations',
    status: [200],
    detail: NO_REFUSAL,
    make: (scale) => Buffer.from(collection(Array.from({ length: 2 * scale }, (_, i) => multiPolygon(i)))),
  },
  {
    name: 'a text of megabytes in one property',
    endpoint: '/validate_facilities',
    status: [413],
    detail: /at most 32000000 bytes/,
    make: (scale) =>
      Buffer.from(
        collection([
          `{"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]},"properties":{"note":"${'x'.repeat(40e6 + 1e7 * (scale - 1))}"}}`,
        ]),
      ),
  },
  {
    name: 'brackets inside brackets',
    endpoint: '/normalize_locations',
    status: [400],
    detail: /at most 64 levels/,
    make: (scale) => Buffer.from(`{"type":"FeatureCollection","features":${'['.repeat(4e6 * scale)}`),
  },
  {
    name: 'a workbook with millions of texts',
    endpoint: '/normalize_locations',
    status: [413],
    detail: /too many texts; wanted at most 3000000|more than 100 times its size/,
    make: (scale) => sharedTexts(1 + scale),
  },
  {
    name: 'a KML attribute without an end',
    endpoint: '/normalize_locations',
    status: [413],
    detail: /too long; wanted at most 32000000 characters/,
    make: (scale) => Buffer.from(`<kml><Document name="${'x'.repeat(34e6 * Math.max(1, scale / 2))}`),
  },
  {
    name: 'a KML with ever more placemarks',
    endpoint: '/normalize_locations',
    status: [200],
    detail: NO_REFUSAL,
    make: (scale) =>
      Buffer.from(
        `<kml><Document>${'<Placemark><Point><coordinates>1,7</coordinates></Point></Placemark>'.repeat(10_000 * scale)}</Document></kml>`,
      ),
  },
  {
    name: 'a polygon of a million crossing edges',
    endpoint: '/normalize_locations',
    status: [200],
    detail: NO_REFUSAL,
    make: () => Buffer.from(crossingPolygon(1_000_000)),
  },
  {
    name: 'a GeoPackage with a value of megabytes',
    endpoint: '/normalize_locations',
    status: [413],
    detail: /A value of the GeoPackage is too large; wanted at most 32000000 bytes/,
    make: (scale) => largeBlob(33e6 + 25e6 * (scale - 1)),
  },
  {
    name: 'a shapefile whose records lie about their length',
    endpoint: '/normalize_locations',
    status: [200, 400, 413],
    detail: /shapefile|record/i,
    make: () => lyingShapefile(),
  },
  {
    name: 'a GeoParquet whose pages lie about their size',
    endpoint: '/normalize_locations',
    status: [400, 413],
    detail: /Parquet/,
    make: () => lyingParquet(),
  },
];

function collection(features: readonly string[]): string {
  return `{"type":"FeatureCollection","features":[${features.join(',\n')}]}`;
}

/** About 975 kB of small squares, as a geometry of many parts has them. */
function multiPolygon(seed: number): string {
  const random = seededRandom(seed + 1);
  const squares = Array.from({ length: 7_500 }, (_, i) => {
    const x = 101 + (i % 100) * 0.01 + random() * 0.001;
    const y = 0.1 + Math.floor(i / 100) * 0.01 + random() * 0.001;
    const at = (dx: number, dy: number): string => `[${(x + dx).toFixed(7)},${(y + dy).toFixed(8)}]`;
    return `[[${at(0, 0)},${at(0.008, 0)},${at(0.008, 0.008)},${at(0, 0.008)},${at(0, 0)}]]`;
  });
  const geometry = `{"type":"MultiPolygon","coordinates":[${squares.join(',')}]}`;
  return `{"type":"Feature","properties":{"name":"block ${seed}"},"geometry":${geometry}}`;
}

/** Short texts by the million; random bytes stand next to them so that the archive does not look like a bomb. */
function sharedTexts(scale: number): Uint8Array {
  const texts = Buffer.from(`<sst>${'<si><t>a</t></si>'.repeat(1_550_000 * scale)}</sst>`);
  const random = seededRandom(7);
  const ballast = Uint8Array.from({ length: 600_000 * scale }, () => random() * 256);
  return archive({
    ...entriesOf('<row><c t="s"><v>0</v></c></row>'),
    'xl/sharedStrings.xml': Uint8Array.from(texts),
    'xl/media/picture.bin': ballast,
  });
}

function entriesOf(rows: string): Record<string, string> {
  return {
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="Farms" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  };
}

/** Goes to and fro, so that its edges cross each other without end. */
function crossingPolygon(vertices: number): string {
  const pairs = Array.from({ length: vertices - 1 }, (_, i) => `${(i % 2) + i * 1e-7},${((i * 7) % 10) / 10}`);
  const text = [...pairs, pairs[0]].join(' ');
  return `<kml><Document><Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>${text}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>`;
}

function largeBlob(bytes: number): Uint8Array {
  const database = new DatabaseSync(':memory:');
  try {
    database.deserialize(geopackage(PLACES));
    database.exec(`INSERT INTO plots (geom, name) VALUES (zeroblob(${bytes}), 'large')`);
    return database.serialize();
  } finally {
    database.close();
  }
}

function lyingShapefile(): Uint8Array {
  const shp = Buffer.alloc(100 + 4_000_000);
  shp.writeInt32BE(9994, 0);
  shp.writeInt32BE(0x7fffffff, 24);
  shp.writeInt32LE(1000, 28);
  shp.writeInt32LE(5, 32);
  for (let at = 100, i = 1; at + 56 < shp.length; at += 56, i++) {
    shp.writeInt32BE(i, at);
    shp.writeInt32BE(0x7ffffff0, at + 4);
    shp.writeInt32LE(5, at + 8);
    shp.writeInt32LE(0x7fffffff, at + 44);
    shp.writeInt32LE(0x7fffffff, at + 48);
  }
  return archive({ 'plots.shp': Uint8Array.from(shp) });
}

/** Every byte of the pages that could be a size becomes the largest it can be. */
function lyingParquet(): Uint8Array {
  const bytes = Buffer.from(geoparquet(PLACES));
  for (let at = 4; at < 40; at++) if ((bytes[at] & 0x80) === 0 && at % 3 === 0) bytes[at] = 0xff;
  return Uint8Array.from(bytes);
}
