import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadKernel } from '../../../../geo/segmentation/kernels/load-kernel.ts';

/** What is called of the subsetter of HarfBuzz, which is compiled to WebAssembly. Pointers are numbers. */
interface Subsetter {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
  malloc(size: number): number;
  free(at: number): void;
  hb_blob_create(at: number, size: number, mode: number, data: number, destroy: number): number;
  hb_blob_destroy(blob: number): void;
  hb_blob_get_data(blob: number, length: number): number;
  hb_blob_get_length(blob: number): number;
  hb_face_create(blob: number, index: number): number;
  hb_face_destroy(face: number): void;
  hb_face_reference_blob(face: number): number;
  hb_subset_input_create_or_fail(): number;
  hb_subset_input_destroy(input: number): void;
  hb_subset_input_keep_everything(input: number): void;
  hb_subset_input_pin_axis_location(input: number, face: number, tag: number, value: number): number;
  hb_subset_or_fail(face: number, input: number): number;
}

/** The tag `wght` as a number. */
const WEIGHT = 0x77676874;
/** HB_MEMORY_MODE_READONLY. */
const READ_ONLY = 1;

let loaded: Subsetter | null = null;

/** A font of one weight made of a font of variable weight. Throws where HarfBuzz reads no font. */
export function pinWeight(sfnt: Uint8Array, weight: number): Buffer {
  loaded ??= load();
  const hb = loaded;
  const at = hb.malloc(sfnt.length);
  new Uint8Array(hb.memory.buffer).set(sfnt, at);
  const blob = hb.hb_blob_create(at, sfnt.length, READ_ONLY, 0, 0);
  const face = hb.hb_face_create(blob, 0);
  const input = hb.hb_subset_input_create_or_fail();
  try {
    hb.hb_subset_input_keep_everything(input);
    hb.hb_subset_input_pin_axis_location(input, face, WEIGHT, weight);
    const pinned = hb.hb_subset_or_fail(face, input);
    if (pinned === 0) throw new Error('HarfBuzz could not read the font');
    const result = hb.hb_face_reference_blob(pinned);
    const from = hb.hb_blob_get_data(result, 0);
    const bytes = Buffer.from(new Uint8Array(hb.memory.buffer).slice(from, from + hb.hb_blob_get_length(result)));
    hb.hb_blob_destroy(result);
    hb.hb_face_destroy(pinned);
    return bytes;
  } finally {
    hb.hb_subset_input_destroy(input);
    hb.hb_face_destroy(face);
    hb.hb_blob_destroy(blob);
    hb.free(at);
  }
}

function load(): Subsetter {
  const file = fileURLToPath(import.meta.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'));
  const hb = loadKernel<Subsetter>(readFileSync(file).toString('base64'));
  hb._initialize();
  return hb;
}
