import { parentPort, workerData } from 'node:worker_threads';

import { ByteSourceError, type ByteFault } from '../../io/byte-error.ts';
import { openDecodeState, type DecodeJob } from './decode-job.ts';
import { type FileRanges, INPUT_FRONT, openFileReader } from './decode-file.ts';

/** To a decode thread. */
export type ToDecodeThread =
  | { readonly number: number; readonly job: DecodeJob; readonly ranges: FileRanges }
  | ({ readonly number: number; readonly job: DecodeJob } & FilledSlot)
  | { readonly number: number; readonly job: DecodeJob; readonly input: MetInput }
  | { readonly forget: number }
  | { readonly forgetInput: number };

/** Memory that holds the bytes of a job after `INPUT_FRONT` others, and how many they are; null for one that was met before. */
export interface MetInput {
  readonly id: number;
  readonly memory: SharedArrayBuffer | null;
  readonly bytes: number;
}

/** The slot that holds the bytes of a job after `INPUT_FRONT` others, and how many they are; after them lies what earlier jobs left. */
export interface FilledSlot {
  readonly slot: number;
  readonly bytes: number;
  /** The memory of the slot, when it is another one than before. */
  readonly memory: SharedArrayBuffer | null;
}

/** From a decode thread: whether what a job wrote holds data, or why it could not be done. */
export type FromDecodeThread =
  | { readonly number: number; readonly holds: boolean }
  /** `fault`: its bytes could not be read. */
  | { readonly number: number; readonly error: string; readonly fault: ByteFault | null };

/** `workerData` is the thread's lane. */
const state = openDecodeState(workerData as number);
const NOTHING = new Uint8Array(0);
const slots: Uint8Array[] = [];
const inputs = new Map<number, Uint8Array>();
const readFile = openFileReader();

const port = parentPort;

port?.on('message', (message: ToDecodeThread) => {
  if ('forget' in message) {
    state.forget(message.forget);
    return;
  }
  if ('forgetInput' in message) {
    inputs.delete(message.forgetInput);
    return;
  }
  const { number, job } = message;
  let reply: FromDecodeThread;
  try {
    reply = { number, holds: state.run(job, inputOf(message), INPUT_FRONT) };
  } catch (error) {
    const fault = error instanceof ByteSourceError ? error.kind : null;
    reply = { number, error: detailOf(error as Error), fault };
  }
  port?.postMessage(reply);
});

/** Without the place, which is named by who hears of it. */
function detailOf(error: Error): string {
  return error instanceof ByteSourceError ? error.message.slice(error.place.length + 2) : error.message;
}

function inputOf(message: Extract<ToDecodeThread, { job: DecodeJob }>): Uint8Array {
  if ('ranges' in message) return readFile(message.job.place, message.ranges);
  if ('input' in message) return metInput(message.input);
  const { slot, bytes, memory } = message;
  if (memory !== null) slots[slot] = new Uint8Array(memory);
  return bytes === 0 ? NOTHING : slots[slot].subarray(INPUT_FRONT, INPUT_FRONT + bytes);
}

function metInput({ id, memory, bytes }: MetInput): Uint8Array {
  if (memory !== null) inputs.set(id, new Uint8Array(memory));
  const met = inputs.get(id);
  if (met === undefined) throw new Error(`input ${id} was never sent`);
  return met.subarray(INPUT_FRONT, INPUT_FRONT + bytes);
}
