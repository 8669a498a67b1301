import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inflateSync } from 'node:zlib';
import { runs } from '../../test/property-runs.ts';
import { mayConnect, refusedAddress } from './address-policy.ts';

interface Oracle {
  readonly ipv4: { readonly count: number; readonly seed: number; readonly allowed: string };
  readonly ipv6: { readonly count: number; readonly seed: number; readonly blocks: Readonly<Record<string, string>> };
  readonly edges: Readonly<Record<string, boolean>>;
}

const ORACLE = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../test/oracles/addresses/addresses.json'), 'utf8'),
) as Oracle;

describe('the address policy', () => {
  it('agrees with the oracle on IPv4 addresses of every kind', () => {
    const next = words(ORACLE.ipv4.seed);
    const allowed = bits(ORACLE.ipv4.allowed);
    let count = 0;
    const tried = runs(ORACLE.ipv4.count, 100_000);
    for (let i = 0; i < tried; i++) {
      const value = next();
      const address = `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
      const verdict = mayConnect(address);
      if (verdict !== allowed(i)) assert.equal(verdict, allowed(i), address);
      count += Number(verdict);
    }
    assert.ok(count > 0.7 * tried && count < tried, `${count} of ${tried} were allowed`);
  });

  for (const [index, [cidr, verdicts]] of Object.entries(ORACLE.ipv6.blocks).entries()) {
    it(`agrees with the oracle on addresses of ${cidr}`, () => {
      const next = words(ORACLE.ipv6.seed + index);
      const allowed = bits(verdicts);
      const draw = drawerOf(cidr, next);
      for (let i = 0; i < runs(ORACLE.ipv6.count, 10_000); i++) {
        const address = draw();
        const verdict = mayConnect(address);
        if (verdict !== allowed(i)) assert.equal(verdict, allowed(i), address);
      }
    });
  }

  it('agrees with the oracle on both sides of every edge', () => {
    for (const [address, allowed] of Object.entries(ORACLE.edges))
      assert.equal(refusedAddress(address) === null, allowed, address);
  });

  it('refuses what only looks like an address, and a zone', () => {
    for (const text of [
      '',
      'localhost',
      '127.1',
      '0x7f.1',
      '2130706433',
      '[::1]',
      '2600::1%eth0',
      '1.1.1.1.',
      ' 1.1.1.1',
    ])
      assert.notEqual(refusedAddress(text), null, text);
  });

  it('lets loopback alone through for development', () => {
    for (const address of ['127.0.0.1', '127.8.9.10', '::1'])
      assert.equal(refusedAddress(address, true), null, address);
    for (const address of ['10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1', 'fd00:ec2::254', '0.0.0.0'])
      assert.notEqual(refusedAddress(address, true), null, address);
  });

  it('says what a refused address is', () => {
    assert.equal(refusedAddress('169.254.169.254'), 'link-local, cloud metadata included');
    assert.equal(refusedAddress('::ffff:10.0.0.1'), 'an IPv4 address written as IPv6');
    assert.equal(refusedAddress('2002:7f00:1::'), '6to4');
  });
});

/** The generator of the oracle's script. */
function words(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Draws addresses of a block: its first bits, and the rest by chance. */
function drawerOf(cidr: string, next: () => number): () => string {
  const [network = '', length = ''] = cidr.split('/');
  const fixed = toWords(network);
  const free = fixed.map((_, i) => 2 ** Math.min(32, Math.max(0, 32 * (i + 1) - Number(length))) - 1);
  return () => {
    const groups = fixed.map((word, i) => {
      const drawn = (word | (next() & (free[i] as number))) >>> 0;
      return `${(drawn >>> 16).toString(16)}:${(drawn & 0xffff).toString(16)}`;
    });
    return groups.join(':');
  };
}

/** The four words of an IPv6 address written as groups. */
function toWords(address: string): readonly number[] {
  const [head = '', tail = ''] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  return [0, 2, 4, 6].map((i) => Number.parseInt(groups[i]!, 16) * 65_536 + Number.parseInt(groups[i + 1]!, 16));
}

function bits(base64: string): (index: number) => boolean {
  const bytes = inflateSync(Buffer.from(base64, 'base64'));
  return (index) => ((bytes[index >> 3]! >> (index & 7)) & 1) === 1;
}
