import { workerData } from 'node:worker_threads';
import { runForestThread } from '../src/service/forest/run-forest-thread.ts';
import { generateGrid, gridSource } from './forest-raster.ts';

/**
 * A forest thread over one generated raster of forest, next to which some longitudes make it misbehave: at 101 it dies,
 * at 102 it computes without end, at 103 a source hangs, at 104 the lookup takes its time, at 105 a source fails. `pointTimeoutMs` of its data is the deadline of a lookup, 30 s without one.
 */
const source = gridSource(
  generateGrid({ columns: 40, rows: 40, cover: () => 0, corner: [354_030, 4_911_010], crs: 'EPSG:32616' }),
);

runForestThread(
  async (reportFailure) => {
    const embeddings = [
      {
        ...source,
        async at(lon: number, lat: number, signal: AbortSignal) {
          if (lon === 101) process.exit(9);
          if (lon === 102) for (;;);
          if (lon === 103) return await new Promise<never>(() => {});
          if (lon === 104) await new Promise((resolve) => setTimeout(resolve, 20));
          if (lon === 105) throw new Error('the disk is gone');
          return source.at(lon, lat, signal);
        },
      },
    ];
    return async () => ({ labels: [], embeddings, reportFailure });
  },
  (workerData as { readonly pointTimeoutMs?: number }).pointTimeoutMs ?? 30_000,
);
