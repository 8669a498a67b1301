import { parentPort, workerData } from 'node:worker_threads';
import { readIndexParquet } from './parquet.ts';
import { slimIndex, type SlimIndex } from './pack.ts';

/** What the thread is given. */
export interface BakeOrder {
  /** Size of the index in bytes. */
  readonly size: number;
  readonly prefixes: readonly string[];
}

/** Bytes the thread wants of the index, its result, or what is wrong with the index. */
export type FromBake =
  | { readonly kind: 'slice'; readonly id: number; readonly start: number; readonly end: number }
  | { readonly kind: 'done'; readonly slim: SlimIndex }
  | { readonly kind: 'refused'; readonly message: string };

export interface ToBake {
  readonly id: number;
  readonly bytes: ArrayBuffer;
}

/** A thread that reads an index of files and ends; bytes are asked for by message, so that it needs no network of its own. */
const port = parentPort;
if (port === null) throw new Error('aef-index-thread runs as a thread');
const { size, prefixes } = workerData as BakeOrder;
const waiting = new Map<number, (bytes: ArrayBuffer) => void>();
let asked = 0;

port.on('message', ({ id, bytes }: ToBake) => {
  waiting.get(id)?.(bytes);
  waiting.delete(id);
});

const file = {
  byteLength: size,
  slice: (start: number, end: number = size) =>
    new Promise<ArrayBuffer>((resolve) => {
      waiting.set(asked, resolve);
      port.postMessage({ kind: 'slice', id: asked, start, end } satisfies FromBake);
      asked += 1;
    }),
};

readIndexParquet(file, prefixes).then(
  (files) => report({ kind: 'done', slim: slimIndex(files) }),
  (error: unknown) => report({ kind: 'refused', message: (error as Error).message }),
);

function report(message: FromBake): void {
  port?.postMessage(message);
  port?.close();
}
