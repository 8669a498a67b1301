import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';

import { ByteSourceError } from '../../io/byte-error.ts';
import { memorySource } from '../../../../test/memory/memory-source.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { openZarrArray, readZarrGroup } from './open-zarr.ts';
import { openZarrWriter, writeZarrArray, writeZarrGroup } from './write-zarr.ts';
import { ZarrError, type ZarrValues } from './zarr-array.ts';
import { folderStore, type ZarrStore } from './zarr-store.ts';
import { runs } from '../../../../test/property-runs.ts';

const RUNS = runs(150);
interface OracleStore {
  readonly name: string;
  readonly chunks: readonly number[];
  readonly files: Readonly<Record<string, string>>;
  readonly values: readonly (number | null)[];
}

const ORACLE: readonly OracleStore[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../test/oracles/zarr/zarr-oracle.json'), 'utf8'),
);
const signal = AbortSignal.any([]);

/** The files of a store in memory, which count what is read of them. */
function storeOf(files: ReadonlyMap<string, Uint8Array>, reads: string[] = []): ZarrStore {
  return (key) => {
    const bytes = files.get(key);
    const source: ByteSource =
      bytes === undefined
        ? { id: key, stat: async () => null, fetch: async () => null }
        : memorySource(key, bytes, String(bytes.length));
    return {
      ...source,
      fetch: (offset, length, options) => {
        reads.push(`${key} ${offset} ${length}`);
        return source.fetch(offset, length, options);
      },
    };
  };
}

function filesOf({ files }: OracleStore): Map<string, Uint8Array> {
  return new Map(Object.entries(files).map(([key, text]) => [key, Buffer.from(text, 'base64')]));
}

/** Every value of an array, in C order, read chunk by chunk. */
async function readAll(store: ZarrStore): Promise<number[]> {
  const array = await openZarrArray(store, '', signal);
  assert.ok(array);
  const { shape, chunkShape, fillValue } = array;
  const values = Array.from({ length: shape.reduce((product, size) => product * size, 1) }, () => Number.NaN);
  const chunks = shape.map((size, i) => Math.ceil(size / chunkShape[i]));
  for (let chunk = 0; chunk < chunks.reduce((product, size) => product * size, 1); chunk++) {
    const index = placeOf(chunk, chunks);
    const stored: ZarrValues | null = await array.chunk(index, signal);
    assert.equal(await array.has(index, signal), stored !== null);
    for (let at = 0; at < chunkShape.reduce((product, size) => product * size, 1); at++) {
      const place = placeOf(at, chunkShape).map((within, i) => index[i] * chunkShape[i] + within);
      if (place.some((one, i) => one >= shape[i])) continue;
      values[place.reduce((sum, one, i) => sum * shape[i] + one, 0)] = stored === null ? fillValue : stored[at];
    }
  }
  return values;
}

function placeOf(at: number, shape: readonly number[]): number[] {
  const place: number[] = [];
  for (const size of shape.toReversed()) {
    place.unshift(at % size);
    at = Math.floor(at / size);
  }
  return place;
}

describe('an array', () => {
  for (const oracle of ORACLE) {
    it(`is read as it was written: ${oracle.name}`, async () => {
      const values = await readAll(storeOf(filesOf(oracle)));
      assert.deepEqual(
        values,
        oracle.values.map((value) => value ?? Number.NaN),
      );
    });
  }

  it('reports its attributes and the names of its dimensions', async () => {
    const array = await openZarrArray(storeOf(filesOf(ORACLE[2])), '', signal);
    assert.deepEqual(array?.attributes, { name: ORACLE[2].name });
    assert.deepEqual(array?.dimensionNames, ['time', null, 'y', 'x']);
  });

  it('that is not there is null, and so is a group', async () => {
    assert.equal(await openZarrArray(storeOf(new Map()), 'labels', signal), null);
    assert.equal(await readZarrGroup(storeOf(new Map()), '', signal), null);
  });

  it('costs the index once and one range for each chunk after that', async () => {
    const reads: string[] = [];
    const array = await openZarrArray(storeOf(filesOf(ORACLE[0]), reads), '', signal);
    reads.length = 0;
    await array?.chunk([0, 0], signal);
    await array?.chunk([1, 1], signal);
    await array?.chunk([0, 2], signal);
    const index = filesOf(ORACLE[0]).get('c/0/0')?.length ?? 0;
    assert.equal(reads.filter((read) => read.startsWith('c/0/0')).length, 3);
    assert.equal(reads[0], `c/0/0 ${index - 68} 68`);
  });

  it('shares one read among callers of one chunk, and the index among callers of one shard', async () => {
    const reads: string[] = [];
    const array = await openZarrArray(storeOf(filesOf(ORACLE[0]), reads), '', signal);
    reads.length = 0;
    const [first, second] = await Promise.all([
      array?.chunk([0, 0], signal),
      array?.chunk([0, 0], signal),
      array?.chunk([0, 1], signal),
    ]);
    assert.equal(first, second);
    assert.equal(reads.length, 3);
  });

  it('goes on for one caller when another gives up', async () => {
    const array = await openZarrArray(storeOf(filesOf(ORACLE[0])), '', signal);
    const controller = new AbortController();
    const left = array?.chunk([0, 0], controller.signal);
    const stays = array?.chunk([0, 0], signal);
    controller.abort(new Error('given up'));
    await assert.rejects(left ?? Promise.resolve(), /given up/);
    assert.ok(await stays);
  });

  it('refuses a chunk outside of it', async () => {
    const array = await openZarrArray(storeOf(filesOf(ORACLE[0])), '', signal);
    for (const index of [[0], [0, 0, 0], [-1, 0], [0.5, 0], [3, 0], [0, 4]])
      await assert.rejects(array?.chunk(index, signal) ?? Promise.resolve(), RangeError);
  });
});

