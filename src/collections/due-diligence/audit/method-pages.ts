import { counted } from '../../../counted.ts';
import type { ExportParts, ExportSummary } from '../export-types.ts';
import { lawOfPlots } from '../law-of-export.ts';
import { beginPage, heading, label, type Sheet } from './page-frame.ts';
import { CONTENT_WIDTH, FAINT, HAIRLINE, INK, PAGE, SOFT } from './palette.ts';
import type { Typesetter } from './typesetter.ts';
import { CUT_OFF } from '../../../monitoring-days.ts';

/** A block of the front matter: how high it is, and how it is drawn from a top edge. */
interface Block {
  readonly height: number;
  draw(sheet: Sheet, y: number): void;
}

const SIZE = 8.6;
const LINE = SIZE * 1.42;

/** The pages between cover and plots, laid out before anything is drawn, so that their number is known. */
export function layOutMethod(
  type: Typesetter,
  summary: ExportSummary,
  parts: ExportParts,
): readonly (readonly Block[])[] {
  const blocks: Block[] = [
    titled('How it was made'),
    ...methodTexts(summary).map((text) => prose(type, text)),
    titled('Rules of the EU information system'),
    prose(
      type,
      'Plots that met an error of the official list, once a plot: put right in the export, or open. Open errors keep a plot out of the GeoJSON, but for parts of it and remarks that findings.csv names.',
    ),
    ...errorRows(summary),
    titled('Countries'),
    ...countryTexts(summary).map((text) => prose(type, text)),
    titled('Datasets'),
    ...datasetRows(type, summary, parts),
    titled('Files'),
    ...fileRows(type, summary),
  ];
  const pages: Block[][] = [[]];
  let y: number = PAGE.top - 12;
  for (const [i, block] of blocks.entries()) {
    // A heading stays with what follows it.
    const needed = block.height + (block.height === HEADING ? (blocks[i + 1]?.height ?? 0) : 0);
    if (y + needed > PAGE.bottom && pages.at(-1)!.length > 0) {
      pages.push([]);
      y = PAGE.top - 12;
    }
    pages.at(-1)!.push(block);
    y += block.height;
  }
  return pages;
}

/** Draws a page of the front matter. */
export function drawMethodPage(sheet: Sheet, blocks: readonly Block[], number: number): void {
  beginPage(sheet, number);
  let y: number = PAGE.top - 12;
  for (const block of blocks) {
    block.draw(sheet, y);
    y += block.height;
  }
}

const HEADING = 46;

function titled(text: string): Block {
  return { height: HEADING, draw: (sheet, y) => void heading(sheet, text, y + 26) };
}

function prose(type: Typesetter, text: string): Block {
  const lines = type.wrap(text, CONTENT_WIDTH, { size: SIZE });
  return {
    height: lines.length * LINE + 6,
    draw: (sheet, y) => void sheet.type.paragraph(text, PAGE.left, y + SIZE, CONTENT_WIDTH, { size: SIZE, color: INK }),
  };
}

function methodTexts({ period, counts, pages }: ExportSummary): string[] {
  const drawn = [...pages.values()].reduce((sum, numbers) => sum + numbers.size, 0);
  const plots = counts.locations - counts.facilities;
  return [
    `Every location of the uploaded file is accounted for. Locations: ${counts.locations}; plots in the GeoJSON: ${counts.exported - counts.withoutGeometry}; ${counts.withoutGeometry === 0 ? '' : `plots declared without it: ${counts.withoutGeometry}; `}plots left out: ${counts.leftOut}; facilities: ${counts.facilities}.`,
    `Coordinates were brought to 6 decimals and vertices that then repeat were left out. Each polygon was tested again with decimals rounded and with decimals cut off. Holes, which the information system does not read, were cut open along lines between existing vertices, so that the parts cover exactly the same ground. Lines that cross were cut apart only where this changes the area by less than 1 %.`,
    `Areas are geodesic, on WGS84. Loss is what a dataset reports for years after ${CUT_OFF} within the monitoring period (after ${period.start}, up to ${period.end}), inside what another dataset maps as forest on ${CUT_OFF}; pixels count by the share of them inside the plot. Where no dataset covers a plot the answer is unknown, never zero. A map of forest is a sign, not a proof: look at a plot with loss before it is submitted, and at one without where you know better.`,
    `The maps of plots show the pixels of the datasets that the plot was measured on, in the same versions: forest on ${CUT_OFF} light green, loss after it red inside that forest and orange elsewhere, and grey where the map has no data. They are read when this document is made; a map whose pixels are not at hand says so. Loss outside the monitoring period is drawn too.`,
    'Names are set in their own letters. Chinese characters are drawn as the country of the plot draws them. A letter that no font of this document has stands as its code point in brackets, [U+1F333]; nothing is transliterated.',
    drawn < plots
      ? `${drawn} of ${counted(plots, 'plot')} are drawn here, first those that are left out, then those with loss, then those with warnings; all of them are in plots.csv and findings.csv.`
      : 'Every plot is drawn here.',
  ];
}

