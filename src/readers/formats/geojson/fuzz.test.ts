import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

import { Problem } from '../../../errors.ts';
import { parseJson } from '../../../geo/parse-json.ts';
import { readGeojsonFeatures, validateGeojsonStructure } from './features.ts';
import { GEOMETRY_TYPES } from './document.ts';
import { geojsonItem, type GeojsonItem } from './item.ts';
import { runs } from '../../../../test/property-runs.ts';

const RUNS = runs(6_000);
const RECORD_SEPARATOR = '\x1e';
const TEXT_ENDS = new RegExp(`(?<=[\n${RECORD_SEPARATOR}])`);

/** What a reader built on `JSON.parse` makes of the bytes: the items, or null for a refusal. */
function reference(bytes: Uint8Array): GeojsonItem[] | null {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
  const isSequence = text.trimStart().startsWith(RECORD_SEPARATOR);
  const whole = parsed(text);
  if (whole !== undefined && !isSequence) return documentItems(whole.value);
  return sequenceItems(text, isSequence);
}

function documentItems(value: unknown): GeojsonItem[] | null {
  if (Array.isArray(value)) return value.map((item, i) => geojsonItem(i, item, 'array'));
  const { type, features, crs } = (value ?? {}) as { type?: unknown; features?: unknown; crs?: unknown };
  if (typeof value !== 'object' || (crs !== undefined && crs !== null)) return null;
  if (type === 'FeatureCollection' && Array.isArray(features))
    return features.map((item, i) => geojsonItem(i, item, 'collection'));
  if (features !== undefined || (type !== 'Feature' && !GEOMETRY_TYPES.has(type))) return null;
  return [geojsonItem(0, value, 'single')];
}

/** Texts end at the first line feed or record separator that leaves something `JSON.parse` takes. */
function sequenceItems(text: string, marked: boolean): GeojsonItem[] | null {
  const items: GeojsonItem[] = [];
  let held = '';
  for (const piece of text.split(TEXT_ENDS)) {
    const isEnd = piece.endsWith('\n') || piece.endsWith(RECORD_SEPARATOR);
    const body = isEnd ? piece.slice(0, -1) : piece;
    held += body;
    const value = parsed(held);
    if (value !== undefined) {
      const single = items.length === 0 && !marked ? documentItems(value.value) : null;
      if (items.length === 0 && !marked && (single === null || single.length !== 1 || !isBare(value.value)))
        return null;
      items.push(geojsonItem(items.length, value.value, 'sequence'));
      held = '';
    } else if (held.trim() !== '') {
      if (piece.endsWith(RECORD_SEPARATOR)) return null;
      held += isEnd ? piece.slice(-1) : '';
    } else held = '';
  }
  return held.trim() === '' && items.length > 0 ? items : null;
}

function isBare(value: unknown): boolean {
  const type = (value as { type?: unknown } | null)?.type;
  return type === 'Feature' || GEOMETRY_TYPES.has(type);
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: parseJson(text) };
  } catch {
    return undefined;
  }
}

async function* cut(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array, void> {
  let start = 0;
  for (const size of cuts) {
    if (start >= bytes.length) return;
    yield bytes.slice(start, start + size);
    start += size;
  }
  yield bytes.slice(start);
}

const position = fc.array(
  fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.constant(1e-7)),
  { maxLength: 3 },
);
const geometry = fc.oneof(
  fc.record({
    type: fc.constantFrom('Point', 'Polygon', 'Nonsense'),
    coordinates: fc.oneof(position, fc.array(fc.array(position, { maxLength: 3 }), { maxLength: 2 })),
  }),
  fc.constant(null),
);
const feature = fc.record(
  {
    type: fc.constant('Feature'),
    id: fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer()),
    geometry,
    properties: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }), fc.constant(null)),
  },
  { requiredKeys: ['type'] },
);
const item = fc.oneof({ weight: 4, arbitrary: feature }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
const collection = fc.array(item, { maxLength: 4 }).chain((features) =>
  fc
    .shuffledSubarray(
      [
        ['type', 'FeatureCollection'],
        ['features', features],
        ['name', 'x'],
        ['bbox', [1, { features: [] }]],
      ] as [string, unknown][],
      { minLength: 3 },
    )
    .map((members) => Object.fromEntries(members)),
);
const spaced = (value: fc.Arbitrary<unknown>) =>
  fc.tuple(value, fc.constantFrom(undefined, 1, '\t')).map(([json, space]) => JSON.stringify(json, null, space));
const documentText = fc.oneof(
  spaced(collection),
  spaced(feature),
  spaced(fc.array(item, { maxLength: 3 })),
  fc
    .array(item, { minLength: 1, maxLength: 3 })
    .chain((items) =>
      fc
        .constantFrom('\n', '\r\n', '\n\x1e', ' ')
        .map((separator) => items.map((one) => JSON.stringify(one)).join(separator)),
    ),
);
const HOSTILE = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '0',
  '-',
  '.',
  'e',
  '+',
  'n',
  'null',
  'NaN',
  '\\u',
  '\\ud800',
  ' ',
  '\n',
  '\x1e',
  '\x00',
  '\t',
  '\ufeff',
  '1e999',
  '01',
  'true',
  '"__proto__":',
  '\xff',
];
const mutation = fc.record({
  at: fc.nat(),
  remove: fc.constantFrom(0, 0, 1, 2, 9),
  insert: fc.oneof(fc.constant(''), fc.constantFrom(...HOSTILE)),
  raw: fc.boolean(),
});

function mutate(
  text: string,
  mutations: readonly { at: number; remove: number; insert: string; raw: boolean }[],
): Uint8Array {
  let bytes = Buffer.from(text);
  for (const { at, remove, insert, raw } of mutations) {
    const place = at % (bytes.length + 1);
    bytes = Buffer.concat([
      bytes.subarray(0, place),
      Buffer.from(insert, raw ? 'latin1' : 'utf8'),
      bytes.subarray(place + remove),
    ]);
  }
  return bytes;
}

test('accepts, refuses and reads mutated documents in random pieces as JSON.parse does', async () => {
  let accepted = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      documentText,
      fc.array(mutation, { maxLength: 3 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 }),
      async (text, mutations, cuts) => {
        const bytes = mutate(text, mutations);
        const wanted = reference(bytes);
        const got = await Array.fromAsync(readGeojsonFeatures(cut(bytes, cuts))).catch((error: unknown) => error);
        const structure = await validateGeojsonStructure(cut(bytes, cuts)).catch((error: unknown) => error);
        if (got instanceof Problem) {
          assert.ok(structure instanceof Problem);
          assert.equal(structure.message, got.message);
          if (got.errors[0].code === 'duplicate_member') return;
          assert.equal(wanted, null, `refused (${got.message}): ${JSON.stringify(Buffer.from(bytes).toString())}`);
          refused += 1;
        } else {
          assert.deepEqual(got, wanted, JSON.stringify(Buffer.from(bytes).toString()));
          assert.equal((structure as { features: number }).features, wanted?.length);
          accepted += 1;
        }
      },
    ),
    { numRuns: RUNS },
  );
  assert.ok(accepted > RUNS / 10 && refused > RUNS / 10, `accepted ${accepted}, refused ${refused}`);
});
