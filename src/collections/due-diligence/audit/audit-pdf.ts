import { setImmediate as breath } from 'node:timers/promises';
import Pdf from 'pdfkit';
import type { ExportParts, ExportSummary } from '../export-types.ts';
import { drawCover } from './cover-page.ts';
import { drawIndexPage, indexPageCount, indexRow, ROWS_A_PAGE, type IndexRow } from './index-pages.ts';
import { drawMethodPage, layOutMethod } from './method-pages.ts';
import type { NeighbourIndex } from './neighbours.ts';
import { beginPage, type Sheet } from './page-frame.ts';
import { drawPlotPage, titleOf } from './plot-page.ts';
import { createTypesetter, type PdfDocument } from './typesetter.ts';

/** Pages after which what was set is forgotten. */
const FORGET_EVERY = 100;

/**
 * The audit trail as the bytes of a PDF, page after page: cover, method, a page a plot, index. The plots are read again from
 * their sources and only the chosen ones are drawn, so that memory holds one page and the rows of the index.
 */
export async function* auditPdf(
  summary: ExportSummary,
  neighbours: NeighbourIndex,
  parts: ExportParts,
): AsyncGenerator<Uint8Array, void, void> {
  const { sources } = summary;
  const title = `EUDR audit trail: ${sources
    .map(({ collection }) => collection.name)
    .join(', ')
    .slice(0, 200)}`;
  const doc: PdfDocument = new Pdf({
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
      Creator: `Firstmile ${parts.version}`,
      Producer: 'pdfkit',
      CreationDate: parts.at,
      ModDate: parts.at,
    },
  });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  doc.on('error', failed.reject);
  const type = createTypesetter(doc);
  const plots = [...summary.pages.values()].reduce((sum, numbers) => sum + numbers.size, 0);
  // Texts are measured before the first page, which pdfkit takes the font of a page for.
  doc.addPage();
  const method = layOutMethod(type, summary, parts);
  const pages = 1 + method.length + plots + indexPageCount(plots);
  const sheet: Sheet = {
    doc,
    type,
    foot: `${title}  ·  made ${parts.at.toISOString().slice(0, 10)}  ·  not submitted to any authority`,
    pages,
  };
  drawCover(sheet, summary, parts);
  for (const [i, blocks] of method.entries()) drawMethodPage(sheet, blocks, 2 + i);
  const rows: IndexRow[] = [];
  for (const { collection, records } of sources) {
    const chosen = summary.pages.get(collection.id) ?? new Set<number>();
    let left = chosen.size;
    if (left === 0) continue;
    for await (const record of records()) {
      if (!chosen.has(record.number)) continue;
      parts.signal.throwIfAborted();
      const plot = await summary.fit(record, collection);
      const page = 2 + method.length + rows.length;
      beginPage(sheet, page);
      doc.outline.addItem(titleOf(plot).slice(0, 100));
      drawPlotPage(sheet, plot, `${collection.id} ${record.number}`, neighbours, summary.period);
      rows.push(indexRow(plot, page));
      if (rows.length % FORGET_EVERY === 0) type.forget();
      yield* written(doc);
      // A page takes some milliseconds: others get their turn between two.
      await breath();
      if (--left === 0) break;
    }
  }
  for (let first = 0; first < rows.length; first += ROWS_A_PAGE)
    drawIndexPage(sheet, rows, first, 2 + method.length + rows.length + first / ROWS_A_PAGE);
  doc.end();
  for await (const chunk of doc) yield chunk as Uint8Array;
}

/** What pdfkit has finished so far. */
function* written(doc: PdfDocument): Generator<Uint8Array, void> {
  for (let chunk: unknown = doc.read(); chunk !== null; chunk = doc.read()) yield chunk as Uint8Array;
}
