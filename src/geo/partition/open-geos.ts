import type initGeos from 'geos-wasm';

export type Geos = Awaited<ReturnType<typeof initGeos>>;

let opened: Promise<Geos> | null = null;

/** Loads and opens GEOS once for the thread. */
export function openGeos(): Promise<Geos> {
  opened ??= open().catch((error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}

/** Imported by the first call: its text is 2.6 MB, in every thread that has it. */
async function open(): Promise<Geos> {
  const { default: init } = await import('geos-wasm');
  return init();
}
