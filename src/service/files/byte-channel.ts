/** Hands bytes from one who writes them to one who reads them. It ends with a summary, or fails. */
export interface ByteChannel extends AsyncGenerator<Uint8Array, unknown, void> {
  /** Resolves when the bytes were taken; rejects when they never will be. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly end: (summary: unknown) => void;
  /** What is left unread is dropped. */
  readonly fail: (error: unknown) => void;
}

interface Held {
  readonly bytes: Uint8Array;
  readonly taken: PromiseWithResolvers<void>;
}

/** `onLeave` is called once if the reader stops before the end. */
export function openByteChannel(onLeave: () => void): ByteChannel {
  let held: Held[] = [];
  let conclusion: { readonly summary: unknown } | { readonly error: unknown } | null = null;
  let wake = Promise.withResolvers<void>();

  function change(): void {
    wake.resolve();
    wake = Promise.withResolvers();
  }

  function conclude(how: NonNullable<typeof conclusion>): void {
    conclusion ??= how;
    change();
  }

  function drop(reason: unknown): void {
    for (const { taken } of held) {
      taken.promise.catch(() => {});
      taken.reject(reason);
    }
    held = [];
  }

  async function* read(): AsyncGenerator<Uint8Array, unknown, void> {
    try {
      for (;;) {
        if (conclusion !== null && 'error' in conclusion) throw conclusion.error;
        const next = held.shift();
        if (next !== undefined) {
          next.taken.resolve();
          yield next.bytes;
        } else if (conclusion !== null) return conclusion.summary;
        else await wake.promise;
      }
    } finally {
      const isEarly = conclusion === null;
      conclude({ error: new Error('nobody reads any more') });
      drop(new Error('nobody reads any more'));
      if (isEarly) onLeave();
    }
  }

  return Object.assign(read(), {
    write(bytes: Uint8Array): Promise<void> {
      if (conclusion !== null) return Promise.reject(new Error('nobody reads any more'));
      const taken = Promise.withResolvers<void>();
      held.push({ bytes, taken });
      change();
      return taken.promise;
    },
    end: (summary: unknown) => conclude({ summary }),
    fail(error: unknown) {
      conclude({ error });
      drop(error);
    },
  });
}
