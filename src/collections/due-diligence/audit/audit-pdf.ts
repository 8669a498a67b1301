import { setImmediate as breath } from 'node:timers/promises';
import Pdf from 'pdfkit';
import type { ExportParts, ExportSummary } from '../export-types.ts';
import { createPlacing, type Place, type Room } from '../page-choice.ts';
import type { PlotStatistics } from '../../plot-record.ts';
import type { Spool } from '../spool.ts';
import { drawContents, type Section } from './contents-page.ts';
import { drawCover } from './cover-page.ts';
import { createDocument, type PdfDocument } from './document.ts';
import { nameOf, rowText, type ListRow } from './list-row.ts';
import { drawMethodPage, layOutMethod } from './method-pages.ts';
import type { NeighbourIndex } from './neighbours.ts';
import { beginPage, type Sheet } from './page-frame.ts';
import { anchorOf, drawListPage, listPageCount, ROWS_A_PAGE, type PlacedRow } from './plot-list.ts';
import { pictureFrame } from './plot-map.ts';
import { drawPlot, mapFrame } from './plot-page.ts';
import { createTypesetter } from './typesetter.ts';

/** Cover and contents. */
const FRONT_PAGES = 2;

/**
 * The audit trail as the bytes of a PDF, page after page: cover, contents and summary, list of plots, plots, method. The plots
 * are read again from their sources and only the chosen ones are drawn, so that memory holds one page; where each plot stands
 * is known beforehand.
 */
export async function* auditPdf(
  summary: ExportSummary,
  neighbours: NeighbourIndex,
  rows: Spool,
  parts: ExportParts,
): AsyncGenerator<Uint8Array, void, void> {
  const title = `EUDR audit trail: ${summary.sources
    .map(({ collection }) => collection.name)
    .join(', ')
    .slice(0, 200)}`;
  const doc = openDocument(title, parts);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  doc.file.on('error', failed.reject);
  const type = createTypesetter(doc);
  const plots = [...summary.pages.values()].reduce((sum, rooms) => sum + rooms.size, 0);
  // Texts are measured before the first page, which pdfkit takes the font of a page for.
  doc.addPage();
  const method = layOutMethod(type, summary, parts);
  const first = FRONT_PAGES + listPageCount(plots) + 1;
  const plotPages = plotPageCount(summary);
  const sheet: Sheet = {
    doc,
    type,
    foot: `${title}  ·  made ${parts.at.toISOString().slice(0, 10)}  ·  not submitted to any authority`,
    pages: first - 1 + plotPages + method.length,
  };
  drawCover(sheet, summary, parts);
  const sections: readonly Section[] = [
    { title: 'Summary', anchor: 'summary', page: 2 },
    ...(plots === 0
      ? []
      : [
          { title: 'List of plots', anchor: 'list', page: 3 },
          { title: 'Plots', anchor: 'plots', page: first },
        ]),
    { title: 'Method, rules, countries, datasets and files', anchor: 'method', page: first + plotPages },
  ];
  drawContents(sheet, sections, summary, 2);
  doc.outline.addItem('Contents and summary');
  yield* written(doc);
  yield* drawList(sheet, summary, rows, first);
  yield* drawPlots(sheet, summary, neighbours, first, parts);
  for (const [i, blocks] of method.entries()) {
    drawMethodPage(sheet, blocks, first + plotPages + i);
    if (i === 0) begin(doc, 'Method, rules, countries, datasets and files', 'method');
  }
  doc.end();
  for await (const chunk of doc.file) yield chunk as Uint8Array;
}

function openDocument(title: string, { at, version }: ExportParts): PdfDocument {
  const file = new Pdf({
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    pdfVersion: '1.7',
    lang: 'en',
    displayTitle: true,
    font: '',
    info: {
      Title: title,
      Subject: 'Draft; not submitted to any authority',
      Creator: `Firstmile ${version}`,
      Producer: 'pdfkit',
      CreationDate: at,
      ModDate: at,
    },
  });
  return createDocument(file);
}

