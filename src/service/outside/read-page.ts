import { ByteSourceError } from '../../readers/io/byte-error.ts';
import { requestUntil } from '../../readers/io/http/request-until.ts';

const DEADLINE_MS = 10_000;
const MOST_CHARACTERS = 8_000_000;

/** The text of a page such as the listing of a folder. Rejects with a `ByteSourceError`. */
export async function readPage(url: string, signal: AbortSignal): Promise<string> {
  try {
    const { statusCode: status, body } = await requestUntil(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MOST_CHARACTERS)
        throw new ByteSourceError('too_large', url, `wanted a page of at most ${MOST_CHARACTERS} characters`);
    }
    if (status !== 200) throw new ByteSourceError('status', url, `wanted status 200, got ${status}`, { status });
    return text;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ByteSourceError) throw error;
    throw new ByteSourceError('transport', url, (error as Error).message, { cause: error });
  }
}
