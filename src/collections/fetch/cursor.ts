/** The last location of a page: which of the requested collections it is in, and its place there, both from 0. */
export interface Cursor {
  readonly collection: number;
  readonly number: number;
}

/** What `after` looks like. */
export const CURSOR_PATTERN = '^\\d{1,3}\\.\\d{1,9}$';

export function cursorText({ collection, number }: Cursor): string {
  return `${collection}.${number}`;
}

/** Reads what `cursorText` wrote; the text fits `CURSOR_PATTERN`. */
export function parseCursor(text: string): Cursor {
  const [collection, number] = text.split('.').map(Number) as [number, number];
  return { collection, number };
}
