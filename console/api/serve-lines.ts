/// <reference lib="webworker" />

/** From the page. `bytes` are pieces of an answer as NDJSON or as our GeoJSON, each feature on a line of its own, in order. */
export type ToLines =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'query'; readonly question: number; readonly what: unknown };

export type FromLines<Row> =
  | { readonly type: 'rows'; readonly rows: readonly Row[] }
  | { readonly type: 'ended' }
  | { readonly type: 'answer'; readonly question: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly question: number; readonly message: string };

const ROWS_A_MESSAGE = 500;
const NEWLINE = 10;
/** Bytes of the longest line around features; the name of a coordinate system is in it. */
const LONGEST_FRAME = 300;

/** The lines that came so far, by the place of their row from 0; null where there is none. */
export interface StoredLines<Item> {
  read(index: number): Item | null;
  bytes(index: number): Uint8Array | null;
  /** How many there are. */
  count(): number;
}

/**
 * For a worker: keeps the lines of an answer as bytes, sends the page a short row of each, and answers queries of the page about
 * them. A line is parsed again when it is needed, so that an object of each need not be kept. One that `rowOf` makes no row
 * of is not kept.
 */
export function serveLines<Row, Item>(
  rowOf: (item: Item, index: number) => Row | null,
  answer: (what: never, kept: StoredLines<Item>) => unknown,
): void {
  const lines: Uint8Array[] = [];
  let rest: Uint8Array[] = [];
  let rows: Row[] = [];
  const post = (message: FromLines<Row>): void => postMessage(message);
  const parse = (line: Uint8Array): Item => JSON.parse(objectIn(new TextDecoder().decode(line))) as Item;
  const kept: StoredLines<Item> = {
    read: (index) => (lines[index] === undefined ? null : parse(lines[index])),
    bytes: (index) => lines[index] ?? null,
    count: () => lines.length,
  };

  function take(bytes: Uint8Array): void {
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      add([...rest, bytes.subarray(from, at)]);
      rest = [];
      from = at + 1;
    }
    if (from < bytes.length) rest.push(bytes.subarray(from));
  }

  function add(pieces: readonly Uint8Array[]): void {
    const line = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      line.set(piece, at);
      at += piece.length;
    }
    if (isFrame(line)) return;
    const row = rowOf(parse(line), lines.length);
    if (row === null) return;
    rows.push(row);
    lines.push(line);
    if (rows.length >= ROWS_A_MESSAGE) flush();
  }

  function flush(): void {
    if (rows.length > 0) post({ type: 'rows', rows });
    rows = [];
  }

  async function reply(question: number, what: unknown): Promise<void> {
    try {
      post({ type: 'answer', question, value: await answer(what as never, kept) });
    } catch (error) {
      post({ type: 'failed', question, message: error instanceof Error ? error.message : String(error) });
    }
  }

  addEventListener('message', ({ data }: MessageEvent<ToLines>) => {
    if (data.type === 'bytes') take(data.bytes);
    else if (data.type === 'query') void reply(data.question, data.what);
    else {
      add(rest);
      rest = [];
      flush();
      post({ type: 'ended' });
    }
  });
}

/** The lines around the features of GeoJSON: `{"type":"FeatureCollection","features":[` and an end without properties. */
function isFrame(line: Uint8Array): boolean {
  if (line.length > LONGEST_FRAME) return false;
  const text = new TextDecoder().decode(line).trim();
  return text === '' || /^\{"type":"FeatureCollection",.*"features":\[(\]\})?$/.test(text) || text === ']}';
}

/** The object of a line: in GeoJSON a comma follows it, and what is said of all features stands after their end. */
function objectIn(line: string): string {
  const text = line.trim();
  if (text.endsWith(',')) return text.slice(0, -1);
  return text.startsWith('],"properties":') ? `{"type":"FeatureCollection",${text.slice(2)}` : text;
}
