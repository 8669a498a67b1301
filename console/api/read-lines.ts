const NEWLINE = 10;
const RETURN = 13;

/** The lines of an answer as bytes, as they arrive. A last line without an end counts, an empty one at the end does not. */
export async function* readLines({ body }: Pick<Response, 'body'>): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  let rest: Uint8Array[] = [];
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      let from = 0;
      for (let at = value.indexOf(NEWLINE); at >= 0; at = value.indexOf(NEWLINE, from)) {
        yield line([...rest, value.subarray(from, at)]);
        rest = [];
        from = at + 1;
      }
      if (from < value.length) rest.push(value.slice(from));
    }
    if (rest.length > 0) yield line(rest);
  } finally {
    await reader.cancel().catch(() => {});
  }
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
