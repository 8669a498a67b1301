import { ByteSourceError } from './byte-error.ts';
import type { ByteSource, FetchOptions } from './byte-source.ts';

/** A source whose bytes are all of one version. */
interface OneVersion extends ByteSource {
  /** Whether the place still has the version that was read first. */
  isCurrent(options: FetchOptions): Promise<boolean>;
}

/**
 * Fails as `changed` for bytes of another version than those of the first read: what was learnt of a file, such as where its blocks
 * lie, is of no use for the next one. Open it again then.
 */
export function withOneVersion(source: ByteSource): OneVersion {
  let first: string | null | undefined;

  async function isCurrent(options: FetchOptions): Promise<boolean> {
    const info = await source.stat(options);
    if (first === undefined && info !== null) first = info.version;
    return info !== null && info.version === first;
  }

  return {
    id: source.id,
    stat: (options) => source.stat(options),
    isCurrent,
    async fetch(offset, length, options) {
      const bytes = await source.fetch(offset, length, options);
      if (bytes === null || (await isCurrent(options))) return bytes;
      throw new ByteSourceError('changed', source.id, 'the file was replaced while it was read; open it again');
    },
  };
}
