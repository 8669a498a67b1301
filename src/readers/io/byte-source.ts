export interface FetchOptions {
  /** Aborts the wait; the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Called when a server has begun to send what was requested. */
  readonly onAnswer?: () => void;
  /**
   * Memory of exactly the requested length that the bytes may be written to, in place of memory of their own; the buffer of
   * what is returned says whether they were. Nothing writes there any more when the promise has settled.
   */
  readonly into?: Uint8Array;
}

export interface ByteSourceInfo {
  /** Length of the whole, in bytes. */
  readonly size: number;
  /** Changes whenever the bytes do; null when the place gives nothing to distinguish versions by. */
  readonly version: string | null;
}

/** The host of an address; what is no address, such as a path, stands for itself. */
export function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}

/** The one way bytes come in: a file, a piece of memory or an address read by ranges, bare or wrapped. */
export interface ByteSource {
  /** Names the bytes in messages and cache keys; holds no secret. */
  readonly id: string;
  /** Size and version, or null when there is nothing at this place. Rejects when the place cannot be reached. */
  stat(options: FetchOptions): Promise<ByteSourceInfo | null>;
  /**
   * Exactly `length` bytes from `offset`, both whole numbers, or null when there is nothing at this place (404). The
   * bytes may be shared with other callers: do not write into them. Rejects with a `ByteSourceError` when the place is
   * broken and when the range reaches past the end; never returns fewer bytes, never zeros in place of them.
   */
  fetch(offset: number, length: number, options: FetchOptions): Promise<Uint8Array | null>;
}
