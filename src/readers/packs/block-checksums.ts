import { open, readFile, writeFile } from 'node:fs/promises';
import { crc32c } from '../../geo/crc32c.ts';
import { fileSource, type FileByteSource, type FileRun } from '../io/file-source.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import { FlatGeobufError } from '../formats/flatgeobuf/layout.ts';

/** Bytes of a file that one checksum covers; the pages in which local packs are read are of the same size. */
export const BLOCK_BYTES = 16_384;

/** The checksums of a file's blocks lie next to it: one little-endian CRC-32C a block, then one of all of these. */
export function checksumsFile(path: string): string {
  return `${path}.crc32c`;
}

/** Writes the checksums of a finished file. */
export async function writeBlockChecksums(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const count = Math.ceil(size / BLOCK_BYTES);
    const sums = new DataView(new ArrayBuffer(4 * (count + 1)));
    const block = new Uint8Array(BLOCK_BYTES);
    for (let i = 0; i < count; i++) {
      const { bytesRead } = await handle.read(block, 0, BLOCK_BYTES, i * BLOCK_BYTES);
      sums.setUint32(4 * i, crc32c(block.subarray(0, bytesRead)), true);
    }
    sums.setUint32(4 * count, crc32c(new Uint8Array(sums.buffer, 0, 4 * count)), true);
    await writeFile(checksumsFile(path), new Uint8Array(sums.buffer), { flush: true });
  } finally {
    await handle.close();
  }
}

/** The file of a dataset, checked block by block where it was written with checksums. */
export function datasetFile({ options }: Pick<Dataset, 'options'>, path: string): FileByteSource {
  const source = fileSource(path);
  return options['checksums'] === 'crc32c' ? checkedSource(source) : source;
}

/**
 * A file whose every byte is compared with the checksum of its block before it is given out; a block that differs is a
 * `FlatGeobufError`. Reads are widened to whole blocks.
 */
export function checkedSource(source: FileByteSource): FileByteSource {
  let sums: Promise<DataView> | null = null;
  const checksums = (): Promise<DataView> => {
    sums ??= readChecksums(source.id).catch((error: unknown) => {
      sums = null;
      throw error;
    });
    return sums;
  };

  const check = (known: DataView, offset: number, bytes: Uint8Array): void => {
    const block = offset / BLOCK_BYTES;
    const wanted = 4 * block + 8 <= known.byteLength ? known.getUint32(4 * block, true) : null;
    if (crc32c(bytes) !== wanted)
      throw new FlatGeobufError(
        source.id,
        `its bytes from ${offset} are not those that were written; the file is damaged`,
      );
  };

  return {
    ...source,
    async fetch(offset, length, options) {
      const stats = await source.stat(options);
      if (stats === null) return null;
      const from = offset - (offset % BLOCK_BYTES);
      const to = Math.min(stats.size, BLOCK_BYTES * Math.ceil((offset + length) / BLOCK_BYTES));
      // A range outside of the file is left to the file to refuse.
      if (to < offset + length) return source.fetch(offset, length, options);
      const [bytes, known] = await Promise.all([source.fetch(from, to - from, options), checksums()]);
      if (bytes === null) return null;
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES)
        check(known, from + at, bytes.subarray(at, Math.min(bytes.length, at + BLOCK_BYTES)));
      return bytes.subarray(offset - from, offset - from + length);
    },
    async fetchInto(runs, options) {
      const [isThere, known] = await Promise.all([source.fetchInto(runs, options), checksums()]);
      if (isThere) for (const run of runs) checkRun(run, (offset, bytes) => check(known, offset, bytes));
      return isThere;
    },
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

/** Buffers of a run are pages of the file, each one block. */
function checkRun({ offset, into }: FileRun, check: (offset: number, bytes: Uint8Array) => void): void {
  let at = offset;
  for (const page of into) {
    check(at, page);
    at += page.byteLength;
  }
}

async function readChecksums(path: string): Promise<DataView> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(checksumsFile(path));
  } catch (error) {
    throw new FlatGeobufError(path, `its checksums cannot be read (${(error as Error).message})`, { cause: error });
  }
  const sums = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const last = bytes.length - 4;
  if (last < 0 || last % 4 !== 0 || crc32c(bytes.subarray(0, last)) !== sums.getUint32(last, true))
    throw new FlatGeobufError(path, 'the file of its checksums is damaged');
  return sums;
}
