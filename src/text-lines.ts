/**
 * The lines of a text, without their ends: `\n` or `\r\n` and nothing else, as NDJSON and event streams have them. `node:readline`
 * also breaks at U+2028 and U+2029, which JSON leaves as they are within texts.
 */
export async function* textLines(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...others] = (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })).split(
      '\n',
    );
    rest.push(first);
    for (const next of others) {
      yield withoutReturn(rest.join(''));
      rest = [next];
    }
  }
  const last = rest.join('') + decoder.decode();
  if (last !== '') yield withoutReturn(last);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