/** A bookmark and the place that the contents lead to, at the top of the page. */
function begin(doc: PdfDocument, title: string, anchor: string): PDFKit.PDFOutline {
  doc.addDestination(anchor, 0);
  return doc.outline.addItem(title, { expanded: false });
}

function plotPageCount({ pages }: ExportSummary): number {
  const placing = createPlacing();
  for (const rooms of pages.values()) for (const room of rooms.values()) placing.next(room);
  return placing.pages();
}

/** The list, of the lines that were written when the plots were read first. `first` is the page of the first plot. */
async function* drawList(
  sheet: Sheet,
  { pages }: ExportSummary,
  rows: Spool,
  first: number,
): AsyncGenerator<Uint8Array, void> {
  const placing = createPlacing();
  let waiting: PlacedRow[] = [];
  let drawn = 0;
  const draw = (): void => {
    drawListPage(sheet, waiting, drawn === 0, FRONT_PAGES + 1 + drawn);
    if (drawn === 0) begin(sheet.doc, 'List of plots', 'list');
    waiting = [];
    drawn++;
  };
  for await (const row of linesOf(rows)) {
    const room = pages.get(row.collection)?.get(row.number);
    if (room === undefined) continue;
    waiting.push({ ...row, page: first + placing.next(room).page });
    if (waiting.length < ROWS_A_PAGE) continue;
    draw();
    yield* written(sheet.doc);
    await breath();
  }
  if (waiting.length > 0) draw();
}

async function* linesOf(rows: Spool): AsyncGenerator<ListRow, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of rows.read()) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as ListRow;
  }
}

async function* drawPlots(
  sheet: Sheet,
  { sources, pages, fit, period }: ExportSummary,
  neighbours: NeighbourIndex,
  first: number,
  { signal, openMapPixels }: ExportParts,
): AsyncGenerator<Uint8Array, void> {
  const { doc, type } = sheet;
  await using maps = openMapPixels?.();
  const placing = createPlacing();
  let bookmark: PDFKit.PDFOutline | null = null;
  for (const { collection, records } of sources) {
    const rooms = pages.get(collection.id) ?? new Map<number, Room>();
    let left = rooms.size;
    if (left === 0) continue;
    for await (const record of records((number) => rooms.has(number))) {
      const room = rooms.get(record.number);
      if (room === undefined) continue;
      signal.throwIfAborted();
      const plot = await fit(record, collection);
      const place: Place = placing.next(room);
      if (place.top === 0) {
        yield* written(doc);
        beginPage(sheet, first + place.page);
        // A page takes some milliseconds: others get their turn between two.
        await breath();
      }
      bookmark ??= begin(doc, 'Plots', 'plots');
      bookmark.addItem(`${rowText(plot)} · ${nameOf(plot)}`.slice(0, 100));
      const frame = pictureFrame(plot, mapFrame(plot, place, room));
      const { statistics } = record;
      const pixels =
        maps === undefined || frame === null || statistics === null || !isMeasuredOnMaps(statistics)
          ? undefined
          : await maps.read(statistics, frame, signal);
      type.from(plot.facts.country);
      const key = `${collection.id} ${record.number}`;
      drawPlot(sheet, plot, {
        key,
        anchor: anchorOf({ collection: collection.id, number: record.number }),
        place,
        room,
        neighbours,
        period,
        ...(pixels === undefined ? {} : { pixels }),
      });
      if (--left === 0) break;
    }
  }
  type.from(null);
}

function isMeasuredOnMaps({ baseline, losses }: PlotStatistics): boolean {
  return [baseline, ...losses].some(({ status }) => status === 'measured');
}

/** What pdfkit has finished so far. */
function* written({ file }: PdfDocument): Generator<Uint8Array, void> {
  for (let chunk: unknown = file.read(); chunk !== null; chunk = file.read()) yield chunk as Uint8Array;
}
