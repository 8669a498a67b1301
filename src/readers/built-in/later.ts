import type { Pack } from '../packs/pack-file.ts';

/** A reader over a pack that may still be on its way. */
export class Later<T> {
  /** Resolves when the reader is open. */
  readonly ready: Promise<void>;
  readonly #open: Promise<T>;
  #reader: T | null = null;

  constructor(pack: Pack | Promise<Pack>, open: (pack: Pack) => T) {
    if (pack instanceof Promise) {
      this.#open = pack.then((there) => (this.#reader = open(there)));
    } else {
      this.#reader = open(pack);
      this.#open = Promise.resolve(this.#reader);
    }
    this.ready = this.#open.then(() => undefined);
    // The rejection reaches whoever asks; nobody asking is no reason to end the process.
    this.ready.catch(() => undefined);
  }

  /** Asks the reader at once when it is open, else as soon as it is. */
  use<R>(ask: (reader: T) => R): R | Promise<Awaited<R>> {
    return this.#reader === null ? (this.#open.then(ask) as Promise<Awaited<R>>) : ask(this.#reader);
  }
}
