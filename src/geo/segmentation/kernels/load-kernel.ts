/** What is used of the global; its types come only with those of a browser. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** A new instance, with memory of its own, of a WebAssembly module that imports nothing; `K` is what it exports. */
export function loadKernel<K>(base64: string): K {
  return new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(base64, 'base64'))).exports as K;
}
