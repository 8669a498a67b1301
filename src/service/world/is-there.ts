import { stat } from 'node:fs/promises';

/** Whether a file or folder is there; throws why that cannot be seen. */
export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
