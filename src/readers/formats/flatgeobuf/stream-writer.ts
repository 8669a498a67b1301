import type { FileHandle } from 'node:fs/promises';

const WRITE_BYTES = 262_144;

/** Buffers what is written one after the other from a place on. */
export class StreamWriter {
  /** Bytes given to it so far. */
  written = 0;
  readonly #file: FileHandle;
  readonly #buffer: Uint8Array;
  #place: number;
  #used = 0;

  constructor(file: FileHandle, place: number, room = WRITE_BYTES) {
    this.#file = file;
    this.#place = place;
    this.#buffer = new Uint8Array(room);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#used + bytes.length > this.#buffer.length) await this.#flush();
    this.written += bytes.length;
    if (bytes.length > this.#buffer.length) {
      await writeAll(this.#file, bytes, this.#place);
      this.#place += bytes.length;
      return;
    }
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  async #flush(): Promise<void> {
    await writeAll(this.#file, this.#buffer.subarray(0, this.#used), this.#place);
    this.#place += this.#used;
    this.#used = 0;
  }

  end(): Promise<void> {
    return this.#flush();
  }
}

/** Writes all of it at a place. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}
