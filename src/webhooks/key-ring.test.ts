import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  createKeyRing,
  createSealingKey,
  createSecret,
  keepOpened,
  readSealingKeys,
  UnknownKeyError,
} from './key-ring.ts';
import { anyCharacter } from '../../test/any-character.ts';

const owner = { userId: 'ana', webhookId: '0d9c2f7e' };
const [old, young] = [createSealingKey(), createSealingKey()];

describe('the key ring', () => {
  it('opens what it sealed, whatever the text', () => {
    const ring = createKeyRing([young]);
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        assert.equal(ring.open(ring.seal(text, owner), owner), text);
      }),
    );
  });

  it('opens a secret that is kept open once, and again for another owner', () => {
    const ring = createKeyRing([young]);
    let opened = 0;
    const open = keepOpened({ open: (...words) => (opened++, ring.open(...words)) });
    const sealed = ring.seal('whsec_x', owner);
    assert.deepEqual([open(sealed, owner), open(sealed, owner), opened], ['whsec_x', 'whsec_x', 1]);
    assert.throws(() => open(sealed, { ...owner, userId: 'eve' }));
    assert.throws(() => open(sealed, { ...owner, userId: 'eve' }));
    assert.equal(opened, 3);
    for (let i = 0; i < 5_000; i++) assert.equal(open(ring.seal(`whsec_${i}`, owner), owner), `whsec_${i}`);
    assert.equal(open(sealed, owner), 'whsec_x');
    assert.equal(opened, 5_004);
  });

  it('seals the same secret to another text each time', () => {
    const ring = createKeyRing([young]);
    const texts = Array.from({ length: 10_000 }, () => ring.seal('whsec_x', owner));
    assert.equal(new Set(texts.map((text) => text.split('.')[1])).size, 10_000);
    assert.ok(texts.every((text) => !text.includes('whsec')));
  });

  it('opens for nobody but the owner', () => {
    const ring = createKeyRing([young]);
    const sealed = ring.seal(createSecret(), owner);
    assert.throws(() => ring.open(sealed, { ...owner, userId: 'eve' }));
    assert.throws(() => ring.open(sealed, { ...owner, webhookId: 'another' }));
  });

  it('opens nothing that was changed, in any place', () => {
    const ring = createKeyRing([young]);
    const [id = '', ...parts] = ring.seal('whsec_secret', owner).split('.');
    parts.forEach((part, i) => {
      const bytes = Buffer.from(part, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const altered = Buffer.from(bytes);
        altered[bit >> 3]! ^= 1 << (bit & 7);
        assert.throws(() => ring.open([id, ...parts.with(i, altered.toString('base64url'))].join('.'), owner));
      }
    });
    for (const text of [
      '',
      id,
      `${id}.`,
      `${id}...`,
      [id, ...parts.slice(0, 2)].join('.'),
      `${id}.${parts.join('.')}.x`,
    ])
      assert.throws(() => ring.open(text, owner), text);
    // A tag cut to four bytes would verify once in 2^32.
    const short = Buffer.from(parts[1] as string, 'base64url')
      .subarray(0, 4)
      .toString('base64url');
    assert.throws(() => ring.open([id, parts[0], short, parts[2]].join('.'), owner), /damaged/);
  });

  it('seals with the first of several keys and opens with any, and with no other', () => {
    const before = createKeyRing([old]).seal('whsec_secret', owner);
    const ring = createKeyRing([young, old]);
    assert.equal(ring.open(before, owner), 'whsec_secret');
    assert.deepEqual([ring.first, ring.ids], [young.id, [young.id, old.id]]);
    assert.deepEqual([ring.isCurrent(before), ring.knows(before)], [false, true]);
    const after = ring.seal('whsec_secret', owner);
    assert.deepEqual([ring.isCurrent(after), createKeyRing([old]).knows(after)], [true, false]);
    assert.throws(() => createKeyRing([old]).open(after, owner), UnknownKeyError);
    // The id is part of what is authenticated: naming another key with the same bytes opens nothing.
    const renamed = createKeyRing([{ id: 'renamed', key: young.key }]);
    assert.throws(() => renamed.open(after.replace(young.id, 'renamed'), owner));
  });
});

describe('keys in settings', () => {
  const key = Buffer.alloc(32, 7).toString('base64');

  it('are id:base64 of 32 bytes, the first one first', () => {
    const keys = readSealingKeys(`b:${key}, a:${Buffer.alloc(32, 8).toString('base64url')}`);
    assert.deepEqual(
      keys.map(({ id }) => id),
      ['b', 'a'],
    );
  });

  for (const [name, text] of [
    ['no id', key],
    ['an empty id', `:${key}`],
    ['a dot in the id', `a.b:${key}`],
    ['16 bytes', `a:${Buffer.alloc(16, 9).toString('base64')}`],
    ['33 bytes', `a:${Buffer.alloc(33, 9).toString('base64')}`],
    ['an id twice', `a:${key},a:${key}`],
    ['nothing behind a comma', `a:${key},`],
    ['hexadecimal', `a:${'07'.repeat(32)}`],
  ] as const) {
    it(`refuse ${name} in a sentence without the key`, () => {
      assert.throws(
        () => readSealingKeys(text),
        (error: Error) =>
          error.message.startsWith('wanted ') && !error.message.includes(text.split(':').at(-1)!.slice(0, 12)),
      );
    });
  }
});
