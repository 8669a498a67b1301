import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { PGlite, type PGliteOptions, type Results, types } from '@electric-sql/pglite';
import { fsyncSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import type { EngineReply, EngineRequest } from './engine-client.ts';

/** Worker thread that holds the embedded database, so that a long query never blocks the thread of the service. */

/**
 * A folder whose commits survive a loss of power: the file system that comes with the engine accepts every flush and
 * does nothing. Works only together with `wal_sync_method=fsync`, because `fdatasync` never reaches this place.
 */
class DurableFolder extends NodeFS {
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

/** The engine's own parameters without `-F` (which switches flushing off), and those that keep it durable and small. */
const START_PARAMETERS = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...setting('fsync', 'on'),
  ...setting('wal_sync_method', 'fsync'),
  ...setting('shared_buffers', '4MB'),
  ...setting('wal_buffers', '1MB'),
  ...setting('max_wal_size', '32MB'),
  ...setting('min_wal_size', '8MB'),
];

type WasmModule = NonNullable<PGliteOptions['pgliteWasmModule']>;
// The types of the language and of Node leave out WebAssembly, which belongs to those of the browser.
const wasm = (globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<WasmModule> } })
  .WebAssembly;

const port = parentPort;
if (port === null) throw new Error('engine-thread.ts runs as a worker thread only');

// Compiling takes as long as opening the folder: it begins before the folder exists.
const compiled = compile();
compiled.catch(() => {});
let engine: PGlite | null = null;
let turn: Promise<void> = Promise.resolve();

port.on('message', (request: EngineRequest) => {
  turn = turn.then(() => answer(request));
});

async function answer(request: EngineRequest): Promise<void> {
  let reply: EngineReply;
  try {
    reply = { id: request.id, ok: true, ...(await run(request)) };
  } catch (error) {
    // An error of PostgreSQL ends a statement; anything else leaves the engine in a state nobody knows, and ends it.
    if (engine !== null && !isFromDatabase(error)) throw error;
    reply = { id: request.id, ok: false, error: describeError(error) };
  }
  port?.postMessage(reply);
}

async function run(request: EngineRequest): Promise<{ rows: unknown[]; rowCount: number }> {
  if (request.type === 'open') {
    engine = await openFolder(request.folder);
    return { rows: [], rowCount: 0 };
  }
  if (engine === null) throw new Error('the embedded database is not open');
  if (request.type === 'close') {
    await engine.close();
    engine = null;
    return { rows: [], rowCount: 0 };
  }
  return query(engine, request.sql, request.parameters);
}

async function openFolder(folder: string): Promise<PGlite> {
  let complaint: string | null = null;
  try {
    return await PGlite.create({
      fs: new DurableFolder(folder),
      startParams: START_PARAMETERS,
      pgliteWasmModule: await compiled,
      serializers: { [types.BYTEA]: bytesAsTheyAre },
      parsers: { [types.BYTEA]: bytesFromHex },
      onStderr(line: string) {
        if (/FATAL|PANIC/.test(line)) complaint ??= line;
        return false;
      },
    });
  } catch (error) {
    throw complaint === null ? error : new Error(complaint, { cause: error });
  }
}

function isFromDatabase(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && severity !== 'PANIC' && severity !== 'FATAL';
}

/** Without parameters the text may hold several statements, as in the protocol of PostgreSQL; their rows are joined. */
async function query(pg: PGlite, sql: string, parameters: unknown[]): Promise<{ rows: unknown[]; rowCount: number }> {
  const results: Results[] = parameters.length > 0 ? [await pg.query(sql, parameters)] : await pg.exec(sql);
  const rows = results.flatMap((result) => result.rows);
  return { rows, rowCount: rows.length > 0 ? rows.length : (results.at(-1)?.affectedRows ?? 0) };
}

/** Bytes go to the engine as a binary parameter; the conversion that comes with it takes 30 ms for 256 KiB. */
function bytesAsTheyAre(bytes: Uint8Array): string {
  return bytes as unknown as string;
}

function bytesFromHex(text: string): Uint8Array {
  const bytes = new Uint8Array((text.length - 2) / 2);
  Buffer.from(bytes.buffer).write(text.slice(2), 'hex');
  return bytes;
}

async function compile(): Promise<WasmModule> {
  const bytes = await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')));
  return wasm.compile(bytes);
}

function setting(name: string, value: string): string[] {
  return ['-c', `${name}=${value}`];
}

/** An error's own properties do not survive a message, so those that callers look at travel as plain values. */
function describeError(error: unknown): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const key of ['message', 'code', 'severity', 'detail', 'hint', 'table', 'constraint', 'routine']) {
    const value = (error as Record<string, unknown> | null)?.[key];
    if (typeof value === 'string') fields[key] = value;
  }
  return fields;
}

type EngineOptions = Parameters<NodeFS['init']>[1];

interface EngineModule {
  readonly NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } };
}