/** Countries that are named one by one; more are counted. */
const COUNTRIES_NAMED = 40;

/** The tiers of the countries, which say what due diligence is owed and nothing of a plot. */
function countryTexts({ period, plotsByCountry, commodities }: ExportSummary): string[] {
  const law = lawOfPlots(period.filing, plotsByCountry, commodities);
  const named = law.countries
    .slice(0, COUNTRIES_NAMED)
    .map(
      ({ country, tier, plots }) =>
        `${country ?? 'not known'}: ${tier.replaceAll('_', ' ')} (${plots} ${plots === 1 ? 'plot' : 'plots'})`,
    );
  const more = law.countries.length - named.length;
  return [
    `Tiers of ${law.country_list}, next to what was measured and no part of it: a low tier proves nothing of a plot.`,
    named.length === 0 ? 'No plot is exported.' : `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
    `${law.due_diligence_reason}${law.conditions.length === 0 ? '' : ` Conditions: ${law.conditions.join('; ')}.`}`,
  ];
}

function errorRows({ errors }: ExportSummary): Block[] {
  const columns = { number: PAGE.left, title: PAGE.left + 28, fixed: PAGE.left + 340, open: PAGE.left + 420 };
  const head: Block = {
    height: 16,
    draw(sheet, y) {
      label(sheet, 'No.', columns.number, y + 8);
      label(sheet, 'Error', columns.title, y + 8);
      label(sheet, 'Put right', columns.fixed, y + 8);
      label(sheet, 'Open', columns.open, y + 8);
    },
  };
  const rows = errors.map(({ number, title, fixed, open }): Block => ({
    height: 13.5,
    draw({ doc, type }, y) {
      const style = { size: SIZE, color: fixed + open === 0 ? FAINT : INK };
      type.line(String(number), columns.number, y + 8, style);
      type.line(title, columns.title, y + 8, style);
      type.line(String(fixed), columns.fixed, y + 8, style);
      type.line(String(open), columns.open, y + 8, style);
      doc
        .moveTo(PAGE.left, y + 12)
        .lineTo(PAGE.right, y + 12)
        .lineWidth(0.3)
        .stroke(HAIRLINE);
    },
  }));
  return [head, ...rows, { height: 10, draw: () => {} }];
}

function datasetRows(type: Typesetter, { datasets }: ExportSummary, { cite }: ExportParts): Block[] {
  if (datasets.length === 0) return [prose(type, 'No dataset measured a plot of this export.')];
  return datasets.map(({ dataset, version, synthetic }) => {
    const cited = cite(dataset, version);
    const text = [
      cited?.licence ?? 'licence not in the catalogue',
      cited?.attribution ?? '',
      synthetic ? 'Made up for trying out: it says nothing about the real world' : '',
    ]
      .filter((part) => part !== '')
      .map((part) => part.replace(/\.?$/, '.'))
      .join(' ');
    const lines = type.wrap(text, CONTENT_WIDTH, { size: 7.8 });
    return {
      height: 14 + lines.length * 7.8 * 1.42 + 6,
      draw(sheet: Sheet, y: number) {
        sheet.type.line(`${dataset}  ·  version ${version}`, PAGE.left, y + 9, {
          size: SIZE,
          weight: 600,
          width: CONTENT_WIDTH,
        });
        sheet.type.paragraph(text, PAGE.left, y + 20, CONTENT_WIDTH, { size: 7.8, color: SOFT });
      },
    };
  });
}

function fileRows(type: Typesetter, { files }: ExportSummary): Block[] {
  const rows = files.map(({ name, bytes, sha256 }): Block => ({
    height: 26,
    draw(sheet, y) {
      sheet.type.line(name, PAGE.left, y + 9, { size: SIZE, weight: 600, width: CONTENT_WIDTH - 110 });
      sheet.type.line(`${bytes.toLocaleString('en')} bytes`, PAGE.right, y + 9, {
        size: SIZE,
        color: SOFT,
        align: 'right',
      });
      sheet.type.line(`SHA-256  ${sha256}`, PAGE.left, y + 20, { size: 7.2, color: SOFT, width: CONTENT_WIDTH });
    },
  }));
  return [...rows, prose(type, 'The other files and their checksums are listed in SHA256SUMS.')];
}
