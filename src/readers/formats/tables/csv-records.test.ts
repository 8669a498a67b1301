import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CsvError, parse } from 'csv-parse/sync';
import { seededRandom } from '../../../geo/seeded-random.ts';
import type { GridRow } from '../../../locations/source-table.ts';
import { CsvFault, nextRecord, restOfText, skipRecord, startOfText } from './csv-records.ts';
import { openCsv, readGridPart } from './read-csv.ts';

const DELIMITER = ';';
/** What tables are made of, and what breaks them. */
const PIECES = ['a', 'bc', ';', ';', '"', '""', '\n', '\r\n', '\r', ' ', '\0', 'é', '', '";"', '"\n"', '\n\n'];

interface CsvRecord {
  readonly row: number;
  readonly cells: readonly string[];
}

describe('nextRecord', () => {
  it('reads what csv-parse reads, wherever the text is cut', () => {
    const random = seededRandom(31);
    let [whole, broken] = [0, 0];
    for (let round = 0; round < 20_000; round++) {
      const count = 1 + Math.floor(random() * 14);
      const text = Array.from({ length: count }, () => PIECES[Math.floor(random() * PIECES.length)]).join('');
      const cuts = Array.from({ length: 3 }, () => Math.floor(random() * (text.length + 1))).toSorted((a, b) => a - b);
      const expected = parsed(text);
      const got = readIn(text, cuts);
      assert.deepEqual(got, expected, `${JSON.stringify(text)} cut at ${cuts.join(', ')}`);
      assert.deepEqual(passIn(text, cuts), expected?.map(({ row }) => row) ?? null, JSON.stringify(text));
      if (expected === null) broken++;
      else whole++;
    }
    assert.ok(whole > 5_000 && broken > 1_000, `${whole} whole and ${broken} broken texts`);
  });

  it('counts the cells of a record that goes on beyond the text, those in quotation marks as one', () => {
    for (const [text, begun] of [
      ['a;b\n1;"2;3;4";5;', 3],
      ['a;b\n1;"2;3;4', 1],
      ['a;b\n1;2;3', 2],
    ] as const) {
      const cursor = startOfText(0, null);
      assert.ok(skipRecord(text, cursor, DELIMITER, false));
      assert.equal(skipRecord(text, cursor, DELIMITER, false), false);
      assert.equal(cursor.begun, begun);
    }
  });
});

describe('parts of a table of text', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-csv-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('hold the rows of the table, with their numbers', async () => {
    const lines = Array.from({ length: 9_000 }, (_, i) => [
      `${i},Köln ${i},"a ""quoted"" name, with a comma and an\nend of a line",${i / 7}`,
      i % 50 === 0 ? ['', '   '] : [],
      i % 80 === 0 ? [`=SUM(A${i}),5" pipe,\uFFFD,,`] : [],
    ]).flat(2);
    const path = join(folder, 'rows.csv');
    await writeFile(path, `sep=,\r\nid,name,note,value\n${lines.join('\n')}`.replace('\r\n', '\n'));
    const file = await openCsv(path);
    const [table] = file?.tables ?? [];
    assert.ok(table?.kind === 'grid' && table.parts !== undefined);
    const rows: GridRow[] = [];
    for await (const row of table.rows()) rows.push(row);
    const inParts: GridRow[] = [];
    let [parts, next] = [0, 1];
    for await (const part of table.parts()) {
      assert.equal(part.row, next);
      next += part.rows;
      inParts.push(...[...readGridPart(part)].filter(({ row }) => row > 1));
      parts++;
    }
    assert.ok(parts > 3);
    assert.deepEqual(inParts, rows);
    assert.equal(rows[1].row, 3);
    assert.ok(rows.some(({ notes }) => notes?.length === 2));
    for (const after of [0, 2, 5_000]) {
      let counted = 0;
      for await (const some of table.count!(after)) counted += some;
      assert.equal(counted, rows.filter(({ row }) => row > after).length);
    }
  });
});

/** Records with their rows as the reader in pieces has them; null for a text that is refused. */
function readIn(text: string, cuts: readonly number[]): readonly CsvRecord[] | null {
  return readPieces(text, cuts, (held, cursor, isEnd) => {
    const cells = nextRecord(held, cursor, DELIMITER, isEnd);
    return cells === null ? null : { row: cursor.row, cells };
  });
}

/** The rows of the same records, passed over. */
function passIn(text: string, cuts: readonly number[]): readonly number[] | null {
  return readPieces(text, cuts, (held, cursor, isEnd) =>
    skipRecord(held, cursor, DELIMITER, isEnd) ? cursor.row : null,
  );
}

function readPieces<T>(
  text: string,
  cuts: readonly number[],
  read: (held: string, cursor: ReturnType<typeof startOfText>, isEnd: boolean) => T | null,
): readonly T[] | null {
  const found: T[] = [];
  const cursor = startOfText(0, null);
  let held = '';
  try {
    for (const [i, from] of [0, ...cuts].entries()) {
      const isEnd = i === cuts.length;
      held += text.slice(from, isEnd ? text.length : cuts[i]);
      for (let one; (one = read(held, cursor, isEnd)) !== null;) found.push(one);
      held = restOfText(held, cursor);
    }
  } catch (error) {
    if (error instanceof CsvFault) return null;
    throw error;
  }
  return found;
}

function parsed(text: string): readonly CsvRecord[] | null {
  try {
    const found = parse(text, {
      delimiter: DELIMITER,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      info: true,
    }) as unknown as { record: string[]; info: { records: number; empty_lines: number } }[];
    return found.map(({ record, info }) => ({ row: info.records + info.empty_lines, cells: record }));
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}
