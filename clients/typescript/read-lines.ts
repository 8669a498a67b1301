import { Unreachable } from './problems.ts';

const NEWLINE = 10;
const RETURN = 13;

/**
 * The pieces of an answer as they arrive. Throws `Unreachable` with `cut_off` when it breaks off, or when nothing came for
 * `silenceMs`; throws what the signal is aborted with.
 */
async function* readPieces(
  { body }: Pick<Response, 'body'>,
  silenceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await withoutSilence(reader.read(), silenceMs);
      if (done) return;
      yield value;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof Unreachable) throw cause;
    throw cutOff((cause as Error).message, cause);
  } finally {
    // Not waited for: a connection that is silent may never say that it is closed.
    reader.cancel().catch(() => {});
  }
}

export function cutOff(why: string, cause?: unknown): Unreachable {
  return new Unreachable({ code: 'cut_off', detail: `The answer broke off: ${why}.`, cause });
}

async function withoutSilence<T>(reading: Promise<T>, silenceMs: number): Promise<T> {
  if (silenceMs === Infinity) return await reading;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(cutOff(`nothing came for ${silenceMs / 1000} s`)), silenceMs);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The lines of an answer as bytes, as they arrive. A last line without an end counts, an empty one at the end does not.
 * `silenceMs` is how long nothing may come.
 */
export async function* readLines(
  response: Pick<Response, 'body'>,
  silenceMs = Infinity,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  let rest: Uint8Array[] = [];
  for await (const piece of readPieces(response, silenceMs, signal)) {
    let from = 0;
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, from)) {
      yield line([...rest, piece.subarray(from, at)]);
      rest = [];
      from = at + 1;
    }
    if (from < piece.length) rest.push(piece.slice(from));
  }
  if (rest.length > 0) yield line(rest);
}

/** An answer as text. */
export async function readText(
  response: Pick<Response, 'body'>,
  silenceMs: number,
  signal?: AbortSignal,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of readPieces(response, silenceMs, signal)) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

function line(pieces: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array()] = pieces;
  const whole = pieces.length === 1 ? first : joined(pieces);
  return whole.at(-1) === RETURN ? whole.subarray(0, -1) : whole;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    out.set(piece, at);
    at += piece.length;
  }
  return out;
}
