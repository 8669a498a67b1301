import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../errors.ts';
import { isAbandoned, OWNER } from '../../service/files/temporary-folder.ts';

export interface UploadFolder {
  readonly path: string;
  /** A path in the folder that no file has yet, whose name says which process owns it. */
  newPath(): string;
  /**
   * Counts an upload of the user until the returned function is called. Throws `Problem('quota_exceeded')` while the user
   * has as many as one may have.
   */
  begin(userId: string): () => void;
}

const NAME = /^upload-([0-9a-f]{8}-\d+)-[0-9a-f]{24}$/;

/**
 * Opens the folder for uploads in flight and removes what processes that died have left there: files of this machine
 * whose process is gone, and files of any machine older than a day. Those of living processes are left alone. A user may
 * have `perUser` uploads in it at the same time.
 */
export async function openUploadFolder(path: string, perUser = Infinity): Promise<UploadFolder> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  for (const name of await readdir(path)) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && (await isAbandoned(join(path, name), owner)))
      await rm(join(path, name), { force: true });
  }
  return {
    path,
    newPath: () => join(path, `upload-${OWNER}-${randomBytes(12).toString('hex')}`),
    begin: uploadCounter(perUser),
  };
}

const RETRY_AFTER_S = 5;

/** Counts the uploads of each user. */
function uploadCounter(perUser: number): UploadFolder['begin'] {
  const counts = new Map<string, number>();
  return (userId) => {
    const count = counts.get(userId) ?? 0;
    if (count >= perUser)
      throw new Problem(
        'quota_exceeded',
        `${count} uploads of yours are on their way or being answered; wanted at most ${perUser} at the same time (uploads_per_user in /limits).`,
        { retryAfterS: RETRY_AFTER_S },
      );
    counts.set(userId, count + 1);
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      const left = (counts.get(userId) ?? 1) - 1;
      if (left > 0) counts.set(userId, left);
      else counts.delete(userId);
    };
  };
}
