import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../log.ts';
import { packHeaderFault, readPack, type Pack } from '../packs/pack-file.ts';
import type { BuildReport } from './build/build-packs.main.ts';
import { PACK_NAMES, packKey, type PackName } from './build/source-packages.ts';

interface ObtainedPacks {
  /** Reads a pack when it is first wanted, once it is built. Rejects when it can neither be read nor built. */
  pack(name: PackName): Promise<Pack>;
  /** Resolves when every pack has a file; rejects when one cannot be built. */
  readonly present: Promise<void>;
  /** Resolves when nothing is being built any more. */
  finished(): Promise<void>;
}

interface ObtainOptions {
  /** Folder of the packs; made when one has to be built. */
  readonly folder: string;
  /** Folder of packs that came with the installation, tried first; null: none. */
  readonly shipped: string | null;
  readonly log: Log;
  /** Stops the building; what is not there yet is rejected. */
  readonly signal: AbortSignal;
}

/** Whether a folder has all packs, made of the packages of now. */
export async function arePacksCurrent(folder: string): Promise<boolean> {
  const found = await Promise.all(
    PACK_NAMES.map((name) => readPack(join(folder, `${name}.pack`), name, packKey(name))),
  );
  return found.every(({ pack }) => pack !== null);
}

type Waiting = ReadonlyMap<PackName, PromiseWithResolvers<void>>;

/**
 * Finds the packs of an installation and of a folder by their headers, and reads each when it is first wanted: reading and checking
 * all of them takes a tenth of the processor time of a start, and 35 MB. The absent, out-of-date and damaged ones are built by a
 * process of their own: building takes 100 MB, which a thread would leave with this process for good. Processes that build in one
 * folder at once do not disturb each other.
 */
export function obtainPacks(options: ObtainOptions): ObtainedPacks {
  const waiting = waitFor(PACK_NAMES);
  const working = new Set([settle(obtain(options, waiting), waiting)]);
  const reading = new Map<PackName, Promise<Pack>>();

  async function read(name: PackName): Promise<Pack> {
    await waiting.get(name)?.promise;
    const first = await readFrom(name, options);
    if (first.pack !== null) return first.pack;
    options.log.info({ dataset: name, reason: first.reason }, 'packing built-in data');
    const again = waitFor([name]);
    working.add(settle(build([name], options, again), again));
    await again.get(name)?.promise;
    const second = await readFrom(name, options);
    if (second.pack === null) throw new Error(`The built-in data "${name}" could not be read: ${second.reason}`);
    return second.pack;
  }

  return {
    pack(name) {
      let pack = reading.get(name);
      if (pack === undefined) {
        pack = read(name);
        pack.catch(() => reading.delete(name));
        reading.set(name, pack);
      }
      return pack;
    },
    present: hushed(Promise.all([...waiting.values()].map(({ promise }) => promise)).then(() => undefined)),
    finished: async () => void (await Promise.all(working)),
  };
}

function waitFor(names: readonly PackName[]): Waiting {
  const waiting = new Map(names.map((name) => [name, Promise.withResolvers<void>()] as const));
  for (const { promise } of waiting.values()) hushed(promise);
  return waiting;
}

/** A pack that nobody needs yet may fail without taking the process down. */
function hushed(promise: Promise<void>): Promise<void> {
  promise.catch(() => undefined);
  return promise;
}

function settle(work: Promise<void>, waiting: Waiting): Promise<void> {
  return work.catch((error: unknown) => {
    for (const { reject } of waiting.values()) reject(error);
  });
}

function foldersOf({ folder, shipped }: ObtainOptions): readonly string[] {
  return shipped === null ? [folder] : [shipped, folder];
}

async function readFrom(name: PackName, options: ObtainOptions): ReturnType<typeof readPack> {
  let reason = '';
  for (const folder of foldersOf(options)) {
    const found = await readPack(join(folder, `${name}.pack`), name, packKey(name));
    if (found.pack !== null) return found;
    reason = found.reason;
  }
  return { pack: null, reason };
}

async function obtain(options: ObtainOptions, waiting: Waiting): Promise<void> {
  const missing: PackName[] = [];
  await Promise.all(
    PACK_NAMES.map(async (name) => {
      const reason = await whyMissing(name, foldersOf(options));
      if (reason === null) return waiting.get(name)?.resolve();
      missing.push(name);
      options.log.info({ dataset: name, reason }, 'packing built-in data');
    }),
  );
  if (missing.length > 0) await build(missing, options, waiting);
}

/** Null where a file says that it is the pack; what it holds is checked when it is read. */
async function whyMissing(name: PackName, folders: readonly string[]): Promise<string | null> {
  let reason = '';
  for (const folder of folders) {
    const fault = await packHeaderFault(join(folder, `${name}.pack`), name, packKey(name));
    if (fault === null) return null;
    reason = fault;
  }
  return reason;
}

async function build(wanted: readonly PackName[], options: ObtainOptions, waiting: Waiting): Promise<void> {
  options.signal.throwIfAborted();
  await mkdir(options.folder, { recursive: true });
  await buildAll(
    PACK_NAMES.filter((name) => wanted.includes(name)),
    options,
    waiting,
  );
}

async function buildAll(wanted: readonly PackName[], options: ObtainOptions, waiting: Waiting): Promise<void> {
  const { folder, signal } = options;
  const builder = fork(fileURLToPath(new URL('./build/build-packs.main.ts', import.meta.url)), [folder, ...wanted], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const stop = (): void => void builder.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  const taken: Promise<void>[] = [];
  builder.on('message', (report: BuildReport) => taken.push(takeReport(report, options, waiting)));
  const ending = await howItEnds(builder).finally(() => signal.removeEventListener('abort', stop));
  await Promise.all(taken);
  for (const name of wanted)
    waiting
      .get(name)
      ?.reject(signal.aborted ? signal.reason : new Error(`The built-in data "${name}" was not packed: ${ending}`));
}

async function howItEnds(builder: ChildProcess): Promise<string> {
  try {
    const [code, killedBy] = (await once(builder, 'close')) as [number | null, string | null];
    return killedBy === null ? `its process ended with code ${code}` : `its process was ended by ${killedBy}`;
  } catch (error) {
    return (error as Error).message;
  }
}

async function takeReport(report: BuildReport, { folder, log }: ObtainOptions, waiting: Waiting): Promise<void> {
  const { name } = report;
  const fault = report.kind === 'failed' ? report.message : await whyMissing(name, [folder]);
  if (report.kind === 'built' && fault === null) {
    log.info({ dataset: name, ms: report.ms, bytes: report.bytes }, 'packed built-in data');
    waiting.get(name)?.resolve();
    return;
  }
  log.error({ dataset: name, reason: fault }, 'built-in data could not be packed');
  waiting.get(name)?.reject(new Error(`The built-in data "${name}" could not be packed: ${fault}`));
}
