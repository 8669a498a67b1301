import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { facilityColumns } from '../../console/pages/facilities/facility-columns.ts';
import { correctedFile } from '../../console/parts/unread/unread-rows.ts';
import { plotColumns } from '../../console/pages/collections/plots/plot-columns.ts';
import { rowsFile, type RowsQuestion } from '../../console/parts/files/chosen-rows.ts';
import { tableFile, type Cell } from '../../console/parts/files/table-file.ts';
import { createMarks, markedOf } from '../../console/parts/table/marks.ts';
import { groupRows, isGroup } from '../../console/parts/table/group-rows.ts';
import { compareTexts } from '../../console/parts/table/compare-texts.ts';
import { MOST_COMPARISONS, ranksOf, rankTexts, sortByRank } from '../../console/parts/table/rank-texts.ts';
import { inStates } from '../../console/parts/reviews/reviews-of-rows.ts';
import { seededRandom } from '../../src/geo/seeded-random.ts';
import { runs } from '../property-runs.ts';

/** A Python that has openpyxl, which nobody here wrote: Debian's `python3-openpyxl`. */
const PYTHON = ['/usr/bin/python3', 'python3'].find((python) => {
  try {
    execFileSync(python, ['-c', 'import openpyxl'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});
const noPython = PYTHON === undefined && 'no Python with openpyxl (Debian: python3-openpyxl)';

/** Every cell of every row as openpyxl reads it: its type in the file and its value. */
const READ = `
import json, sys, openpyxl
book = openpyxl.load_workbook(sys.argv[1])
print(json.dumps([[[cell.data_type, cell.value] for cell in row] for row in book.active.iter_rows()]))`;

async function readWorkbook(blob: Blob): Promise<[type: string, value: Cell][][]> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-xlsx-'));
  try {
    const path = join(folder, 'rows.xlsx');
    await writeFile(path, Buffer.from(await blob.arrayBuffer()));
    const { stdout } = await promisify(execFile)(PYTHON!, ['-c', READ, path], { maxBuffer: 1e8 });
    return JSON.parse(stdout) as [string, Cell][][];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const FORMULAS = ['=1+1', '=HYPERLINK("http://x","y")', '+1', '-1+2', '@SUM(A1)', '\t=1', "'=1", '=cmd|"/c calc"!A1'];

/** Of many scripts, and what has a meaning in XML, in CSV or in a formula. */
const LETTERS = [...'aZÄéßЯж漢字ไทยبअ한🌳0_x =+-@"<>&;,.!\'\t\n'];

const feature = (index: number, source: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'Feature',
  id: `F${index}`,
  geometry: { type: 'Point', coordinates: [102.5, 4.25] },
  properties: { location_number: index, source_row: index + 2, country: 'Malaysia', source, ...more },
});
const REVIEW = {
  state: 'rejected',
  note: '=no',
  by: 'ana@example.org',
  at: '2026-01-02T03:04:05Z',
  of_earlier_run: true,
} as const;
const FEATURES = [
  feature(0, { Mill: '=1+1', 'Own code': 7, country: 'MY' }, { name: 'Mill 1' }),
  feature(1, { Mill: 'Zwei', Extra: { a: [1] } }, { name: null }),
  feature(2, {}),
];
const ask = (format: RowsQuestion['format'], indices = [1, 0]): RowsQuestion => ({
  type: 'export',
  format,
  indices: Uint32Array.from(indices),
  file: 'mills.csv',
  reviews: new Map([[0, REVIEW]]),
});
const read = (index: number) => (FEATURES[index] ?? null) as never;

describe('rows as a file', () => {
  it('have the name of the file, the number of the row and every column of the file, under their own names', async () => {
    for (const columns of [facilityColumns, plotColumns]) {
      const text = await (await rowsFile(ask('csv'), read, columns as never)).text();
      const rows = parse(text, { columns: true }) as Record<string, string>[];
      assert.deepEqual(
        rows.map((row) => [row['file'], row['row'], row['country'], row['source.country'], row['source.Own code']]),
        [
          ['mills.csv', '3', 'Malaysia', '', ''],
          ['mills.csv', '2', 'Malaysia', 'MY', '7'],
        ],
      );
      assert.deepEqual(
        rows.map((row) => [row['source.Mill'], row['source.Extra'], row['review_state'], row['review_note']]),
        [
          ['Zwei', '{"a":[1]}', 'open', ''],
          ["'=1+1", '', 'rejected', "'=no"],
        ],
      );
    }
  });

  it('are empty, and neither 0 nor none, where nobody could look', async () => {
    const found = {
      confidence_score: 0.4,
      confidence_level: 'low',
      road_access: 0,
      water_access: 0,
      building_presence: 0,
      building_class: 'none',
      producer_confirmed: false,
      evidence: [
        { indicator: 'road_access', status: 'absent', penalty: 0.1 },
        ...['water_access', 'building_presence', 'producer_confirmation'].map((indicator) => ({
          indicator,
          status: 'unknown',
          penalty: 0,
        })),
      ],
    };
    const invalid = { ...found, confidence_score: 0, confidence_level: 'invalid', evidence: [] };
    const features = [feature(0, {}, found), feature(1, {}, invalid)];
    const text = await (
      await rowsFile(ask('csv', [0, 1]), (index) => features[index] as never, facilityColumns as never)
    ).text();
    const names = ['confidence_score', 'road_access', 'water_access', 'building_presence', 'building_class'];
    assert.deepEqual(
      (parse(text, { columns: true }) as Record<string, string>[]).map((row) =>
        [...names, 'producer_confirmed'].map((name) => row[name]),
      ),
      [
        ['0.4', '0', '', '', '', ''],
        ['', '', '', '', '', ''],
      ],
    );
  });

  it('are features with what was found and decided, or a file of the same places to be read again', async () => {
    const json = async (format: 'geojson' | 'input', indices?: number[]) =>
      JSON.parse(await (await rowsFile(ask(format, indices), read, facilityColumns as never)).text()) as {
        features: { id: string; geometry: unknown; properties: Record<string, unknown> }[];
      };
    const [second, first] = (await json('geojson')).features;
    assert.deepEqual([second!.properties['row'], second!.properties['review_state']], [3, 'open']);
    assert.deepEqual([first!.properties['file'], first!.properties['review_by']], ['mills.csv', 'ana@example.org']);
    const again = (await json('input', [0])).features;
    assert.deepEqual(again, [
      {
        type: 'Feature',
        id: 'F0',
        geometry: FEATURES[0]!.geometry,
        properties: {
          original_file: 'mills.csv',
          original_row: 2,
          Mill: '=1+1',
          'Own code': 7,
          country: 'Malaysia',
          name: 'Mill 1',
        },
      },
    ]);
    assert.deepEqual((await json('geojson', [])).features, []);
  });

  it('keep the file and the row that they first came from, corrected and however often they are read', async () => {
    const once = feature(0, { Mill: 'One', original_file: 'first.csv', original_row: 9 });
    const input = await rowsFile(ask('input', [0]), () => once as never, plotColumns as never);
    const { features } = JSON.parse(await input.text()) as { features: { properties: Record<string, unknown> }[] };
    const [{ properties }] = features as [(typeof features)[0]];
    assert.deepEqual([properties['original_file'], properties['original_row']], ['first.csv', 9]);
    const tables = [{ name: null, columns: [{ column: 'lat', field: 'latitude' }] }];
    const unread = {
      index: 4,
      row: 6,
      name: '',
      commodity: null,
      reasons: [],
      cells: { lat: 'north' },
      columns: ['lat'],
    };
    const corrected = correctedFile([unread], new Map([[4, { lat: '4.5' }]]), tables, 'mills.csv');
    assert.deepEqual(JSON.parse(await corrected.file.text()), [
      { original_file: 'mills.csv', original_row: 6, lat: '4.5' },
    ]);
    assert.deepEqual(corrected.mapping, { original_file: null, original_row: null, lat: 'latitude' });
  });

  it('hold every text as text in a workbook, whatever it looks like', { skip: noPython }, async () => {
    const rows = [FORMULAS, [1, -2.5, true, null, 'x'.repeat(40_000), 'a\0b\u0001\ufffe', '\ud800', '  spaces  ']];
    const [head, texts, others] = await readWorkbook(await tableFile('xlsx', { header: FORMULAS, rows }));
    for (const row of [head!, texts!])
      assert.deepEqual(
        row.map(([type, value]) => [type, value]),
        FORMULAS.map((text) => ['s', text]),
      );
    assert.deepEqual(
      others!.slice(0, 3).map(([type, value]) => [type, value]),
      [
        ['n', 1],
        ['n', -2.5],
        ['b', true],
      ],
    );
    assert.equal(others![3]![1], null);
    assert.equal(String(others![4]![1]).length, 32_767);
    assert.deepEqual(
      others!.slice(5).map(([, value]) => value),
      ['ab', '', '  spaces  '],
    );
  });

  it('come back from a workbook as they were, in any script', { skip: noPython }, async () => {
    const text = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 30 });
    const cell = fc.oneof(text, fc.integer(), fc.boolean(), fc.constantFrom(...FORMULAS));
    const rows = fc.sample(fc.array(cell, { minLength: 6, maxLength: 6 }), { numRuns: runs(300), seed: 7 });
    const found = await readWorkbook(await tableFile('xlsx', { header: ['a', 'b', 'c', 'd', 'e', 'f'], rows }));
    assert.equal(found.length, rows.length + 1);
    for (const [i, row] of rows.entries())
      for (const [j, value] of row.entries()) {
        const [type, came] = found[i + 1]![j]!;
        assert.notEqual(type, 'f');
        if (typeof value !== 'string') assert.equal(came, value);
        else assert.equal(came, value);
      }
  });
});

describe('marked rows', () => {
  const rows = Array.from({ length: 6 }, (_, index) => ({ index }));

  it('are marked one by one, as a range of what is shown, or all of it', () => {
    const marks = createMarks();
    marks.show(rows.toReversed());
    marks.toggle(4);
    marks.toggle(1, true);
    assert.deepEqual([...marks.marked.value].sort(), [1, 2, 3, 4]);
    marks.toggle(2);
    assert.deepEqual(
      markedOf(rows.slice(0, 4), marks.marked.value).map(({ index }) => index),
      [1, 3],
    );
    marks.all();
    assert.equal(marks.marked.value.size, 6);
    marks.none();
    assert.deepEqual(markedOf(rows, marks.marked.value), []);
  });

  it('are those in the chosen states, where a row that nobody reviewed is open', () => {
    const byRow = new Map([[2, { state: 'accepted' as const }]]);
    assert.deepEqual(inStates(rows, ['accepted'], byRow), [{ index: 2 }]);
    assert.equal(inStates(rows, ['open', 'rejected'], byRow).length, 5);
    assert.equal(inStates(rows, [], byRow).length, 6);
  });
});

describe('the rows of an answer', () => {
  interface Lines {
    readonly rows: { readonly value: readonly number[] };
    readonly isComplete: { readonly value: boolean };
  }

  it('are shown before it is said that they are all, each in a task of its own', async () => {
    // Not a part of this program to the compiler: it has the types of a page.
    const { openLines } = (await import(new URL('../../console/api/open-lines.ts', import.meta.url).href)) as {
      openLines(worker: unknown, request: () => Promise<unknown>): Lines;
    };
    const worker = Object.assign(new EventTarget(), { postMessage() {}, terminate() {} });
    const lines = openLines(worker, () => Promise.resolve(new Response('')));
    const say = (data: unknown): unknown => worker.dispatchEvent(new MessageEvent('message', { data }));
    say({ type: 'rows', rows: [1, 2] });
    say({ type: 'rows', rows: [3] });
    assert.deepEqual(lines.rows.value, [1, 2], 'until there are twice as many');
    say({ type: 'ended' });
    assert.deepEqual([lines.rows.value, lines.isComplete.value], [[1, 2, 3], false]);
    await new Promise((resolve) => setTimeout(resolve));
    assert.equal(lines.isComplete.value, true);
  });
});

describe('rows that are sorted by a text', () => {
  it('stand as a sort of them all at once would have them, equal ones as they were', () => {
    const row = fc.record({ name: fc.constantFrom('Mill 10', 'Mill 9', 'mill 9', '', 'Ägypten', 'agypten', 'z') });
    fc.assert(
      fc.property(fc.array(row), fc.boolean(), (given, descending) => {
        const rows = given.map((each, index) => ({ ...each, index }));
        const name = (each: (typeof rows)[number]): string => each.name;
        const sign = descending ? -1 : 1;
        assert.deepEqual(
          sortByRank(rows, name, ranksOf(rows.map(name)), descending),
          rows.toSorted((a, b) => sign * compareTexts(a.name, b.name)),
        );
      }),
      { numRuns: runs(200) },
    );
  });

  it('are compared in small steps, however many there are', () => {
    const random = seededRandom(5);
    for (const count of [0, 1, 599, 601, 20_000]) {
      const texts = Array.from({ length: count }, () => `Facility ${Math.floor(random() * 1e5)}`);
      let [compared, most, steps] = [0, 0, 0];
      const ranking = rankTexts(new Set(texts), (a, b) => {
        compared++;
        return compareTexts(a, b);
      });
      for (;;) {
        compared = 0;
        const { done, value } = ranking.next();
        most = Math.max(most, compared);
        steps++;
        if (done !== true) continue;
        assert.deepEqual(
          sortByRank(texts, (text) => text, value, false),
          texts.toSorted(compareTexts),
        );
        break;
      }
      assert.ok(most <= MOST_COMPARISONS, `${most} comparisons in one step`);
      assert.equal(steps > 1, count > 1_000, `${steps} steps for ${count} texts`);
    }
  });
});

describe('grouped rows', () => {
  it('are all there once, under the heading of their group, those without a name last', () => {
    const row = fc.record({ name: fc.constantFrom('b', 'a', '', ' a ', 'B', 'ä') });
    fc.assert(
      fc.property(fc.array(row), (given) => {
        const rows = given.map((each, index) => ({ ...each, index }));
        const items = groupRows(rows, ({ name }) => name);
        assert.deepEqual(
          items.flatMap((item) => (isGroup(item) ? [] : [item.index])).toSorted((a, b) => a - b),
          rows.map(({ index }) => index),
        );
        let group = '?';
        for (const item of items)
          if (isGroup(item)) group = item.name;
          else assert.equal(item.name.trim(), group);
        const names = items.filter(isGroup).map(({ name }) => name);
        assert.equal(new Set(names).size, names.length);
        assert.ok(!names.slice(0, -1).includes(''));
        assert.equal(new Set(items.map(({ index }) => index)).size, items.length);
      }),
      { numRuns: runs(200) },
    );
  });
});
