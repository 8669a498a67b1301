import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CsvCell, csvText } from './feature-text.ts';

async function rowOf(cells: readonly CsvCell[]): Promise<string> {
  async function* one(): AsyncGenerator<readonly CsvCell[], void> {
    yield cells;
  }
  const [, row] = await Array.fromAsync(csvText(one(), { header: ['h'], row: (feature) => feature }));
  return row;
}

test('writes empty cells, numbers and booleans bare and quotes only where needed', async () => {
  assert.equal(
    await rowOf([null, undefined, 0, -1.5, true, 'a b', 'a,b', 'a"b', 'a\nb']),
    ',,0,-1.5,true,a b,"a,b","a""b","a\nb"\r\n',
  );
});

test('keeps spreadsheets from running a text as a formula', async () => {
  assert.equal(
    await rowOf(['=1+1', '+SUM(A1)', '@x', '-2+3', '-2.5', '+12', 'a=b']),
    "'=1+1,'+SUM(A1),'@x,'-2+3,-2.5,+12,a=b\r\n",
  );
});
