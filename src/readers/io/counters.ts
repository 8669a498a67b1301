/** What reading has cost since the process started; written by the sources, read for metrics. */
export interface ByteCounters {
  /** HTTP requests sent, redirects and retries included. */
  requests: number;
  /** Bytes of bodies received by HTTP. */
  bytesReceived: number;
  /** Requests that ended in an error. */
  failures: number;
  retries: number;
  /** Requested ranges that shared a request with another one. */
  coalesced: number;
  cacheHits: number;
  cacheMisses: number;
  /** Entries of the disk cache found damaged and dropped. */
  cacheDamaged: number;
  cacheEvicted: number;
  /** Entries that could not be written; the read they came from went on. */
  cacheWriteFailures: number;
}

export function createByteCounters(): ByteCounters {
  return {
    requests: 0,
    bytesReceived: 0,
    failures: 0,
    retries: 0,
    coalesced: 0,
    cacheHits: 0,
    cacheMisses: 0,
    cacheDamaged: 0,
    cacheEvicted: 0,
    cacheWriteFailures: 0,
  };
}
