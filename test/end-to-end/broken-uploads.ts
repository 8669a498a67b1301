import { seededRandom } from '../../src/geo/seeded-random.ts';

/** One upload that no service can accept: what is wrong with it, and the request. */
export interface BrokenUpload {
  readonly what: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of the query, for parameters out of range. */
  readonly query?: string;
}

type Random = () => number;
type Fault = (random: Random) => {
  file: Uint8Array | string;
  fields?: Readonly<Record<string, string>>;
  query?: string;
};

const BOUNDARY = 'firstmile-test-boundary';

const FAULTS: Readonly<Record<string, Fault>> = {
  truncated: (random) => {
    const text = collection(random);
    return { file: text.slice(0, 1 + Math.floor(random() * (text.length - 2))) };
  },
  'a byte of junk in the structure': (random) => {
    const text = collection(random);
    const marks = [...text.matchAll(/[{}[\]:,]/g)].map((match) => match.index);
    const at = marks[Math.floor(random() * marks.length)] ?? 0;
    return { file: `${text.slice(0, at)}\u0001${text.slice(at + 1)}` };
  },
  'nested 10,000 deep': (random) => ({
    file: `{"type":"FeatureCollection","features":${'['.repeat(10_000)}${random() < 0.5 ? ']'.repeat(10_000) : ''}}`,
  }),
  'objects nested 10,000 deep': () => ({ file: '{"a":'.repeat(10_000) }),
  'a number nobody can read': (random) => ({
    file: collection(random).replace(/-?\d+\.\d+/, pick(random, ['1.2.3', '0x10', '01', '+5', '1e', '.5', '--1'])),
  }),
  'NaN or Infinity': (random) => ({
    file: collection(random).replace(/-?\d+\.\d+/, pick(random, ['NaN', 'Infinity', '-Infinity', 'undefined'])),
  }),
  'UTF-16': (random) => ({ file: Buffer.from(`\uFEFF${collection(random)}`, 'utf16le') }),
  'UTF-16 without a mark': (random) => ({ file: Buffer.from(collection(random), 'utf16le') }),
  'bytes that are not UTF-8': (random) => {
    const bytes = Buffer.from(collection(random));
    const at = bytes.indexOf('name') + 8;
    bytes[at] = 0xff;
    return { file: bytes };
  },
  'a member twice': () => ({ file: '{"type":"FeatureCollection","features":[],"features":[]}' }),
  'wrong types': (random) => ({
    file: pick(random, [
      '{"type":"FeatureCollection","features":{}}',
      '{"type":"FeatureCollection"}',
      '{"type":"FeatureCollection","features":"none"}',
      '{"type":7,"features":[]}',
      '{"type":"Topology","objects":{}}',
      '42',
      '"text"',
      'null',
      'true',
      '{}',
    ]),
  }),
  'a text after the end': (random) => ({ file: `${collection(random)}${pick(random, ['}', ']', '"x', '{"type":'])}` }),
  'nothing at all': () => ({ file: '' }),
  'only a byte order mark': () => ({ file: Uint8Array.of(0xef, 0xbb, 0xbf) }),
  'another format': (random) => ({
    file: pick(random, [
      '<html><body>Not found</body></html>',
      '<?xml version="1.0"?><kml/>',
      'PK\u0003\u0004zip',
      '%PDF-1.7',
      'name,lon,lat\nA,1,2\n',
      '\u001F\u008Bgzip',
    ]),
  }),
  'another coordinate system': (random) => ({
    file: collection(random).replace('{', '{"crs":{"type":"name","properties":{"name":"EPSG:32633"}},'),
  }),
  'an unknown field': (random) => ({ file: collection(random), fields: { comodity_type: 'palm' } }),
  'a radius out of range': (random) => ({
    file: collection(random),
    fields: {
      commodity_radius: pick(random, ['0', '-1', '1e9', 'NaN', 'Infinity', 'far', '5000m', '0x10', '50000.01']),
    },
  }),
  'a switch that is neither on nor off': (random) => ({
    file: collection(random),
    fields: {
      [pick(random, ['check_water_access', 'check_port_proximity', 'check_road_access'])]: pick(random, [
        'yes please',
        '2',
        'nil',
        '-1',
      ]),
    },
  }),
  'a commodity of 200 characters': (random) => ({
    file: collection(random),
    fields: { commodity_type: 'x'.repeat(200) },
  }),
  'an unknown query parameter': (random) => ({
    file: collection(random),
    query: `?${pick(random, ['async=true', 'async_mode=perhaps', 'commodity=palm', 'constructor=1'])}`,
  }),
};

const REQUEST_FAULTS: Readonly<Record<string, (random: Random) => Omit<BrokenUpload, 'what'>>> = {
  'no file part': () => form([['commodity_type', 'palm']]),
  'two files': (random) =>
    form([
      ['file', collection(random), 'a.geojson'],
      ['file', collection(random), 'b.geojson'],
    ]),
  'the file under another name': (random) => form([['upload', collection(random), 'a.geojson']]),
  'a form that ends too early': (random) => {
    const whole = form([['file', collection(random), 'a.geojson']]);
    return { ...whole, body: whole.body.slice(0, whole.body.length - 10 - Math.floor(random() * 60)) };
  },
  'a form without a boundary': (random) => ({
    body: Buffer.from(collection(random)),
    headers: { 'content-type': 'multipart/form-data' },
  }),
  'a media type we do not take': (random) => ({
    body: Buffer.from(collection(random)),
    headers: { 'content-type': pick(random, ['text/html', 'application/xml', 'image/png', 'nonsense']) },
  }),
  'a field of a megabyte': (random) =>
    form([
      ['commodity_type', 'x'.repeat(1_200_000)],
      ['file', collection(random), 'a.geojson'],
    ]),
};

/** `count` broken uploads, every kind in turn, the same for the same seed. */
export function* brokenUploads(count: number, seed: number): Generator<BrokenUpload> {
  const random = seededRandom(seed);
  const kinds = [...Object.keys(FAULTS), ...Object.keys(REQUEST_FAULTS)];
  for (let i = 0; i < count; i++) {
    const what = kinds[i % kinds.length] ?? '';
    const fault = FAULTS[what];
    if (fault === undefined) {
      const request = REQUEST_FAULTS[what];
      if (request) yield { what, ...request(random) };
      continue;
    }
    const { file, fields, query } = fault(random);
    const parts: Part[] = [...Object.entries(fields ?? {}), ['file', file, 'upload.geojson']];
    yield { what, ...form(random() < 0.5 ? parts : parts.toReversed()), ...(query === undefined ? {} : { query }) };
  }
}

type Part = readonly [name: string, value: Uint8Array | string, filename?: string];

function form(parts: readonly Part[]): Pick<BrokenUpload, 'body' | 'headers'> {
  const chunks = parts.flatMap(([name, value, filename]) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename ? `; filename="${filename}"\r\nContent-Type: application/geo+json` : ''}\r\n\r\n`,
    value,
    '\r\n',
  ]);
  const body = Buffer.concat([...chunks, `--${BOUNDARY}--\r\n`].map((chunk) => Buffer.from(chunk as string)));
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } };
}

function collection(random: Random): string {
  const features = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, i) => ({
    type: 'Feature',
    id: i,
    geometry: { type: 'Point', coordinates: [random() * 100 + 0.5, random() * 10 + 0.5] },
    properties: { name: `facility ${i}`, note: pick(random, ['', 'é', '日本', '"quoted"', 'a\\b']) },
  }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}

function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}
