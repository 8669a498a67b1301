/** Texts laid end to end in UTF-8, to be kept in shared memory. */
export interface TextTable {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

const decoder = new TextDecoder();

export function packTexts(texts: readonly string[]): TextTable {
  const parts = texts.map((text) => new TextEncoder().encode(text));
  const offsets = new Uint32Array(texts.length + 1);
  parts.forEach((part, i) => (offsets[i + 1] = offsets[i] + part.length));
  const bytes = new Uint8Array(offsets[texts.length]);
  parts.forEach((part, i) => bytes.set(part, offsets[i]));
  return { offsets, bytes };
}

/** One text of a table. Copies it first, because decoders refuse shared memory. */
export function textAt({ offsets, bytes }: TextTable, index: number): string {
  return decoder.decode(bytes.slice(offsets[index], offsets[index + 1]));
}
