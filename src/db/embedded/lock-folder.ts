import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Something other than SQLite wrote into a file. */
const SQLITE_NOTADB = 26;

/** The data folder belongs to another process. Two of them on one embedded database would lose rows without an error. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
  readonly folder: string;

  constructor(folder: string, owner: string, options?: ErrorOptions) {
    super(
      `the data folder ${folder} is in use by another firstmile process${owner}: stop that process, ` +
        'give this one a folder of its own with DATA_DIR, or share one PostgreSQL between them with DATABASE_URL',
      options,
    );
    this.folder = folder;
  }
}

/**
 * Takes the data folder for this process until `release` is called or the process ends, however it ends: the lock is
 * the operating system's, held by SQLite on a file next to the database. Throws `FolderInUseError`.
 */
export function lockFolder(folder: string): { release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ownerFile = join(folder, 'database.owner');
  const lock = takeLock(join(folder, 'database.lock'), (error) => {
    throw isBusy(error)
      ? new FolderInUseError(folder, ownerText(ownerFile), { cause: error })
      : new Error(`the lock file ${folder}/database.lock cannot be used: ${(error as Error).message}`, {
          cause: error,
        });
  });
  try {
    writeFileSync(ownerFile, String(process.pid));
  } catch {
    // It only names this process to another one: a full disk must not keep the database from opening.
  }
  return { release: () => lock.close() };
}

/** A lock file that something wrote into is emptied where it is: one in use is empty, so nobody loses a lock by that. */
function takeLock(path: string, refuse: (error: unknown) => never, isEmptied = false): DatabaseSync {
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(path);
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if (isEmptied || (error as { errcode?: number }).errcode !== SQLITE_NOTADB) return refuse(error);
  }
  truncateSync(path);
  return takeLock(path, refuse, true);
}

/** SQLITE_BUSY (5) and SQLITE_LOCKED (6): somebody else holds it. Everything else is a broken disk or folder. */
function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  return code === 5 || code === 6;
}

function ownerText(file: string): string {
  try {
    return ` (process ${readFileSync(file, 'utf8')})`;
  } catch {
    return '';
  }
}
