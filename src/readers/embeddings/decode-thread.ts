import { parentPort, workerData } from 'node:worker_threads';

import { openDecodeState, type DecodeJob } from './decode-job.ts';

/** To a decode thread. */
export type ToDecodeThread =
  | {
      readonly number: number;
      readonly job: DecodeJob;
      /** The slot that holds the job's bytes, and how many they are; behind them lies what earlier jobs left. */
      readonly slot: number;
      readonly bytes: number;
      /** The memory of the slot, when it is another one than before. */
      readonly memory: SharedArrayBuffer | null;
    }
  | { readonly forget: number };

/** From a decode thread: whether what a job wrote holds data, or why it could not be done. */
export type FromDecodeThread =
  | { readonly number: number; readonly holds: boolean }
  | { readonly number: number; readonly error: string };

/** `workerData` is the thread's lane. */
const state = openDecodeState(workerData as number);
const NOTHING = new Uint8Array(0);
const slots: Uint8Array[] = [];

const port = parentPort;

port?.on('message', (message: ToDecodeThread) => {
  if ('forget' in message) {
    state.forget(message.forget);
    return;
  }
  const { number, job, slot, bytes, memory } = message;
  if (memory !== null) slots[slot] = new Uint8Array(memory);
  let reply: FromDecodeThread;
  try {
    reply = { number, holds: state.run(job, bytes === 0 ? NOTHING : slots[slot].subarray(0, bytes)) };
  } catch (error) {
    reply = { number, error: (error as Error).message };
  }
  port?.postMessage(reply);
});
