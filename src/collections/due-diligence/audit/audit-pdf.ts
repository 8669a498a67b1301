import Pdf from 'pdfkit';
import type { ExportParts, ExportSummary } from '../export-types.ts';

/** The audit trail as the bytes of a PDF. */
export async function* auditPdf({ counts }: ExportSummary, { at }: ExportParts): AsyncGenerator<Uint8Array, void> {
  const doc = new Pdf({ size: 'A4', info: { Title: 'EUDR audit trail', CreationDate: at } });
  doc.text(`Plots: ${counts.exported}`);
  doc.end();
  for await (const chunk of doc) yield chunk as Uint8Array;
}
