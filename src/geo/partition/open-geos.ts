import initGeos from 'geos-wasm';

export type Geos = Awaited<ReturnType<typeof initGeos>>;

let opened: Promise<Geos> | null = null;

/** Opens GEOS once for the thread. */
export function openGeos(): Promise<Geos> {
  opened ??= initGeos().catch((error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}
