import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { MODEL_FOLDER, PUBLISHED, readPublished } from '../../../test/detection-heads.ts';
import { seededRandom } from '../../geo/seeded-random.ts';
import { needsSharedData, SHARED_DATA } from '../../../test/shared-data.ts';
import { openZipArchive } from '../formats/tables/zip-archive.ts';
import { openPack } from '../packs/pack-file.ts';
import { type HeadMeta, headOfPack, packHead } from './head-pack.ts';
import { ModelError, readSavedModel } from './saved-model.ts';
import { readHead, readModelArchive, type SavedModelFiles } from './read-head.ts';
import { readTensor } from './tensor.ts';
import { readVariablesTable } from './variables.ts';
import { runs } from '../../../test/property-runs.ts';

const SHAPES = {
  palm: { width: 343, outputs: [497, 1], activation: 'tanh', bins: 640 },
  rubber: { width: 237, outputs: [329, 392, 1], activation: 'relu', bins: 704 },
  cocoa: { width: 494, outputs: [149, 48, 1], activation: 'gelu', bins: 640 },
  coffee: { width: 399, outputs: [1], activation: 'tanh', bins: 704 },
};

const ABOUT: HeadMeta = {
  model: 'm',
  version: '1',
  commodity: 'palm',
  licence: 'MIT',
  attribution: 'nobody',
  threshold: 0.5,
  thresholdSource: 'a test',
  latitude: 24,
  sha256: '',
  from: '',
};

for (const published of PUBLISHED) {
  const { commodity } = published;
  test(
    `the ${commodity} head is read whole, and is the same out of its pack`,
    needsSharedData(MODEL_FOLDER),
    async () => {
      const head = await readPublished(published);
      const { width, outputs, activation, bins } = SHAPES[commodity];
      assert.equal(head.width, width);
      assert.equal(head.activation, activation);
      assert.equal(head.binWeights.length, bins * width);
      assert.deepEqual(
        head.layers.map((layer) => layer.outputs),
        outputs,
      );
      const pack = packHead('a', head, ABOUT);
      assert.ok(pack.buffer.byteLength < 2_200_000, `${pack.buffer.byteLength} bytes`);
      assert.deepEqual(headOfPack(openPack(pack.buffer)), { head, about: ABOUT });
    },
  );
}

test('a changed byte of the index is noticed, or changes nothing', needsSharedData(MODEL_FOLDER), async () => {
  const { index } = await coffee();
  const whole = readVariablesTable(index, 'index');
  let unnoticed = 0;
  for (let at = 0; at < index.length; at++) {
    const broken = Uint8Array.from(index);
    broken[at] ^= 0x10;
    try {
      assert.deepEqual(readVariablesTable(broken, 'index'), whole);
      unnoticed++;
    } catch (error) {
      assert.ok(error instanceof ModelError, String(error));
    }
  }
  // A block about blocks, which is empty, and the bytes that fill up the footer.
  assert.ok(unnoticed < 70, `${unnoticed} of ${index.length} unnoticed`);
});

test('a changed variable is noticed by its checksum', needsSharedData(MODEL_FOLDER), async () => {
  const files = await coffee();
  const data = Uint8Array.from(files.data);
  data[data.length >> 1] ^= 1;
  assert.throws(() => readHead({ ...files, data }), isModelError(/checksum/));
  assert.throws(() => readHead({ ...files, data: data.subarray(0, 1000) }), isModelError(/got a file of 1000/));
});

test(
  'a damaged graph is refused in a sentence or read, and never fails otherwise',
  needsSharedData(MODEL_FOLDER),
  async () => {
    const files = await coffee();
    const random = seededRandom(7);
    let refused = 0;
    for (let round = 0; round < 12; round++) {
      const graph = Uint8Array.from(files.graph);
      for (let i = 0; i < 3000; i++) graph[Math.floor(random() * graph.length)] ^= 1 << Math.floor(random() * 8);
      const cut = round % 3 === 0 ? graph.subarray(0, Math.floor(random() * graph.length)) : graph;
      try {
        readHead({ ...files, graph: cut });
      } catch (error) {
        refused++;
        assert.ok(error instanceof ModelError, String((error as Error).stack));
      }
    }
    assert.ok(refused >= 4, `${refused} of 12 refused`);
  },
);

test('bytes that are no model, no table and no tensor are refused in a sentence', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), protobufLike(4)), (bytes) => {
      for (const read of [
        () => readSavedModel(bytes),
        () => readVariablesTable(bytes, 'index'),
        () => readTensor(bytes, 'tensor'),
      ]) {
        try {
          read();
        } catch (error) {
          assert.ok(error instanceof ModelError, String((error as Error).stack));
        }
      }
    }),
    { numRuns: runs(2000) },
  );
});

test('an archive that is none, or holds no model, is refused in a sentence', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'model-'));
  try {
    const path = join(folder, 'a.zip');
    await writeFile(path, 'not an archive');
    await assert.rejects(readModelArchive(path), isModelError(/whole ZIP archive/));
    await writeFile(path, Buffer.from('504b0506000000000000000000000000000000000000', 'hex'));
    await assert.rejects(readModelArchive(path), isModelError(/wanted one file saved_model.pb in the archive, got 0/));
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Messages whose fields hold messages, as those of a model do. */
function protobufLike(depth: number): fc.Arbitrary<Uint8Array> {
  const value =
    depth === 0
      ? fc.uint8Array({ maxLength: 12 })
      : fc.oneof(fc.uint8Array({ maxLength: 12 }), protobufLike(depth - 1));
  const field = fc.tuple(fc.integer({ min: 1, max: 10 }), value);
  return fc
    .array(field, { maxLength: 5 })
    .map((list) => Uint8Array.from(list.flatMap(([number, bytes]) => [number * 8 + 2, bytes.length & 127, ...bytes])));
}

function isModelError(message: RegExp) {
  return (error: unknown): boolean => error instanceof ModelError && message.test(error.message);
}

async function coffee(): Promise<SavedModelFiles> {
  const { file } = PUBLISHED.find(({ commodity }) => commodity === 'coffee')!;
  const path = join(SHARED_DATA, MODEL_FOLDER, file);
  await using archive = await openZipArchive(path, (await readFile(path)).length);
  const bytes = (end: string): Promise<Buffer> =>
    archive.bytes(archive.entries.find((entry) => entry.path.endsWith(end))!);
  return { graph: await bytes('saved_model.pb'), index: await bytes('.index'), data: await bytes('-of-00001') };
}
