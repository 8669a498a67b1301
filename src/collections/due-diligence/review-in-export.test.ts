import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extractText, getDocumentProxy } from 'unpdf';
import { COLLECTION, exportFiles, plotRecord, square, STATISTICS } from '../../../test/due-diligence-export.ts';
import type { Review } from '../review.ts';

const REVIEW: Review = {
  state: 'rejected',
  note: '=Outline of the neighbour',
  by: 'ana@example.org',
  at: '2026-02-03T04:05:06.000Z',
};

describe('reviews in the due diligence export', () => {
  const record = (i: number, review?: Review) => ({
    ...plotRecord(i, square(i), {}, { statistics: STATISTICS, problem: null }),
    ...(review && { review }),
  });

  it('stand in plots.csv and on the page of their plot, and change nothing else', async () => {
    const collection = { ...COLLECTION, completedAt: new Date('2026-03-01T00:00:00Z') };
    const without = await exportFiles([record(0), record(1)], collection);
    const files = await exportFiles([record(0, REVIEW), record(1)], collection);
    const rows = files['plots.csv']!.toString().trim().split('\r\n');
    const head = 'review_state,review_note,review_by,review_at,review_of_earlier_run';
    const said = "rejected,'=Outline of the neighbour,ana@example.org,2026-02-03T04:05:06.000Z,true";
    assert.deepEqual(
      rows.map((row) => row.split(',').slice(-5).join(',')),
      [head, said, 'open,,,,'],
    );
    assert.equal(files['plots.csv']!.toString().replace(said, 'open,,,,'), without['plots.csv']!.toString());
    for (const name of Object.keys(without))
      if (!['plots.csv', 'audit.pdf', 'manifest.json', 'checksums.txt', 'SHA256SUMS'].includes(name))
        assert.deepEqual(files[name], without[name], name);
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(files['audit.pdf']!)));
    const pages = text.filter((page) => /review: rejected/.test(page));
    assert.equal(pages.length, 1);
    assert.match(pages[0]!.replaceAll(/\s+/g, ' '), /By ana@example\.org, 2026-02-03: =Outline of the neighbour/);
  });
});
