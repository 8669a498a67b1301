import { open, rm, type FileHandle } from 'node:fs/promises';
import { MinHeap } from '../../../geo/min-heap.ts';
import { StreamWriter } from './stream-writer.ts';

/** Bytes in front of a record in memory and in a run: key as a double, then the record's length. */
const FRONT_BYTES = 12;
/** Runs merged at once; more are first merged into longer ones. */
const MAX_FAN_IN = 64;
const READ_BYTES = 131_072;
const RUN_WRITE_BYTES = 524_288;
/** Room at first. */
const FIRST_BYTES = 65_536;

/**
 * Sorts records of bytes by a number, in bounded memory: what does not fit is written to a file in sorted runs, which are merged at the end.
 * Equal keys keep the order in which they came. Close it to remove the file.
 */
export class RecordSorter {
  readonly #path: string;
  readonly #memoryBytes: number;
  #room: Uint8Array;
  #view: DataView;
  #starts: number[] = [];
  #at = 0;
  #file: FileHandle | null = null;
  #fileEnd = 0;
  #runs: Run[] = [];

  /** `path` is a file that may be made; `memoryBytes` holds the records of one run, the longest record included. */
  constructor(path: string, memoryBytes: number) {
    this.#path = path;
    this.#memoryBytes = memoryBytes;
    this.#room = new Uint8Array(Math.min(memoryBytes, FIRST_BYTES));
    this.#view = new DataView(this.#room.buffer);
  }

