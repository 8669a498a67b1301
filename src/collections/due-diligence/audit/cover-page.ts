import { counted } from '../../../counted.ts';
import type { ExportParts, ExportSummary } from '../export-types.ts';
import { lawOfPlots } from '../law-of-export.ts';
import { NOT_SUBMITTED } from '../statement-text.ts';
import { factRows, label, type Sheet } from './page-frame.ts';
import { AMBER, CONTENT_WIDTH, GREEN, HAIRLINE, INK, PAGE, PAPER, RED, SOFT } from './palette.ts';

const SYNTHETIC =
  'Synthetic data: at least one dataset of this export is made up for trying out the service. What it measured says nothing about the real world.';

/** Collections that the cover names; the others are counted. */
const NAMED = 4;

/** The first page: what was looked at, over which period, and what came of it in numbers. */
export function drawCover(sheet: Sheet, summary: ExportSummary, parts: ExportParts): void {
  const { sources, counts, groups, period, datasets } = summary;
  const { doc, type } = sheet;
  const isDeclaration = period.filing.kind === 'simplified_declaration';
  doc.rect(0, 0, PAGE.width, 6).fill(GREEN);
  type.line('Firstmile', PAGE.left, 62, { size: 10, weight: 600, color: GREEN });
  type.line('EUDR due diligence', PAGE.left, 128, { size: 28, weight: 600, color: INK });
  type.line('Audit trail of plots', PAGE.left, 154, { size: 15, color: SOFT });
  const title = sources.length === 1 ? sources[0]!.collection.name : `${sources.length} collections`;
  let y = type.paragraph(title, PAGE.left, 200, CONTENT_WIDTH, { size: 17, weight: 600, maxLines: 2 }) + 2;
  const description = sources.length === 1 ? sources[0]!.collection.description.replaceAll(/\s+/g, ' ') : '';
  if (description !== '')
    y = type.paragraph(description, PAGE.left, y, CONTENT_WIDTH, { size: 9.5, color: SOFT, maxLines: 3 });
  y = drawNumbers(sheet, y + 12, [
    [String(counts.exported), `plots fit for a ${isDeclaration ? 'declaration' : 'statement'}`, GREEN],
    [counts.areaHa.toLocaleString('en', { maximumFractionDigits: 1 }), 'hectares of them', INK],
    // Of what nobody looked at no number is known, which is not none.
    groups.deforested + groups.cleared === 0 && groups.open > 0 && counts.lossKnown === 0
      ? ['?', 'of them with signs of deforestation: not known', INK]
      : [String(groups.deforested), 'of them with signs of deforestation', groups.deforested === 0 ? INK : AMBER],
    [String(groups.left_out), 'plots not fit to submit', groups.left_out === 0 ? INK : RED],
  ]);
  y = drawNotice(sheet, y + 20, NOT_SUBMITTED, AMBER);
  if (datasets.some(({ synthetic }) => synthetic)) y = drawNotice(sheet, y + 8, SYNTHETIC, RED);
  y = label(sheet, 'This export', PAGE.left, y + 28);
  y = factRows(sheet, factsOf(summary, parts), {
    x: PAGE.left,
    y: y + 2,
    width: CONTENT_WIDTH,
    names: 110,
    size: 9,
  });
  for (const { collection } of sources.slice(0, NAMED)) {
    y = label(sheet, 'Collection', PAGE.left, y + 14);
    const confidence = collection.locationsConfidence ?? 'not validated';
    y = factRows(
      sheet,
      [
        ['Name', collection.name],
        ['Identifier', collection.id],
        ['File', `${collection.file.name}, ${collection.file.size.toLocaleString('en')} bytes`],
        ['SHA-256 of the file', collection.file.sha256],
        ['Confidence', confidence],
      ],
      { x: PAGE.left, y: y + 2, width: CONTENT_WIDTH, names: 110, size: 9, maxLines: 2 },
    );
  }
  if (sources.length > NAMED)
    type.line(`and ${sources.length - NAMED} more: see plots.csv`, PAGE.left, y + 12, { size: 9, color: SOFT });
}

/** What the export is, by name. */
function factsOf(
  { counts, groups, period, plotsByCountry, commodities }: ExportSummary,
  { at, version }: ExportParts,
): readonly (readonly [name: string, value: string])[] {
  const isDeclaration = period.filing.kind === 'simplified_declaration';
  const law = lawOfPlots(period.filing, plotsByCountry, commodities);
  return [
    ['Monitoring period', `after ${period.start}, up to ${period.end}`],
    ['Draft', isDeclaration ? 'Simplified declaration (Art 4a)' : 'Due diligence statement'],
    [
      'Law',
      law.annex === null
        ? 'Annex I was not in force'
        : `Annex I of ${law.annex.act}, from ${law.annex.from}${law.annex.to === null ? '' : ` to ${law.annex.to}`}${law.day === null ? '' : `, on ${law.day}`}`,
    ],
    ...(isDeclaration
      ? []
      : [['Due diligence', law.due_diligence === 'unknown' ? 'treat as full' : law.due_diligence] as const]),
    ['Made at', at.toISOString()],
    ['Made by', `Firstmile ${version}`],
    [
      'Locations',
      `${counts.locations} (facilities among them, which are not part of a statement: ${counts.facilities})`,
    ],
    ['Changed to fit', `${counted(counts.changed, 'plot')}; each change is next to its plot and in findings.csv`],
    ...(counts.excluded === 0
      ? []
      : [
          [
            'Left out on request',
            `${counted(counts.excluded, 'plot')} by their verdict (${period.exclude?.join(', ')}); see left-out.csv`,
          ] as const,
        ]),
    ...(counts.overlapHa === 0
      ? []
      : [
          [
            'Overlapping plots',
            `${counts.overlapHa.toLocaleString('en', { maximumFractionDigits: 4 })} ha lie in more than one plot and are counted once`,
          ] as const,
        ]),
    ...(counts.overlapsReason === null
      ? []
      : [['Overlaps not known', `Ground may be counted twice. ${counts.overlapsReason}`] as const]),
    ['Not settled', `${counted(groups.open, 'plot')}: unknown, or more information is needed`],
  ];
}

function drawNumbers(
  { doc, type }: Sheet,
  top: number,
  numbers: readonly (readonly [value: string, name: string, color: string])[],
): number {
  const gap = 10;
  const width = (CONTENT_WIDTH - gap * (numbers.length - 1)) / numbers.length;
  for (const [i, [value, name, color]] of numbers.entries()) {
    const x = PAGE.left + i * (width + gap);
    doc.roundedRect(x, top, width, 66, 4).fill(PAPER);
    type.line(value, x + 10, top + 32, { size: 20, weight: 600, color, width: width - 20 });
    type.paragraph(name, x + 10, top + 47, width - 18, { size: 7.8, color: SOFT, maxLines: 2 });
  }
  return top + 66;
}

function drawNotice({ doc, type }: Sheet, top: number, text: string, color: string): number {
  const style = { size: 9, color: INK };
  const lines = type.wrap(text, CONTENT_WIDTH - 28, style);
  const height = 16 + lines.length * 12.8;
  doc.roundedRect(PAGE.left, top, CONTENT_WIDTH, height, 4).lineWidth(0.8).stroke(HAIRLINE);
  doc.rect(PAGE.left, top, 3, height).fill(color);
  type.paragraph(text, PAGE.left + 14, top + 17, CONTENT_WIDTH - 28, style);
  return top + height;
}
