import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { anyCharacter } from '../../test/any-character.ts';
import { seededRandom } from '../geo/seeded-random.ts';
import { canonicalJson, MAX_JSON_DEPTH } from './canonical-json.ts';

interface Oracle {
  readonly seed: number;
  readonly count: number;
  readonly block: number;
  readonly sha256: readonly string[];
  readonly samples: readonly string[];
}

const ORACLE = JSON.parse(
  readFileSync(new URL('../../test/oracles/canonical-json/payloads.json', import.meta.url), 'utf8'),
) as Oracle;

describe('canonical JSON', () => {
  it('is what CPython writes, byte for byte, for 10,000 random payloads', () => {
    const nextPayload = drawPayloads(ORACLE.seed);
    const texts = Array.from({ length: ORACLE.count }, () => canonicalJson(nextPayload()));
    ORACLE.samples.forEach((sample, i) => assert.equal(texts[i * ORACLE.block], sample, `payload ${i * ORACLE.block}`));
    const blocks = ORACLE.sha256.map((_, i) =>
      createHash('sha256')
        .update(texts.slice(i * ORACLE.block, (i + 1) * ORACLE.block).join('\n'))
        .digest('hex'),
    );
    assert.deepEqual(blocks, ORACLE.sha256);
    assert.equal(texts.length, 10_000);
  });

  it('sorts keys by code point, not by UTF-16 unit', () => {
    const text = canonicalJson({ '\u{1f333}': 1, '\uff5e': 2, b: 3, '10': 4, '9': 5, ab: 6, a: 7, '': 8 });
    assert.equal(text, '{"":8,"10":4,"9":5,"a":7,"ab":6,"b":3,"\\uff5e":2,"\\ud83c\\udf33":1}');
  });

  it('is printable ASCII that reads back as the same value', () => {
    fc.assert(
      fc.property(integerJson(), (value) => {
        const text = canonicalJson(value);
        assert.match(text, /^[\x20-\x7e]*$/);
        assert.deepEqual(JSON.parse(text), value);
      }),
    );
  });

  it('keeps an own key named __proto__', () => {
    assert.equal(canonicalJson(JSON.parse('{"__proto__":{"b":1},"a":2}')), '{"__proto__":{"b":1},"a":2}');
  });

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['a fraction', { area: { ha: 1.5 } }, /"\/area\/ha" is 1\.5: only integers/],
    ['NaN', [NaN], /"\/0" is NaN/],
    ['an infinity', [1, -Infinity], /"\/1" is -Infinity/],
    ['minus zero', { n: -0 }, /"\/n" is -0/],
    ['an integer over 2^53 - 1', { n: 2 ** 53 }, /9007199254740992: only integers/],
    ['a bigint', { n: 1n }, /"\/n" is bigint/],
    ['an unpaired surrogate in a text', { a: ['\ud800'] }, /"\/a\/0" holds an unpaired surrogate/],
    ['an unpaired surrogate in a key', { '\udc00': 1 }, /unpaired surrogate/],
    ['undefined', { a: undefined }, /"\/a" is undefined/],
    ['a hole in an array', Array(1), /"\/0" is undefined/],
    ['a function', { 'a/b~c': () => 1 }, /"\/a~1b~0c" is function/],
    ['a date', { at: new Date(0) }, /"\/at" is a Date object: wanted a plain one/],
    ['a map', new Map(), /The value is a Map object/],
  ];
  for (const [name, value, message] of refused) {
    it(`refuses ${name} and names its place`, () => {
      assert.throws(() => canonicalJson(value), message);
    });
  }

  it('follows 64 levels and refuses one more, so that a cycle ends', () => {
    const deep = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => [inner], 1);
    assert.equal(canonicalJson(deep(MAX_JSON_DEPTH)).length, 2 * MAX_JSON_DEPTH + 1);
    assert.throws(() => canonicalJson(deep(MAX_JSON_DEPTH + 1)), /nested deeper than 64 levels/);
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    assert.throws(() => canonicalJson(cycle), /nested deeper/);
  });
});

function integerJson(): fc.Arbitrary<unknown> {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.string({ unit: anyCharacter }),
      fc.maxSafeInteger().filter((n) => !Object.is(n, -0)),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: anyCharacter }), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  return value;
}

const ODD = [
  0, 8, 9, 10, 12, 13, 0x1f, 0x22, 0x2f, 0x5c, 0x7e, 0x7f, 0x80, 0xa0, 0xd7ff, 0xe000, 0xff5e, 0xfffd, 0xffff, 0x10000,
  0x1f333, 0x10ffff, 0x2028, 0x2029, 0xfeff,
];

/** The payloads of `payloads.py`, draw by draw. */
function drawPayloads(seed: number): () => unknown {
  const random = seededRandom(seed);
  const draw = (): number => random() * 4_294_967_296;
  const below = (n: number): number => draw() % n;

  function codePoint(): number {
    const kind = below(8);
    if (kind < 3) return 0x20 + below(95);
    if (kind === 3) return below(0x100);
    if (kind === 4) return ODD[below(ODD.length)]!;
    if (kind === 5) return below(0xd800);
    if (kind === 6) return 0xe000 + below(0x2000);
    return 0x10000 + below(0x100000);
  }
  const text = (): string => Array.from({ length: below(9) }, () => String.fromCodePoint(codePoint())).join('');
  const key = (): string => (below(4) === 0 ? String(below(20)) : text());

  function integer(): number {
    const magnitude = below(2) ? below(1000) : below(2 ** 21) * 2 ** 32 + draw();
    return below(2) && magnitude > 0 ? -magnitude : magnitude;
  }

  function value(depth: number): unknown {
    const kind = below(10);
    if (kind < 3) return text();
    if (kind < 5) return integer();
    if (kind === 5) return [null, true, false][below(3)];
    if (depth >= 20) return below(10);
    const size = below(depth < 3 ? 5 : 3);
    if (kind < 8) return Array.from({ length: size }, () => value(depth + 1));
    return record(depth, size);
  }

  function record(depth: number, size: number): unknown {
    return Object.fromEntries(Array.from({ length: size }, () => [key(), value(depth + 1)]));
  }

  function nested(depth: number): unknown {
    let inner: unknown = integer();
    for (let i = 0; i < depth; i++) inner = below(2) ? [inner] : { [key()]: inner };
    return inner;
  }

  return () => (below(50) === 0 ? nested(20) : record(0, 1 + below(6)));
}