describe('a group', () => {
  it('gives its attributes, and is no array', async () => {
    const text = JSON.stringify({ zarr_format: 3, node_type: 'group', attributes: { years: [2024] } });
    const store = storeOf(new Map([['a/zarr.json', Buffer.from(text)]]));
    assert.deepEqual(await readZarrGroup(store, 'a', signal), { years: [2024] });
    await assert.rejects(openZarrArray(store, 'a', signal), /node_type: wanted "array", got "group"/);
  });
});

describe('a shard on disk', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zarr-'));
    await writeZarrGroup(folder, {});
    await writeZarrArray(folder, {
      shape: [64, 64],
      chunkShape: [16, 16],
      shardShape: [64, 64],
      dataType: 'uint32',
      fillValue: 0,
      dimensionNames: ['y', 'x'],
      attributes: {},
      zstdLevel: 1,
    });
  });
  after(() => rm(folder, { recursive: true }));

  it('that is replaced while its index is known is read again', async () => {
    const writer = await openZarrWriter(folder, signal);
    const array = await openZarrArray(folderStore(folder), '', signal);
    for (let round = 1; round <= 3; round++) {
      const noisy = Uint32Array.from({ length: 256 }, (_, i) => (round % 2 === 0 ? i * 2_654_435_761 : round));
      const chunks = [
        { index: [0, 1], values: noisy },
        { index: [0, 0], values: new Uint32Array(256).fill(round) },
      ];
      await writer?.writeShard([0, 0], chunks, { signal });
      assert.deepEqual(await array?.chunk([0, 0], signal), new Uint32Array(256).fill(round));
    }
  });

  it('that is damaged is refused, whatever byte is wrong, and never read as other values', async () => {
    const path = join(folder, 'c/0/0');
    const good = await readFile(path);
    const truth = [await readChunk([0, 0]), await readChunk([0, 1]), await readChunk([2, 2])];
    assert.equal(truth[2], null);
    async function readChunk(index: readonly number[]) {
      const array = await openZarrArray(folderStore(folder), '', signal);
      return (await array?.chunk(index, signal)) ?? null;
    }
    const damage = fc.oneof(
      fc.record({ at: fc.nat(good.length - 1), flip: fc.integer({ min: 1, max: 255 }) }),
      fc.record({ keep: fc.nat(good.length - 1) }),
    );
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(damage, async (how) => {
        const bytes = Buffer.from('keep' in how ? good.subarray(0, how.keep) : good);
        if ('at' in how) bytes[how.at] ^= how.flip;
        await writeFile(path, bytes);
        for (const [i, index] of [
          [0, 0],
          [0, 1],
          [2, 2],
        ].entries()) {
          const read = await readChunk(index).catch((error: unknown) => {
            assert.ok(error instanceof ZarrError || error instanceof ByteSourceError, String(error));
            refused += 1;
            return truth[i];
          });
          assert.deepEqual(read, truth[i]);
        }
      }),
      { numRuns: RUNS },
    );
    assert.ok(refused > RUNS / 2, `only ${refused} refused`);
    await writeFile(path, good);
  });
});
