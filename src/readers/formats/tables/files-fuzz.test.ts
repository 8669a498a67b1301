import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { array, assert as check, asyncProperty, integer, nat, oneof, record, string, uint8Array } from 'fast-check';
import { anyCharacter } from '../../../../test/any-character.ts';
import { readBytes } from '../../../../test/location-files.ts';
import { archive } from '../../../../test/make-archive.ts';
import { everyFormat } from '../../../../test/sample-location-files.ts';
import { Problem } from '../../../errors.ts';
import { runs } from '../../../../test/property-runs.ts';

const PLACES = [
  { name: 'Alpha', lon: 101.5, lat: 0.25 },
  { name: 'Beta', lon: -1.625, lat: 6.75 },
  { name: 'Gamma', lon: 0, lat: 0 },
];
const SAMPLES = everyFormat(PLACES);
/** A file that takes longer hangs: the slowest ends after some three seconds of processor time, of which a busy machine gives it a tenth. */
const MAX_MS = 120_000;

const change = record({
  at: nat(1_000_000),
  kind: integer({ min: 0, max: 3 }),
  bytes: uint8Array({ minLength: 1, maxLength: 8 }),
});

/** Bytes overwritten, inserted, cut out or cut off. */
function damaged(sample: Uint8Array, changes: readonly { at: number; kind: number; bytes: Uint8Array }[]): Uint8Array {
  let out: Uint8Array = Buffer.from(sample);
  for (const { at, kind, bytes } of changes) {
    const from = at % (out.length + 1);
    if (kind === 0) out.set(bytes.subarray(0, out.length - from), from);
    else if (kind === 1) out = Buffer.concat([out.subarray(0, from), bytes, out.subarray(from)]);
    else if (kind === 2) out = Buffer.concat([out.subarray(0, from), out.subarray(from + bytes.length)]);
    else out = out.subarray(0, from);
  }
  return out;
}

/** Reads the bytes or is refused with a client's error; nothing else may happen, and soon. */
async function readOrRefused(content: Uint8Array): Promise<void> {
  const start = performance.now();
  try {
    await readBytes(content);
  } catch (error) {
    assert.ok(error instanceof Problem, String((error as Error).stack));
    assert.ok(error.status === 400 || error.status === 413, error.message);
    assert.ok(error.message.length > 20);
  }
  assert.ok(performance.now() - start < MAX_MS, 'took too long');
}

describe('a damaged file', () => {
  for (const [format, sample] of Object.entries(SAMPLES))
    test(`of ${format} is read or refused with a sentence`, async () => {
      await check(
        asyncProperty(array(change, { minLength: 1, maxLength: 4 }), (changes) =>
          readOrRefused(damaged(sample, changes)),
        ),
        // Each Parquet file takes a thread, and a hostile one three seconds.
        { numRuns: format === 'geoparquet' ? runs(60, 10) : runs(300) },
      );
    });

  test('inside a whole archive is read or refused with a sentence', async () => {
    const sheet = '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>';
    const book = {
      'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="F" r:id="a"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="a" Target="s.xml"/></Relationships>',
    };
    await check(
      asyncProperty(array(change, { minLength: 1, maxLength: 4 }), nat(2), (changes, which) => {
        if (which === 0) return readOrRefused(archive({ ...book, 'xl/s.xml': damaged(Buffer.from(sheet), changes) }));
        const shp = Buffer.alloc(160);
        shp.writeInt32BE(9994, 0);
        shp.writeInt32BE(26, 104);
        shp.writeInt32LE(which === 1 ? 5 : 8, 108);
        const dbf = Buffer.from(
          `03000000030000004100150000000000${'00'.repeat(16)}4e414d45${'00'.repeat(7)}43000000001400${'00'.repeat(14)}0d`,
          'hex',
        );
        return readOrRefused(archive({ 'a.shp': damaged(shp, changes), 'a.dbf': damaged(dbf, changes) }));
      }),
      { numRuns: runs(300) },
    );
  });
});

test('any text at all is read, called prose or refused', async () => {
  const piece = oneof(
    string(),
    string({ unit: anyCharacter }),
    oneof(
      ...['"', ',', ';', '\t', '\n', '\r', '=', '{', '[', '<', '\0'].map((text) =>
        integer({ min: 1, max: 3 }).map((n) => text.repeat(n)),
      ),
    ),
  );
  await check(
    asyncProperty(array(piece, { maxLength: 30 }), (pieces) => readOrRefused(Buffer.from(pieces.join('')))),
    { numRuns: runs(500) },
  );
});

test('a table loses no row and no cell, whatever it holds', async () => {
  const cell = string({ unit: 'grapheme', maxLength: 12 }).map((text) =>
    [...text].filter((letter) => letter >= ' ').join(''),
  );
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const table = array(array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 20 });
  await check(
    asyncProperty(table, async (rows) => {
      const all = rows.map((row, i) => [`id ${i}`, ...row]);
      const { format, tables } = await readBytes(all.map((row) => row.map(quoted).join(',')).join('\n'));
      assert.equal(format, 'csv');
      const read = tables.flatMap(({ rows: found }) => found.map((row) => ('cells' in row ? row.cells : [])));
      assert.deepEqual(
        read,
        all.map((row) => row.map((text) => (text === '' ? null : text))),
      );
    }),
    { numRuns: runs(200) },
  );
});
