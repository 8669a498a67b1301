import type { KeptPart, KeptParts, KeptRequest, TaskCrashes } from './kept-parts.ts';

/** The thread's side of kept parts: each request waits for the runner's answer. */
interface ThreadKept {
  readonly kept: KeptParts;
  /** The runner's answer to request `call`. */
  answered(call: number, value: unknown): void;
  /** No answer will come any more. */
  abort(reason: unknown): void;
}

/** `send` posts a request to the runner; the bytes of a kept part are moved, not copied. */
export function openKept(
  send: (call: number, request: KeptRequest, transfer: ArrayBuffer[]) => void,
  signal: AbortSignal,
): ThreadKept {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;

  async function ask(request: KeptRequest, transfer: ArrayBuffer[] = []): Promise<unknown> {
    signal.throwIfAborted();
    const call = ++last;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(call, answer);
    send(call, request, transfer);
    return answer.promise;
  }

  return {
    kept: {
      list: async () => (await ask({ type: 'list' })) as readonly KeptPart[],
      async keep(part, bytes) {
        const own = new Uint8Array(bytes);
        await ask({ type: 'keep', part, bytes: own }, [own.buffer]);
      },
      crashes: async () => (await ask({ type: 'crashes' })) as TaskCrashes,
      begin: async (item) => void (await ask({ type: 'begin', item })),
      async read(seq) {
        const bytes = await ask({ type: 'read', seq });
        if (bytes === null) throw new Error(`the task has no kept part ${seq}`);
        return bytes as Uint8Array;
      },
    },
    answered(call, value) {
      waiting.get(call)?.resolve(value);
      waiting.delete(call);
    },
    abort(reason) {
      for (const { promise, reject } of waiting.values()) {
        promise.catch(() => {});
        reject(reason);
      }
      waiting.clear();
    },
  };
}
