import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { snappyUncompress, type Compressors } from 'hyparquet';

/** Bytes of one page of a column after decompression; writers make pages of about 1 MiB. */
const MAX_PAGE_BYTES = 268_435_456;

/** Node's own decoders; `outputLength` is what the page claims. */
export const PARQUET_COMPRESSORS: Compressors = {
  SNAPPY: (input, outputLength) => {
    const output = new Uint8Array(checked(outputLength));
    snappyUncompress(input, output);
    return output;
  },
  GZIP: (input, outputLength) => gunzipSync(input, { maxOutputLength: checked(outputLength) }),
  ZSTD: (input, outputLength) => zstdDecompressSync(input, { maxOutputLength: checked(outputLength) }),
  BROTLI: (input, outputLength) => brotliDecompressSync(input, { maxOutputLength: checked(outputLength) }),
};

function checked(length: number): number {
  if (length >= 0 && length <= MAX_PAGE_BYTES) return length;
  throw new Error(`wanted pages of at most ${MAX_PAGE_BYTES} bytes, got ${length}`);
}
