import type { GeocodeAnswer, GeocodeQuery } from '../locations/sources.ts';

/** A service on the network that finds places by their address. */
export interface LiveGeocoder {
  /** How messages call it. */
  readonly name: string;
  /** Null: it knows no such place. Rejects with `Problem` when it fails. */
  ask(query: GeocodeQuery, signal: AbortSignal): Promise<GeocodeAnswer | null>;
}
