import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../log.ts';
import { readPack, type Pack } from '../packs/pack-file.ts';
import type { BuildReport } from './build/build-packs.main.ts';
import { PACK_NAMES, packKey, type PackName } from './build/source-packages.ts';

/** Each pack as soon as it is there. A promise is rejected when its pack can neither be read nor built. */
type PackPromises = Readonly<Record<PackName, Promise<Pack>>>;

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

type Waiting = ReadonlyMap<PackName, PromiseWithResolvers<Pack>>;

/**
 * Reads the packs of a folder and has the absent, out-of-date and damaged ones built by a process of its own: building
 * takes 100 MB, which a thread would leave with this process for good. Processes that build in one folder at once do not disturb each other.
 */
export function obtainPacks(options: ObtainOptions): {
  readonly packs: PackPromises;
  readonly finished: Promise<void>;
} {
  const waiting: Waiting = new Map(PACK_NAMES.map((name) => [name, Promise.withResolvers<Pack>()] as const));
  const finished = obtain(options, waiting).catch((error: unknown) => {
    for (const { reject } of waiting.values()) reject(error);
  });
  const packs = Object.fromEntries([...waiting].map(([name, { promise }]) => [name, promise])) as PackPromises;
  // A pack that nobody needs yet may fail without taking the process down.
  for (const promise of Object.values(packs)) promise.catch(() => undefined);
  return { packs, finished };
}

async function obtain(options: ObtainOptions, waiting: Waiting): Promise<void> {
  const { folder, shipped, log, signal } = options;
  const missing = new Set<PackName>();
  await Promise.all(
    PACK_NAMES.map(async (name) => {
      if (shipped !== null && (await take(name, shipped, waiting)) === null) return;
      const reason = await take(name, folder, waiting);
      if (reason === null) return;
      missing.add(name);
      log.info({ dataset: name, reason }, 'packing built-in data');
    }),
  );
  signal.throwIfAborted();
  if (missing.size === 0) return;
  await mkdir(folder, { recursive: true });
  await buildAll(
    PACK_NAMES.filter((name) => missing.has(name)),
    options,
    waiting,
  );
}

/** Hands over a pack of the folder; returns why there is none. */
async function take(name: PackName, folder: string, waiting: Waiting): Promise<string | null> {
  const reading = await readPack(join(folder, `${name}.pack`), name, packKey(name));
  if (reading.pack === null) return reading.reason;
  waiting.get(name)?.resolve(reading.pack);
  return null;
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
  const fault = report.kind === 'failed' ? report.message : await take(name, folder, waiting);
  if (report.kind === 'built' && fault === null) {
    log.info({ dataset: name, ms: report.ms, bytes: report.bytes }, 'packed built-in data');
    return;
  }
  log.error({ dataset: name, reason: fault }, 'built-in data could not be packed');
  waiting.get(name)?.reject(new Error(`The built-in data "${name}" could not be packed: ${fault}`));
}