  /** Takes a record in; the bytes are copied. Waits only when a run has to be written. */
  add(key: number, record: Uint8Array): Promise<void> | undefined {
    if (this.#at + FRONT_BYTES + record.length > this.#room.length && !this.#grow(FRONT_BYTES + record.length)) {
      if (FRONT_BYTES + record.length > this.#memoryBytes)
        throw new RangeError(`wanted records of at most ${this.#memoryBytes} bytes, got ${record.length}`);
      const copy = record.slice();
      return this.#writeRun().then(() => this.#put(key, copy));
    }
    this.#put(key, record);
    return undefined;
  }

  /** Doubles the room, up to the memory allowed; false when that is not enough for so many bytes more. */
  #grow(bytes: number): boolean {
    const wanted = Math.min(this.#memoryBytes, Math.max(this.#room.length * 2, this.#at + bytes));
    if (wanted < this.#at + bytes) return false;
    const grown = new Uint8Array(wanted);
    grown.set(this.#room.subarray(0, this.#at));
    this.#room = grown;
    this.#view = new DataView(grown.buffer);
    return true;
  }

  #put(key: number, record: Uint8Array): void {
    this.#starts.push(this.#at);
    this.#view.setFloat64(this.#at, key, true);
    this.#view.setUint32(this.#at + 8, record.length, true);
    this.#room.set(record, this.#at + FRONT_BYTES);
    this.#at += FRONT_BYTES + record.length;
  }

  /** Every record in order, once. The bytes are valid until the next one is read. */
  async *sorted(): AsyncGenerator<Uint8Array, void> {
    if (this.#runs.length === 0) {
      for (const start of this.#order()) yield this.#recordAt(start);
      return;
    }
    if (this.#starts.length > 0) await this.#writeRun();
    while (this.#runs.length > MAX_FAN_IN) await this.#mergeSome();
    yield* this.#merge(this.#runs);
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
    await rm(this.#path, { force: true });
  }

  #order(): Uint32Array {
    const keys = Float64Array.from(this.#starts, (start) => this.#view.getFloat64(start, true));
    const order = Uint32Array.from(keys, (_, i) => i).sort((a, b) => keys[a] - keys[b] || a - b);
    const starts = this.#starts;
    return order.map((i) => starts[i]);
  }

  #recordAt(start: number): Uint8Array {
    const length = this.#view.getUint32(start + 8, true);
    return this.#room.subarray(start + FRONT_BYTES, start + FRONT_BYTES + length);
  }

  async #writeRun(): Promise<void> {
    const out = await this.#beginRun();
    for (const start of this.#order()) {
      const end = start + FRONT_BYTES + this.#view.getUint32(start + 8, true);
      await out.write(this.#room.subarray(start, end));
    }
    await this.#endRun(out);
    this.#starts = [];
    this.#at = 0;
  }

  async #beginRun(): Promise<StreamWriter> {
    this.#file ??= await open(this.#path, 'w+');
    return new StreamWriter(this.#file, this.#fileEnd, RUN_WRITE_BYTES);
  }

  async #endRun(out: StreamWriter): Promise<void> {
    await out.end();
    const run = { start: this.#fileEnd, end: this.#fileEnd + out.written };
    this.#runs.push(run);
    this.#fileEnd = run.end;
  }

  /** Merges the oldest runs into one. */
  async #mergeSome(): Promise<void> {
    const some = this.#runs.splice(0, MAX_FAN_IN);
    const out = await this.#beginRun();
    for await (const record of this.#merge(some, true)) await out.write(record);
    await this.#endRun(out);
    // The merged run holds the oldest records: it goes in front, so that equal keys stay in order.
    const merged = this.#runs.pop();
    if (merged !== undefined) this.#runs.unshift(merged);
  }

  async *#merge(runs: readonly Run[], withFront = false): AsyncGenerator<Uint8Array, void> {
    const file = this.#file as FileHandle;
    const readers = runs.map((run) => new RunReader(file, run));
    const heap = new MinHeap();
    // Keys are whole numbers below 2^53; runs with equal first keys come in their own order.
    const ties = new TieBreaker(heap, readers);
    for (const [i, reader] of readers.entries()) if (await reader.next()) ties.push(i);
    while (heap.size > 0) {
      const i = ties.pop();
      const reader = readers[i];
      yield withFront ? reader.whole() : reader.record();
      if (await reader.next()) ties.push(i);
    }
  }
}

/** Takes the reader with the smallest key, the first of several. */
class TieBreaker {
  readonly #heap: MinHeap;
  readonly #readers: readonly RunReader[];
  constructor(heap: MinHeap, readers: readonly RunReader[]) {
    this.#heap = heap;
    this.#readers = readers;
  }
  push(reader: number): void {
    this.#heap.push(this.#readers[reader].key, reader);
  }
  pop(): number {
    const key = this.#heap.firstKey;
    const same = [this.#heap.pop()];
    while (this.#heap.size > 0 && this.#heap.firstKey === key) same.push(this.#heap.pop());
    const first = Math.min(...same);
    for (const reader of same) if (reader !== first) this.push(reader);
    return first;
  }
}

interface Run {
  readonly start: number;
  readonly end: number;
}

class RunReader {
  key = 0;
  readonly #file: FileHandle;
  readonly #end: number;
  #next: number;
  #buffer = Buffer.alloc(READ_BYTES);
  #from = 0;
  #to = 0;
  #length = 0;

  constructor(file: FileHandle, { start, end }: Run) {
    this.#file = file;
    this.#next = start;
    this.#end = end;
  }

  /** Moves on to the next record; false at the end. */
  async next(): Promise<boolean> {
    this.#from += this.#length;
    this.#length = 0;
    if (this.#to - this.#from < FRONT_BYTES) await this.#fill(FRONT_BYTES);
    if (this.#to - this.#from < FRONT_BYTES) return false;
    this.key = this.#buffer.readDoubleLE(this.#from);
    this.#length = FRONT_BYTES + this.#buffer.readUInt32LE(this.#from + 8);
    if (this.#to - this.#from < this.#length) await this.#fill(this.#length);
    return true;
  }

  record(): Uint8Array {
    return this.#buffer.subarray(this.#from + FRONT_BYTES, this.#from + this.#length);
  }

  whole(): Uint8Array {
    return this.#buffer.subarray(this.#from, this.#from + this.#length);
  }

  async #fill(least: number): Promise<void> {
    const rest = this.#buffer.subarray(this.#from, this.#to);
    const room = least > this.#buffer.length ? Buffer.alloc(least * 2) : this.#buffer;
    room.set(rest);
    this.#buffer = room;
    this.#from = 0;
    this.#to = rest.length;
    while (this.#to < room.length && this.#next < this.#end) {
      const wanted = Math.min(room.length - this.#to, this.#end - this.#next);
      const { bytesRead } = await this.#file.read(room, this.#to, wanted, this.#next);
      if (bytesRead === 0) throw new Error('a file of sorted records ended early');
      this.#to += bytesRead;
      this.#next += bytesRead;
    }
  }
}
