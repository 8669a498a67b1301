import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { extractText, getDocumentProxy } from 'unpdf';

export interface PdfOrder {
  readonly path: string;
  readonly maxPages: number;
}

export type FromPdf =
  | { readonly kind: 'text'; readonly pages: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

/** A thread that takes the text out of one PDF document and ends. */
const port = parentPort;
if (port === null) throw new Error('pdf-text-thread runs as a thread');
const { path, maxPages } = workerData as PdfOrder;

read().then(
  (message) => port.postMessage(message, []),
  (error: unknown) => port.postMessage({ kind: 'refused', message: (error as Error).message } satisfies FromPdf, []),
);

async function read(): Promise<FromPdf> {
  const document = await getDocumentProxy(new Uint8Array(await readFile(path)));
  if (document.numPages > maxPages)
    return { kind: 'refused', message: `it has ${document.numPages} pages; wanted at most ${maxPages}` };
  const { text } = await extractText(document);
  return { kind: 'text', pages: text };
}
