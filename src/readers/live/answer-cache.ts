import type { DiskCacheFolder } from '../io/disk-cache-folder.ts';

/** The body of an answer and when it came, in milliseconds since 1970. */
export interface CachedAnswer {
  readonly body: string;
  readonly retrievedAt: number;
}

/** Answers of live services by key, on disk, so that they outlive the process and its threads share them. Never rejects. */
export interface AnswerCache {
  get(key: string): Promise<CachedAnswer | null>;
  put(key: string, answer: CachedAnswer): Promise<void>;
}

const TIME_BYTES = 8;

/** Keeps answers in a folder of `openDiskCache`: 8 bytes of time, then the body in UTF-8. */
export function createAnswerCache(folder: DiskCacheFolder): AnswerCache {
  return {
    async get(key) {
      const bytes = await folder.get(key, null);
      if (bytes === null || bytes.length < TIME_BYTES) return null;
      const retrievedAt = Buffer.from(bytes.buffer, bytes.byteOffset, TIME_BYTES).readDoubleLE();
      return { retrievedAt, body: new TextDecoder().decode(bytes.subarray(TIME_BYTES)) };
    },
    put(key, { body, retrievedAt }) {
      const time = Buffer.alloc(TIME_BYTES);
      time.writeDoubleLE(retrievedAt);
      return folder.put(key, Buffer.concat([time, Buffer.from(body)]));
    },
  };
}
