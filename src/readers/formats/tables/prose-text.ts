import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { malformed, tooLarge } from './file-limits.ts';
import type { FromPdf, PdfOrder } from './pdf-text-thread.ts';
import { findTextEncoding } from './text-encoding.ts';

/** What prose may hold that a language model is to read. */
export const PROSE_LIMITS = { fileBytes: 20_000_000, characters: 300_000, pages: 200 } as const;

const PDF_MS = 30_000;
/** MB of heap after which the thread of a document dies alone. */
const THREAD_MB = 512;

/** The text of a text file or PDF document. Throws `Problem` for one that is too large, or whose pages hold no text. */
export async function proseText(path: string, format: 'text' | 'pdf'): Promise<string> {
  const { size } = await stat(path);
  if (size > PROSE_LIMITS.fileBytes)
    throw tooLarge(`The document is too large; wanted at most ${PROSE_LIMITS.fileBytes} bytes, got ${size}.`);
  const text =
    format === 'pdf'
      ? await pdfText(path)
      : new TextDecoder((await findTextEncoding(path)).encoding).decode(await readFile(path));
  if (text.length > PROSE_LIMITS.characters)
    throw tooLarge(`The text is too long; wanted at most ${PROSE_LIMITS.characters} characters, got ${text.length}.`);
  if (text.trim() === '')
    throw malformed('no_text', 'wanted a document with text, got one without; a scan has to be read by OCR first');
  return text;
}

/** Taken out in a thread of its own, which a hostile document cannot outlive. */
async function pdfText(path: string): Promise<string> {
  const worker = new Worker(new URL('./pdf-text-thread.ts', import.meta.url), {
    name: 'pdf',
    workerData: { path, maxPages: PROSE_LIMITS.pages } satisfies PdfOrder,
    resourceLimits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: THREAD_MB },
    stdout: true,
    stderr: true,
  });
  try {
    const [message] = (await once(worker, 'message', { signal: AbortSignal.timeout(PDF_MS) })) as [FromPdf];
    if (message.kind === 'refused') throw new Error(message.message);
    return message.pages.join('\n\n');
  } catch (error) {
    throw malformed(
      'broken_pdf',
      `wanted a whole PDF document, got one that cannot be read (${(error as Error).message})`,
      error,
    );
  } finally {
    await worker.terminate();
  }
}
