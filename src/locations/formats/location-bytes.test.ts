import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { NormalizedLocation } from '../normalized.ts';
import { anyCharacter } from '../../../test/any-character.ts';
import { runs } from '../../../test/property-runs.ts';
import { createLocationBytes } from './location-bytes.ts';

/** Any units of UTF-16, halves of pairs among them, and what JSON escapes. */
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({
    unit: fc.constantFrom('a', 'é', 'コ', '\u2028', '\ud83c', '\udf34', '"', '\\', '\n', '\u0000', '\u007f'),
  }),
);
const orNull = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null });
const millionths = fc.maxSafeInteger().map((whole) => whole / 1e6);
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constant(-0),
  millionths,
  fc.integer().map((whole) => whole / 1e6),
);
const origin = orNull(
  fc.oneof(
    fc.record({ from: fc.constant('column'), column: text }),
    fc.record({ from: fc.constantFrom('request', 'position', 'geometry', 'geocoding') }),
  ),
);
const eudr = <T>(value: fc.Arbitrary<T>) =>
  fc.record({ ProducerName: value, ProducerCountry: value, ProductionPlace: value, Area: value });
const warning = fc.record(
  {
    code: text,
    params: fc.dictionary(text, fc.jsonValue()),
    message: text,
    fix: text,
    row: orNull(fc.nat()),
    column: text,
    value: text,
  },
  { requiredKeys: ['code', 'params', 'message', 'fix', 'row'] },
);
const geometry = fc.oneof(
  fc.record({ type: fc.constant('Point'), coordinates: fc.tuple(number, number) }),
  fc.record({ type: fc.constant('Point'), coordinates: fc.tuple(number, number, number) }),
  fc.record({ type: fc.constant('Polygon'), coordinates: fc.array(fc.array(fc.tuple(number, number))) }),
  fc.constant(null),
);
const properties = fc
  .tuple(
    fc.record({
      location_id: orNull(fc.oneof(text, number)),
      location_type: text,
      name: orNull(text),
      supplier_name: orNull(text),
      address: orNull(text),
      admin1: orNull(text),
      country: orNull(text),
      country_code: orNull(text),
      commodity_type: orNull(text),
      area_ha: orNull(number),
      geometry_source: fc.constantFrom('input', 'geocoded', 'none'),
      geocode_precision: orNull(text),
      geocode_confidence: orNull(number),
      source_row: fc.nat(),
    }),
    fc.record({ source_sheet: text }, { requiredKeys: [] }),
    fc.record({
      eudr: eudr(orNull(fc.oneof(text, number))),
      eudr_origin: eudr(origin),
      warnings: fc.array(warning, { maxLength: 3 }),
      source: fc.dictionary(text, fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.constant(Number.NaN))),
    }),
  )
  .map((parts) => Object.assign({}, ...parts) as object);
const location = fc
  .tuple(fc.record({ id: fc.oneof(text, number) }, { requiredKeys: [] }), geometry, properties)
  .map(([id, shape, all]) => ({ type: 'Feature', ...id, geometry: shape, properties: all }) as NormalizedLocation);

describe('bytes of locations', () => {
  it('are those that JSON has, one after the other and after any others', () => {
    const bytes = createLocationBytes();
    fc.assert(
      fc.property(fc.array(location, { maxLength: 4 }), (locations) => {
        for (const [i, one] of locations.entries()) {
          if (i > 0) bytes.addText(',\n');
          bytes.add(one);
        }
        const wanted = locations.map((one) => JSON.stringify(one)).join(',\n');
        assert.equal(Buffer.from(bytes.take()).toString(), Buffer.from(wanted).toString());
      }),
      { numRuns: runs(300, 60) },
    );
  });

  it('copy what locations have in common, whatever changes between them', () => {
    const bytes = createLocationBytes();
    const changed = fc.array(fc.tuple(location, fc.subarray(['geometry', 'properties'] as const)), {
      minLength: 2,
      maxLength: 5,
    });
    fc.assert(
      fc.property(changed, fc.array(fc.tuple(fc.nat(), fc.nat())), (made, mixed) => {
        const locations: NormalizedLocation[] = made.map(([one]) => one);
        // Locations that share whole properties, single ones, or all.
        for (const [a, b] of mixed) {
          const [one, other] = [locations[a % locations.length]!, locations[b % locations.length]!];
          const [, kept] = made[a % made.length]!;
          const own = Object.fromEntries(kept.map((name) => [name, other[name]]));
          const names = Object.keys(one.properties).filter((_, i) => (a + b + i) % 3 !== 0);
          const same = Object.fromEntries(
            names.map((name) => [name, other.properties[name as keyof typeof other.properties]]),
          );
          const properties = { ...one.properties, ...same, eudr: one.properties.eudr };
          locations.push({ ...one, properties, ...own } as NormalizedLocation, one);
        }
        for (const one of locations) bytes.add(one);
        const wanted = locations.map((one) => JSON.stringify(one)).join('');
        assert.equal(Buffer.from(bytes.take()).toString(), Buffer.from(wanted).toString());
      }),
      { numRuns: runs(300, 60) },
    );
  });

  it('have room for long texts of any letters', () => {
    const bytes = createLocationBytes();
    for (const long of ['コ'.repeat(100_000), `"${'é'.repeat(100_000)}`, 'a'.repeat(300_000)]) {
      const one = { ...fc.sample(location, { numRuns: 1, seed: 1 })[0]!, id: long };
      bytes.add(one);
      assert.equal(Buffer.from(bytes.take()).toString(), JSON.stringify(one));
    }
  });
});
