import { packPoints, type MarkPoint } from './mark-tiles.ts';
import type { FromMarks, ToMarks } from './marks-worker.ts';

/** The protocol of addresses of tiles that this page makes itself. */
export const MARKS_PROTOCOL = 'marks';

let worker: Worker | null = null;
let last = 0;
const waiting = new Map<number, (bytes: Uint8Array<ArrayBuffer>) => void>();

/** The marks of one map; `tiles` is the address of their vector tiles, which are those of the points that were shown last. */
export interface MapMarks {
  readonly tiles: string;
  show(points: readonly MarkPoint[]): void;
  close(): void;
}

/**
 * Gives points to a worker that makes vector tiles of them. As GeoJSON, MapLibre would copy 50,000 of them to its own worker in one
 * task of 100 to 200 ms of the page.
 */
export function openMarks(): MapMarks {
  const set = ++last;
  return {
    tiles: `${MARKS_PROTOCOL}://${set}/{z}/{x}/{y}`,
    show(shown) {
      const points = packPoints(shown);
      const { indices, lons, lats, looks } = points;
      post({ type: 'keep', set, points }, [indices.buffer, lons.buffer, lats.buffer, looks.buffer]);
    },
    close: () => post({ type: 'drop', set }),
  };
}

/** The tile at an address that `MapMarks.tiles` stands for. */
export function markTile(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const [set = 0, ...tile] = url.slice(`${MARKS_PROTOCOL}://`.length).split('/').map(Number);
  const question = ++last;
  const { promise, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  waiting.set(question, resolve);
  post({ type: 'tile', question, set, tile });
  return promise;
}

function post(message: ToMarks, transfer: Transferable[] = []): void {
  if (worker === null) {
    worker = new Worker(new URL('./marks-worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<FromMarks>) => {
      waiting.get(data.question)?.(data.bytes);
      waiting.delete(data.question);
    });
  }
  worker.postMessage(message, transfer);
}
