import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textTable } from './text-table.ts';

const ID = '8f4c2f4e-4f1b-4f0e-9a39-6a8cf2f3c001';

describe('a table of a command', () => {
  it('stands in columns as wide as their cells where they fit', () => {
    assert.equal(
      textTable(
        ['theme', 'features'],
        [
          ['roads', '2,680'],
          ['water', '186'],
        ],
        [1],
      ),
      'theme  features\n-----  --------\nroads     2,680\nwater       186\n',
    );
  });

  it('goes on below in the widest column, with no word cut and none lost', () => {
    const text = 'the layers of the region were read, and two of them had no data for the years after 2024';
    const table = textTable(['id', 'n', 'why'], [[ID, '7', text]], [1]);
    const lines = table.trimEnd().split('\n');
    assert.ok(
      lines.every((line) => line.length <= 80),
      table,
    );
    assert.ok(lines.length > 3);
    assert.equal(
      lines
        .slice(2)
        .map((line) => line.slice(ID.length + 5).trim())
        .join(' '),
      text,
    );
    assert.equal(lines.filter((line) => line.startsWith(ID)).length, 1);
  });

  it('writes rows as lines where the words alone are wider than a terminal', () => {
    const table = textTable(
      ['id', 'other', 'state'],
      [
        [ID, `${ID}${ID}`, 'sent'],
        [ID, ID, ''],
      ],
    );
    assert.equal(table, `${ID}\n  other  ${ID}${ID}\n  state  sent\n\n${ID}\n  other  ${ID}\n`);
  });
});
