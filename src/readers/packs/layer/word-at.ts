import type { TextTable } from '../../built-in/text-table.ts';

/** Texts kept of a table, each at the place of its number's last bits. */
const KEPT = 1_024;

interface Kept {
  /** The bytes of the table as what decodes fastest. */
  readonly bytes: Buffer;
  readonly numbers: Int32Array;
  readonly texts: string[];
}

const tables = new WeakMap<TextTable, Kept>();

/** One text of a table whose texts are needed again and again, such as classes; decoded once while it is kept. */
export function wordAt(table: TextTable, number: number): string {
  let kept = tables.get(table);
  if (kept === undefined) {
    const { buffer, byteOffset, length } = table.bytes;
    kept = {
      bytes: Buffer.from(buffer, byteOffset, length),
      numbers: new Int32Array(KEPT).fill(-1),
      texts: Array.from({ length: KEPT }, () => ''),
    };
    tables.set(table, kept);
  }
  const slot = number % KEPT;
  if (kept.numbers[slot] !== number) {
    kept.texts[slot] = kept.bytes.toString('utf8', table.offsets[number], table.offsets[number + 1]);
    kept.numbers[slot] = number;
  }
  return kept.texts[slot];
}
