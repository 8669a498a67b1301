import { INTERLEAVE_KERNEL_WASM } from './interleave-kernel.wasm.ts';

/** WebAssembly memory that several threads see at once. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
}

/** `interleave-kernel.as`, at work in one memory. Addresses are bytes from its beginning. */
export interface InterleaveKernel {
  /** A row of pixels from 64 planes, `stride` bytes apart, to 64 codes a pixel; up to 15 pixels more are read and written. */
  readonly interleaveRow: (from: number, stride: number, pixels: number, out: number) => void;
  /** 1 when any of so many bytes, a multiple of 16, is not -128. */
  readonly holdsData: (at: number, bytes: number) => number;
}

/** What is used of the global; its types come only with those of a browser. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => SharedMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

const PAGE_BYTES = 65_536;
const module = new WebAssembly.Module(Buffer.from(INTERLEAVE_KERNEL_WASM, 'base64'));

/** Memory of at least so many bytes, all 0. */
export function createSharedMemory(bytes: number): SharedMemory {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}

/** An instance for this thread. */
export function openInterleaveKernel(memory: SharedMemory): InterleaveKernel {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as InterleaveKernel;
}
