import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extractText, getDocumentProxy } from 'unpdf';
import {
  COLLECTION,
  exportFiles,
  LINE,
  PERIOD,
  plotRecord,
  square,
  STATISTICS,
} from '../../../../test/due-diligence-export.ts';
import { measured } from '../../../../test/memory/collections.ts';

describe('the audit trail', () => {
  const NAMES = [
    'Nguyễn Văn Ễ',
    'Café Ærø',
    'Јован Љубић',
    'Ελαιώνας',
    'สวนยางพารา',
    'ສວນກາເຟ',
    'রাবার',
    'ቡና',
    'مزرعة',
    'हिन्दी',
    '橡胶种植园',
    'ចំការ',
    'ရာဘာခြံ',
    'רפת',
    '🌳',
    '\u0301\ufffe',
  ];

  it('has a page a plot, an index and searchable names in any script', async () => {
    const records = NAMES.map((name, i) =>
      plotRecord(i, square(i), { name }, { statistics: STATISTICS, problem: null }),
    );
    const files = await exportFiles(records);
    const pdf = await getDocumentProxy(new Uint8Array(files['audit.pdf']!));
    const { text, totalPages } = await extractText(pdf);
    assert.equal(totalPages, text.length);
    assert.ok(totalPages >= NAMES.length + 3 && totalPages <= NAMES.length + 5, String(totalPages));
    assert.match(text[0]!, /EUDR due diligence[^]*Nothing was submitted to any authority/);
    const pages = text.filter((page) => /Location \d+ ·/.test(page));
    assert.equal(pages.length, NAMES.length);
    for (const [i, name] of ['Nguyễn', 'Café Ærø', 'Јован Љубић', 'Ελαιώνας'].entries())
      assert.ok(pages[i]!.normalize('NFC').includes(name), name);
    for (const page of pages) assert.match(page, /made-up 1/);
    assert.match(text.at(-1)!, /PLOT PRODUCER COUNTRY/);
    const { info } = (await pdf.getMetadata()) as unknown as { info: Record<string, unknown> };
    assert.equal(info['Title'], 'EUDR audit trail: Café São João');
    assert.equal(info['Language'], 'en');
  });

  it('gives its pages first to plots that need to be looked at, and says so', async () => {
    const records = [
      ...Array.from({ length: 10 }, (_, i) =>
        plotRecord(
          i,
          square(i),
          {},
          {
            statistics: {
              ...STATISTICS,
              losses: [measured({ lossHa: {}, inBaselineHa: {}, years: [2001, 2024] as const })],
            },
          },
        ),
      ),
      plotRecord(10, square(10), {}, { statistics: STATISTICS }),
      plotRecord(11, LINE),
    ];
    const files = await exportFiles(records, COLLECTION, { period: PERIOD, plotPages: 3 });
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(files['audit.pdf']!)));
    const shown = text.flatMap((page) => /Location (\d+) ·/.exec(page)?.[1] ?? []);
    assert.deepEqual(shown, ['0', '10', '11']);
    assert.ok(text.join(' ').includes('3 of 12 plots have a page here'));
  });

  it('names the years of the period that no dataset of losses covers', async () => {
    const pageFor = async (start: string, end: string) => {
      const records = [plotRecord(0, square(0), {}, { statistics: STATISTICS })];
      const files = await exportFiles(records, COLLECTION, { period: { start, end } });
      const { text } = await extractText(await getDocumentProxy(new Uint8Array(files['audit.pdf']!)));
      return text.find((one) => /Location 0 ·/.test(one))!.replaceAll(/\s+/g, ' ');
    };
    const late = await pageFor('2020-12-31', '2026-06-30');
    assert.match(late, /2022: 2(\.0+)? ha \(known from 2001 to 2024; no data for 2025 to 2026\)/);
    assert.match(await pageFor('1999-12-31', '2025-06-30'), /known from 2001 to 2024; no data for 2000 and 2025\)/);
    assert.match(await pageFor('2020-12-31', '2024-12-31'), /\(known from 2001 to 2024\)/);
  });

  it('says what became of the checks of a plot', async () => {
    const plot_checks = [
      { check: 'country', status: 'pass', detail: 'The plot lies in GH.' },
      { check: 'precision', status: 'warn', detail: 'Decimals of the coordinates: 2; the regulation requires 6.' },
      { check: 'deforestation', status: 'fail', detail: 'Forest was lost.' },
    ];
    const files = await exportFiles([plotRecord(0, square(0), { plot_checks })]);
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(files['audit.pdf']!)));
    const page = text.find((one) => /Location 0 ·/.test(one))!.replaceAll(/\s+/g, ' ');
    assert.match(page, /Checks failed: deforestation; in doubt: precision; passed: country/);
  });

  it('draws whatever came as geometry', async () => {
    const odd: unknown[] = [
      null,
      7,
      'x',
      [],
      {},
      { type: 'Polygon' },
      {
        type: 'Polygon',
        coordinates: [
          [
            [1, 1],
            [2, 2],
          ],
        ],
      },
      { type: 'Point', coordinates: [179.9999, 89.9999] },
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [1, 200],
        ],
      },
      { type: 'Point', coordinates: [-180, -90] },
      {
        type: 'Polygon',
        coordinates: [
          [
            [-180, -90],
            [180, -90],
            [180, 90],
            [-180, 90],
            [-180, -90],
          ],
        ],
      },
      { type: 'GeometryCollection', geometries: [LINE, null, { type: 'Point', coordinates: [[3, 4]] }] },
    ];
    const files = await exportFiles(odd.map((geometry, i) => plotRecord(i, geometry)));
    const { totalPages } = await extractText(await getDocumentProxy(new Uint8Array(files['audit.pdf']!)));
    assert.ok(totalPages > odd.length);
  });
});
