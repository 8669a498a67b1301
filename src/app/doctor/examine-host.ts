import { access, constants, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { spareBytes } from '../readiness.ts';
import { fault, notice, ok, type Finding } from './finding.ts';

/** What a process takes that checks facilities on built-in data, with room for its first batch; in bytes. */
const LEAST_MEMORY_BYTES = 512e6;

/** The machine as this process sees it; handed in by tests. */
export interface Host {
  readonly nodeVersion: string;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  /** Bytes that this process may use: of the machine, or of its container where that is less. */
  readonly memoryBytes: number;
  readonly availableBytes: number;
}

export function examineNode({ nodeVersion, execPath, execArgv }: Host): Finding {
  const lookedAt = `Node at ${execPath}`;
  if (execArgv.some((flag) => flag.startsWith('--max-semi-space-size='))) return ok('node', lookedAt, nodeVersion);
  return notice(
    'node',
    lookedAt,
    `${nodeVersion}, without the flags that keep memory small`,
    'nothing where memory is plenty; on Linux and macOS start with `npx firstmile`, with Node 22 to 26',
  );
}

export function examineMemory({ memoryBytes, availableBytes }: Host, config: Config): Finding {
  const lookedAt = 'memory that this process may use';
  const found = `${mb(availableBytes)} free of ${mb(memoryBytes)}`;
  if (memoryBytes < LEAST_MEMORY_BYTES)
    return fault('memory', lookedAt, found, `give the process ${mb(LEAST_MEMORY_BYTES)} or more`);
  const threads = config.fileThreads * config.fileMemoryMb + config.forestMemoryMb + config.packMemoryMb;
  const wanted = threads * 1e6 + LEAST_MEMORY_BYTES;
  if (wanted > memoryBytes)
    return notice(
      'memory',
      lookedAt,
      `${found}; the settings allow up to ${mb(wanted)} under the largest load`,
      'lower FILE_THREADS, FILE_MEMORY_MB, FOREST_MEMORY_MB or PACK_MEMORY_MB, or leave it where files are small',
    );
  return ok('memory', lookedAt, found);
}

/** The data folder, or the nearest folder above it that exists, and the folder of temporary files. */
export async function examineDisk(config: Pick<Config, 'dataDir' | 'maxUploadMb'>): Promise<readonly Finding[]> {
  const folder = await nearestFolder(config.dataDir);
  const folders = [
    { path: folder, lookedAt: `data folder ${config.dataDir}`, setting: 'DATA_DIR', wanted: spareBytes(config) },
    { path: tmpdir(), lookedAt: `temporary folder ${tmpdir()}`, setting: 'TMPDIR', wanted: spareBytes(config) },
  ];
  return await Promise.all(folders.map(examineFolder));
}

async function examineFolder({
  path,
  lookedAt,
  setting,
  wanted,
}: {
  readonly path: string;
  readonly lookedAt: string;
  readonly setting: string;
  readonly wanted: number;
}): Promise<Finding> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    const { code = 'failed' } = error as NodeJS.ErrnoException;
    return fault(
      'disk',
      lookedAt,
      `${path} cannot be written to (${code})`,
      `name another folder in ${setting}, or change its owner`,
    );
  }
  if (!(await stat(path)).isDirectory())
    return fault('disk', lookedAt, `${path} is not a folder`, `name a folder in ${setting}`);
  const { bavail, bsize } = await statfs(path);
  const free = bavail * bsize;
  const found = `${mb(free)} free`;
  return free < wanted
    ? fault('disk', lookedAt, `${found}; the largest upload takes ${mb(wanted)}`, 'free room, or lower MAX_UPLOAD_MB')
    : ok('disk', lookedAt, found);
}

async function nearestFolder(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    const isThere = await access(folder).then(
      () => true,
      () => false,
    );
    if (isThere || dirname(folder) === folder) return folder;
  }
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
}
