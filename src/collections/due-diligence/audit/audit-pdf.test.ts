import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { extractText, getDocumentProxy } from 'unpdf';
import { GROUP_WORDS, PLOT_GROUPS } from '../../plot-group.ts';
import type { ExportOptions } from '../export-types.ts';
import type { MapPixelReader, PictureFrame } from './map-pixels.ts';
import { GROUP_LOOKS } from './list-row.ts';
import { ringsInWords } from './plot-page.ts';
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

const WITH_POPPLER =
  spawnSync('pdftotext', ['-v']).error === undefined
    ? {}
    : { skip: 'needs pdftotext of poppler-utils, which is not installed' };

/** What poppler reads in the audit trail of plots: the text without marks of direction, and the list of fonts. */
async function popplerText(records: Parameters<typeof exportFiles>[0]): Promise<{ text: string; fonts: string }> {
  const files = await exportFiles(records);
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-audit-'));
  try {
    const file = join(folder, 'audit.pdf');
    await writeFile(file, files['audit.pdf']!);
    const read = (tool: string, ...more: string[]): string => {
      const { status, stdout, stderr } = spawnSync(tool, [file, ...more], { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      return stdout;
    };
    const text = read('pdftotext', '-').normalize('NFC');
    return { text: text.replaceAll(/[\u200e\u200f\u202a-\u202e]/g, ''), fonts: read('pdffonts') };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Nothing was lost. */
const CLEAR = {
  ...STATISTICS,
  losses: [measured({ lossHa: {}, inBaselineHa: {}, years: [2001, 2024] as const })],
};

/** An audit trail as pdf.js reads it. */
async function openAudit(files: Readonly<Record<string, Buffer>>) {
  const pdf = await getDocumentProxy(new Uint8Array(files['audit.pdf']!));
  const { text } = await extractText(pdf);
  const list = text.filter((page) => page.includes('List of plots')).slice(1);
  return {
    pdf,
    text,
    /** The page that the list names for a plot, by its number from 0. */
    pageOf(number: number): number {
      const lines = list.flatMap((page) => page.split('\n'));
      return Number(/\d+$/.exec(lines.find((line) => line.startsWith(`Row ${number + 1} `)) ?? '')?.[0]);
    },
  };
}

describe('the audit trail', () => {
  it('counts no plots with signs of deforestation where nobody looked, and none where none has any', async () => {
    const cover = async (statistics: typeof STATISTICS | null) =>
      (await openAudit(await exportFiles([plotRecord(0, square(0), {}, { statistics })]))).text[0]!;
    assert.match(await cover(null), /\?\s+of them with signs of\s+deforestation: not known/);
    assert.match(await cover(CLEAR), /\b0\s+of them with signs of\s+deforestation(?!: not known)/);
  });

  /** Names by the country of their plot. */
  const NAMES: readonly (readonly [country: string, name: string])[] = [
    ['VN', 'Nguyễn Văn Ễ'],
    ['ST', 'Café Ærø'],
    ['RS', 'Јован Љубић'],
    ['GR', 'Ελαιώνας'],
    ['TH', 'สวนยางพารา'],
    ['LA', 'ສວນກາເຟ'],
    ['BD', 'রাবার'],
    ['ET', 'ቡና እርሻ'],
    ['YE', 'مزرعة البن'],
    ['IN', 'कॉफ़ी क्षेत्र'],
    ['IN', 'ಕೃಷ್ಣಮೂರ್ತಿ'],
    ['IN', 'റബ്ബർ തോട്ടം'],
    ['LK', 'தோட்டம்'],
    ['LK', 'රබර් වත්ත'],
    ['IN', 'అరకు'],
    ['CN', '海南橡胶种植园'],
    ['JP', '静岡ゴム農園'],
    ['TW', '臺東咖啡園'],
    ['KR', '제주 농장'],
    ['KH', 'ចំការកៅស៊ូ ព្រះសីហនុ'],
    ['MM', 'ရာဘာခြံ ကြီးမြတ်'],
    ['IL', 'מטע (צפון)'],
  ];

  it('sets names in their own letters, and leads to every plot from contents, list and bookmarks', async () => {
    const records = NAMES.map(([country, name], i) => {
      const eudr = { ProducerName: name, ProducerCountry: country, ProductionPlace: null, Area: null };
      return plotRecord(i, square(i), { name, country, eudr }, { statistics: STATISTICS, problem: null });
    });
    const { pdf, text, pageOf } = await openAudit(await exportFiles(records));
    assert.match(text[0]!, /EUDR due diligence[^]*Nothing was submitted to any authority/);
    assert.match(text[1]!, /Contents[^]*Summary[^]*List of plots[^]*Plots[^]*Method/);
    for (const [i, [, name]] of NAMES.entries()) {
      // This reader gives letters in the order of the page, where some vowels stand before the consonant they follow.
      const letters = (some: string): string => [...some.normalize('NFC').replaceAll(/\s/g, '')].toSorted().join('');
      const page = text[pageOf(i) - 1]!;
      const all = letters(page);
      for (const letter of letters(name)) assert.ok(all.includes(letter), `${name}: ${letter}`);
      assert.match(page, /made-up 1/);
      assert.doesNotMatch(page, /\[U\+/);
    }
    const bookmarks = (await pdf.getOutline()) as { title: string; items: { title: string }[] }[];
    assert.deepEqual(
      bookmarks.map(({ title }) => title),
      ['Contents and summary', 'List of plots', 'Plots', 'Method, rules, countries, datasets and files'],
    );
    assert.deepEqual(
      bookmarks[2]!.items.map(({ title }) => title),
      NAMES.map(([, name], i) => `Row ${i + 1} · ${name}`),
    );
    const { info } = (await pdf.getMetadata()) as unknown as { info: Record<string, unknown> };
    assert.equal(info['Title'], 'EUDR audit trail: Café São João');
    assert.equal(info['Language'], 'en');
  });

  it('names the page of every plot and section as it is, whatever room plots need', async () => {
    const records = Array.from({ length: 130 }, (_, i) => {
      const statistics = i % 5 === 1 ? null : i % 3 === 0 ? STATISTICS : CLEAR;
      return plotRecord(i, i % 7 === 3 ? LINE : square(i), {}, { statistics, problem: statistics && null });
    });
    const { text, pageOf } = await openAudit(await exportFiles(records));
    const perPage = text.map((page) => [...page.matchAll(/Row \d+ +·/g)].length).filter((count) => count > 0);
    assert.equal(
      perPage.reduce((sum, count) => sum + count, 0),
      130,
    );
    assert.ok(perPage.every((count) => count <= 4) && new Set(perPage).size > 1, String(perPage));
    for (let i = 0; i < 130; i++) assert.match(text[pageOf(i) - 1]!, new RegExp(`Row ${i + 1} +·`));
    for (const [, title, page] of text[1]!.matchAll(/(List of plots|Method)[^\d]*?(\d+)/g))
      assert.ok(text[Number(page) - 1]!.includes(title === 'Method' ? 'How it was made' : title!), title);
  });

  it('puts every row in exactly one group, and the groups add up', async () => {
    const records = [
      plotRecord(0, square(0), {}, { statistics: STATISTICS, problem: null }),
      plotRecord(1, square(1), {}, { statistics: CLEAR, problem: null }),
      plotRecord(2, square(2)),
      plotRecord(3, LINE),
      plotRecord(4, null),
      plotRecord(5, square(5), {}, { locationType: 'facility' }),
    ];
    const summaryOf = async (exclude?: ExportOptions['period']['exclude']) => {
      const period = { ...PERIOD, ...(exclude === undefined ? {} : { exclude }) };
      const { text } = await openAudit(await exportFiles(records, COLLECTION, { period }));
      const words = text[1]!.replaceAll(/\s+/g, ' ');
      const count = (title: string): number =>
        Number(words.slice(words.indexOf(title) + title.length).match(/^ (\d+)/)?.[1]);
      return [...PLOT_GROUPS.map((group) => `${GROUP_WORDS[group]} ${GROUP_LOOKS[group].note}`), 'All rows'].map(count);
    };
    assert.deepEqual(await summaryOf(), [1, 1, 1, 2, 0, 1, 6]);
    assert.deepEqual(await summaryOf(['deforestation_found']), [0, 1, 1, 2, 1, 1, 6]);
  });

  it('writes no number with more decimals than it knows', async () => {
    const noisy = 12.345678901234567;
    const statistics = {
      ...STATISTICS,
      areaHa: noisy,
      baseline: measured({ forestHa: noisy }),
      losses: [measured({ lossHa: { 2022: 1 / 3 }, inBaselineHa: { 2022: 1 / 3 }, years: [2001, 2024] as const })],
      biomass: measured({ tonnes: { 2020: 900 / 7 } }),
    };
    const point = { type: 'Point', coordinates: [-1.5, 6.2] };
    const eudr = { ProducerName: 'Ama', ProducerCountry: 'GH', ProductionPlace: null, Area: noisy };
    const { text } = await openAudit(
      await exportFiles([
        plotRecord(0, square(0.123456789), {}, { statistics, problem: null }),
        plotRecord(1, point, { eudr }),
        plotRecord(2, square(1), { name: null }, { statistics: null }),
      ]),
    );
    const all = text.slice(2).join(' ');
    assert.match(all, /12\.35 ha/);
    assert.match(all, /Forest 2020 12\.35 ha/);
    assert.doesNotMatch(all, /\d\.\d{7}/);
    assert.doesNotMatch(all, /Location \d|Plot plot/);
  });

  it('lets names be searched and copied in the order they are written, by poppler', WITH_POPPLER, async () => {
    const records = NAMES.map(([country, name], i) => plotRecord(i, square(i), { name, country }));
    const { text } = await popplerText(records);
    for (const [, name] of NAMES)
      for (const word of name.split(/[\s()]+/).filter((one) => one !== ''))
        assert.ok(text.includes(word.normalize('NFC')), word);
  });

  it(
    'draws Chinese characters as the country of the plot does, and shows what no font has by its code points',
    WITH_POPPLER,
    async () => {
      const fontsOf = async (country: string, name: string) => {
        const eudr = { ProducerName: null, ProducerCountry: country, ProductionPlace: null, Area: null };
        const { fonts, text } = await popplerText([plotRecord(0, square(0), { name, country, eudr })]);
        return { han: new Set(fonts.match(/NotoSans(JP|SC|TC|KR|HK)/g)), text };
      };
      for (const [country, font] of [
        ['JP', 'JP'],
        ['CN', 'SC'],
        ['TW', 'TC'],
        ['KR', 'KR'],
        ['GH', 'SC'],
      ] as const)
        assert.deepEqual((await fontsOf(country, '直骨')).han, new Set([`NotoSans${font}`]), country);
      assert.deepEqual(
        (await fontsOf('GH', '直さくら')).han,
        new Set(['NotoSansJP']),
        'kana are Japanese wherever they are from',
      );
      const { text } = await fontsOf('GH', 'a🌳b\u{13000}');
      assert.match(text, /a\[U\+1F333\]b\[U\+13000\]|a🌳b\u{13000}/u);
      const files = await exportFiles([plotRecord(0, square(0), { name: 'a🌳b\u{13000}' })]);
      const { text: drawn } = await extractText(await getDocumentProxy(new Uint8Array(files['audit.pdf']!)));
      assert.match(drawn.join(' '), /a\s?\[U\+1F333\]\s?b\s?\[U\+13000\]/);
    },
  );

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
    const shown = text.flatMap((page) => [...page.matchAll(/Row (\d+) +·/g)].map(([, row]) => row));
    assert.deepEqual(shown, ['1', '11', '12']);
    assert.ok(text.join(' ').includes('3 of 12 plots are drawn here'));
  });

  it('names the years of the period that no dataset of losses covers', async () => {
    const pageFor = async (start: string, end: string) => {
      const records = [plotRecord(0, square(0), {}, { statistics: STATISTICS })];
      const files = await exportFiles(records, COLLECTION, { period: { start, end } });
      const { text } = await extractText(await getDocumentProxy(new Uint8Array(files['audit.pdf']!)));
      return text.find((one) => /Row 1 +·/.test(one))!.replaceAll(/\s+/g, ' ');
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
    const page = text.find((one) => /Row 1 +·/.test(one))!.replaceAll(/\s+/g, ' ');
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
    assert.ok(totalPages > odd.length / 4);
  });

  it('draws forest and loss of the maps under a plot, and says where they could not be', WITH_POPPLER, async () => {
    const records = [0, 1].map((i) => plotRecord(i, square(i), {}, { statistics: CLEAR, problem: null }));
    const read: PictureFrame[] = [];
    const openMapPixels = (): MapPixelReader => ({
      read: (_, frame) => {
        read.push(frame);
        if (read.length > 1) return Promise.resolve(null);
        const cells = frame.columns * frame.rows;
        // Forest on the left half, a quarter of which is lost; the lower right is not known.
        const baseline = Uint8Array.from({ length: cells }, (_, cell) =>
          cell % frame.columns < frame.columns / 2 ? 1 : cell > cells / 2 ? 255 : 0,
        );
        const lossYears = Uint16Array.from({ length: cells }, (_, cell) =>
          cell % frame.columns < frame.columns / 8 ? 2022 : 0,
        );
        const { columns, rows } = frame;
        return Promise.resolve({ columns, rows, baseline, lossYears, baselineDataset: 'a 1', lossDataset: 'b 1' });
      },
      [Symbol.asyncDispose]: async () => {},
    });
    const files = await exportFiles(records, COLLECTION, { period: PERIOD }, { openMapPixels });
    assert.equal(read.length, 2);
    const [west, south, east, north] = read[0]!.bbox;
    assert.ok(west < 0 && south < 6 && east > 0.01 && north > 6.01);
    const { text, pageOf } = await openAudit(files);
    assert.match(text.join(' '), /Green, forest 2020;\s+red, lost since; grey, no data\./);
    assert.match(text.join(' '), /Its maps could not be\s+drawn\./);
    const page = pageOf(0);
    const { status, stdout } = spawnSync('pdftoppm', ['-r', '72', '-f', `${page}`, '-l', `${page}`, '-'], {
      input: files['audit.pdf']!,
      maxBuffer: 1e8,
    });
    assert.equal(status, 0);
    const count = (r: number, g: number, b: number): number => {
      let found = 0;
      for (let at = stdout.length % 3; at < stdout.length; at += 3)
        if (Math.abs(stdout[at]! - r) + Math.abs(stdout[at + 1]! - g) + Math.abs(stdout[at + 2]! - b) < 12) found++;
      return found;
    };
    const [forest, lost, unknown] = [count(0xc5, 0xdf, 0xbd), count(0xcf, 0x4a, 0x3c), count(0xd8, 0xda, 0xdd)];
    assert.ok(forest > 2 * lost && lost > 300 && unknown > 2_000, `${forest} ${lost} ${unknown}`);
  });
});

it('says on paper in words which ring a remark is about', () => {
  const said = [
    ['The ring coordinates[0] crosses itself.', 'The outer ring crosses itself.'],
    ['The ring coordinates[2][0] touches itself.', 'The outer ring of part 3 touches itself.'],
    ['The ring coordinates[0][1] is a hole outside.', 'The ring of hole 1 of part 1 is a hole outside.'],
    ['The position coordinates[0][3] is null.', 'The position coordinates[0][3] is null.'],
  ] as const;
  for (const [given, wanted] of said) assert.equal(ringsInWords(given), wanted);
});
