import { fsyncSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type EngineOptions = Parameters<NodeFS['init']>[1];

interface EngineModule {
  readonly NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } };
}

/**
 * A folder whose commits survive a loss of power: the file system that comes with the engine accepts every flush and
 * does nothing. Works only together with `wal_sync_method=fsync`, because `fdatasync` never reaches this place.
 */
export class DurableFolder extends NodeFS {
  override async init(pg: PGlite, options: EngineOptions): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const flush = (module: unknown): void => {
      (module as EngineModule).NODEFS.stream_ops.fsync = ({ nfd }) => {
        fsyncSync(nfd);
        return 0;
      };
    };
    const before = Array.isArray(emscriptenOpts.preRun) ? emscriptenOpts.preRun : [];
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [flush, ...before] } };
  }
}
