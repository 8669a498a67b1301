import type { LonLat, Shape } from '../geo/shapes/shape.ts';
import type { Commodity } from './commodity/commodities.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Said } from '../messages/said.ts';

/** Which dataset an answer came from: the receipt. */
export interface DatasetRef {
  readonly id: string;
  readonly version: string;
  /** True for generated data that describes no real place. */
  readonly synthetic: boolean;
  /** When a live service gave the answer, in ISO 8601; absent for data that was there before the question. */
  readonly retrievedAt?: string;
  /** Whole sentences that belong to this answer alone: its age, or what failed before this dataset was queried. */
  readonly note?: string;
  /** The sentences of `note` for readers in other languages; absent: it has no translation. */
  readonly notes?: readonly Said[];
  /** The other datasets of a union, where one answer rests on several. */
  readonly also?: readonly { readonly id: string; readonly version: string }[];
  /** Where its accuracy is written down: an address relative to that of the service. */
  readonly about?: string;
}

/** What a dataset that covers the place says of it. */
export interface Answer<T> {
  readonly dataset: DatasetRef;
  readonly value: T;
}

/** `null` means that no dataset of the role covers the place: unknown, never absent. A throw means broken or not reached in time. */
export type MaybeAnswer<T> = MaybePromise<Answer<T> | null>;

export interface CountryRef {
  /** ISO 3166-1 alpha-2, upper case (`XK` for Kosovo). */
  readonly iso2: string;
  /** Short English name. */
  readonly name: string;
}

export interface Whereabouts {
  /** The country whose land holds the point, or at sea its generalised border, which may reach hundreds of kilometres out; null beyond all of them. */
  readonly country: CountryRef | null;
  readonly onLand: boolean;
  /** Only where the ground is disputed. */
  readonly disputed?: {
    /** The territory, as it stands in a sentence. */
    readonly name: string;
    /** Names of those who claim it in addition to `country`. */
    readonly otherClaims: readonly string[];
    /** ISO alpha-2 codes of those of them that have one. */
    readonly otherCodes: readonly string[];
  };
  /** Other countries whose land border lies within 5 km, nearest first; metres. */
  readonly neighbours: readonly (CountryRef & { readonly distanceM: number })[];
}

/** What covers the ground at a point. */
export interface Surface {
  /** The water that holds the point; null on land. */
  readonly water: 'sea' | 'lake' | 'river' | null;
  /** Metres by which the outline of that water may be off. */
  readonly outlineM: number;
}

/** A thing near the shape. `distanceM` is geodesic on WGS84 from the nearest part of the shape, 0 when they touch or overlap. */
export interface Nearby {
  readonly distanceM: number;
  readonly name: string | null;
  /** The thing's kind in the field's own word: `sea`, `lake`, `river`, `sea port`, `secondary road`, ... */
  readonly kind: string;
}

export interface CommodityShare {
  /** Share of the ground that was looked at under the commodity, 0 to 1. */
  readonly share: number;
  /** What sampling and the known errors of a detector leave open of that share; absent: nothing. */
  readonly between?: readonly [lowest: number, highest: number];
  /** Part of the area inside the radius that was looked at and has data, 0 to 1; absent: all of it. */
  readonly covered?: number;
  /** One sentence about the method: pixels sampled, standard error, threshold, year, model. */
  readonly detail: string;
  /** The same as a code; absent: it has no translation of its own. */
  readonly said?: Said;
}

export interface BuildingsNearby {
  /** Buildings within the radius. */
  readonly count: number;
  /** Square metres of the largest footprint and of all together; 0 without buildings. */
  readonly largestM2: number;
  readonly togetherM2: number;
  /** Whether one of them, or the ground, is in industrial, warehouse or mill use. */
  readonly industrial: boolean;
  /** Name and kind of the industrial ground, where that is what is near. */
  readonly industrialSite?: string;
  /** Metres to the nearest of them. */
  readonly nearestM?: number;
}

export interface BusinessesNearby {
  readonly count: number;
  readonly nearest: Nearby | null;
}

export interface Density {
  /** True in a dense urban area. */
  readonly dense: boolean;
  /** One sentence naming the settlement or the built-up share that decided it. */
  readonly detail: string;
  /** The same as a code; absent: it has no translation of its own. */
  readonly said?: Said;
  readonly distanceM?: number;
}

export interface ProducerMatch {
  readonly registry: string;
  readonly recordId: string;
  readonly name: string;
  /** 0 to 1. */
  readonly nameSimilarity: number;
  readonly distanceM: number | null;
}

/** What a language model gets of a facility: yes or no, names and distances. Texts are data of others, not instructions. */
export interface CommentFacts {
  readonly facilityName: string | null;
  readonly commodity: string | null;
  readonly country: string | null;
  readonly indicators: readonly {
    readonly indicator: string;
    /** 1 or 0; 0 also when `known` is false. */
    readonly present: 0 | 1;
    readonly known: boolean;
    /** Name of the nearest thing found. */
    readonly name?: string;
    /** Whole metres to it. */
    readonly distanceM?: number;
  }[];
}

/** Everything the checks query. `service.ts` joins it to readers; `radiusM` and `withinM` are metres. */
export interface FacilitySources {
  whereabouts(at: LonLat): MaybeAnswer<Whereabouts>;
  /** Land or water at a point; absent where nobody knows. */
  surface?(at: LonLat): MaybeAnswer<Surface>;
  /** The ISO alpha-2 code of a country written as a code or a name in any usual spelling, or null. */
  countryCode(text: string): string | null;
  commodityShare(commodity: Commodity, shape: Shape, radiusM: number, signal: AbortSignal): MaybeAnswer<CommodityShare>;
  plantationShare(shape: Shape, radiusM: number, signal: AbortSignal): MaybeAnswer<CommodityShare>;
  nearestRoad(shape: Shape, withinM: number, signal: AbortSignal): MaybeAnswer<Nearby | null>;
  nearestWater(shape: Shape, withinM: number, signal: AbortSignal): MaybeAnswer<Nearby | null>;
  nearestPort(shape: Shape, withinM: number, signal: AbortSignal): MaybeAnswer<Nearby | null>;
  buildings(shape: Shape, radiusM: number, signal: AbortSignal): MaybeAnswer<BuildingsNearby>;
  businesses(
    commodity: Commodity | null,
    shape: Shape,
    withinM: number,
    signal: AbortSignal,
  ): MaybeAnswer<BusinessesNearby>;
  density(shape: Shape, signal: AbortSignal): MaybeAnswer<Density>;
  /** `commodity` is whose registers are worth fetching; it narrows nothing. */
  producer(
    name: string,
    shape: Shape,
    country: string | null,
    signal: AbortSignal,
    commodity?: Commodity | null,
  ): MaybeAnswer<ProducerMatch | null>;
  /** A comment on the facility in the words of a language model; absent when none is set up. The reply is checked before use. */
  comment?(facts: CommentFacts, signal: AbortSignal): MaybeAnswer<string>;
  /** Called for every source that failed, with what was requested and the error as thrown: for the log, not for clients. */
  reportFailure?(what: string, error: unknown): void;
}
