/** A piece of land as a cadastre records it. */
export interface Parcel {
  /** As the cadastre writes it. */
  readonly id: string;
  /** Polygons of exterior ring and holes, flat `[lon0, lat0, ...]`, closed, degrees on WGS84, in either direction. */
  readonly polygons: readonly (readonly Float64Array[])[];
  /** What else the cadastre says of it, as JSON. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Which dataset an answer came from: the receipt. */
interface ParcelDataset {
  readonly id: string;
  readonly version: string;
  /** True for generated data that describes no real place. */
  readonly synthetic: boolean;
}

/** What a source holds around a place. */
export interface ParcelsAt {
  /** Every parcel that may hold the place, in an order that does not change. */
  readonly parcels: readonly Parcel[];
  /** Whether there were more than were read. */
  readonly isCut: boolean;
  /** Version of the data where it is not that of the dataset, as with a service: the day it was queried. */
  readonly version?: string;
  /** When a service gave it, ISO 8601 in UTC. */
  readonly retrievedAt?: string;
  /** A sentence when the answer was kept from before. */
  readonly note?: string;
}

/** A cadastre of one jurisdiction. */
export interface ParcelSource {
  readonly dataset: ParcelDataset;
  /** Such as `CA-BC` or `US-WI-025`. */
  readonly jurisdiction: string;
  /** Whether a place in degrees lies in its footprint: the ground it knows every parcel of. */
  covers(lon: number, lat: number): boolean;
  /** A throw means that it is broken or was not reached in time; a `Problem` says why in words for clients. */
  near(lon: number, lat: number, signal: AbortSignal): Promise<ParcelsAt>;
}
