import { join, resolve } from 'node:path';
import type { Answer, FacilitySources, MaybeAnswer, Nearby, Surface, Whereabouts } from '../../facilities/sources.ts';
import type { LonLat, Shape } from '../../geo/shapes/shape.ts';
import type { Log } from '../../log.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import { openPack, type Pack, packArray } from '../packs/pack-file.ts';
import { builtInDatasets, type BuiltInDatasets } from './built-in-datasets.ts';
import { openCountries, type Countries } from './countries.ts';
import { mayBeDisputed, withDispute } from './disputed-territories.ts';
import { createUniformCells, type UniformCells } from './uniform-cells.ts';
import { countryCode } from './country-code.ts';
import { obtainPacks } from './obtain-packs.ts';
import { PACK_NAMES, type PackName } from './build/source-packages.ts';
import { openPlaces, type Places } from './places.ts';
import { openSettlements } from './settlements.ts';
import { openWater, type Water } from './water.ts';
import { distanceToShapeM } from '../../geo/shapes/distance-to-shape.ts';
import { createHits } from '../../geo/packed-tree.ts';
import { openPoints, pointsAround } from '../../geo/shapes/point-set.ts';
import { PORT_KINDS, PORT_SCALE, type PortsMeta } from './build/build-ports.ts';
import { textAt } from './pack-arrays.ts';

/** Where the installation puts the packs; a checkout that was not installed has none. */
export const SHIPPED_PACKS: string = resolve(import.meta.dirname, '../../../dist/packs');

/** A reader over a pack that is read at the first question, and may have to be built before. */
class Later<T> {
  readonly #pack: () => Pack | Promise<Pack>;
  readonly #open: (pack: Pack) => T;
  #opening: Promise<T> | null = null;
  #reader: T | null = null;

  constructor(pack: () => Pack | Promise<Pack>, open: (pack: Pack) => T) {
    this.#pack = pack;
    this.#open = open;
  }

  /** Resolves when the reader is open, which it is from then on. */
  get ready(): Promise<void> {
    return Promise.resolve(this.use(() => undefined));
  }

  /** Queries the reader at once when it is open, else as soon as it is. */
  use<R>(query: (reader: T) => R): R | Promise<Awaited<R>> {
    if (this.#reader !== null) return query(this.#reader);
    if (this.#opening !== null) return this.#opening.then(query) as Promise<Awaited<R>>;
    const pack = this.#pack();
    if (!(pack instanceof Promise)) return query((this.#reader = this.#open(pack)));
    const opening = pack.then((there) => (this.#reader = this.#open(there)));
    this.#opening = opening;
    // The next query tries again; a lack of callers is no reason to end the process.
    opening.catch(() => (this.#opening = null));
    return opening.then(query) as Promise<Awaited<R>>;
  }
}

/** The questions of the facility checks that the built-in data answers. */
type BuiltInSources = Pick<
  FacilitySources,
  'whereabouts' | 'countryCode' | 'nearestWater' | 'nearestPort' | 'density'
> &
  Required<Pick<FacilitySources, 'surface'>>;

/** The bytes of every pack, to be handed to another thread; nothing is copied. */
export type SharedPacks = Readonly<Record<PackName, SharedArrayBuffer>>;

export interface BuiltIn {
  /** Answers at once when the data was read, else with a promise that waits for the pack it needs and no other. */
  readonly sources: BuiltInSources;
  /** Names of places. */
  readonly places: Pick<Later<Places>, 'use' | 'ready'>;
  /** The datasets as the catalogue lists them. */
  readonly datasets: readonly Dataset[];
  /** Resolves when every pack can be read, with none of them read for that; rejects when one cannot be built. */
  readonly present: Promise<void>;
  /** Reads a pack; rejects when it can be neither read nor built. */
  ready(name: PackName): Promise<void>;
  /** Reads all packs. */
  share(): Promise<SharedPacks>;
  /** Stops packing that is still going on. */
  close(): Promise<void>;
}

interface BuiltInOptions {
  /** Packs that did not come with the installation are kept in its folder `packs`. */
  readonly dataDir: string;
  /** Folder of the packs of the installation; null: all are built. Default `SHIPPED_PACKS`. */
  readonly shipped?: string | null;
  readonly log: Log;
  /** Stops packing that is still going on. */
  readonly signal: AbortSignal;
}

/**
 * Opens the data that ships with the service. What is not packed yet is packed meanwhile; returns without waiting for it. Each pack is
 * read at the first question that needs it.
 */
export function openBuiltIn({ dataDir, shipped = SHIPPED_PACKS, log, signal }: BuiltInOptions): Promise<BuiltIn> {
  const closing = new AbortController();
  const packs = obtainPacks({
    folder: join(dataDir, 'packs'),
    shipped,
    log,
    signal: AbortSignal.any([signal, closing.signal]),
  });
  const close = async (): Promise<void> => {
    closing.abort(new Error('The built-in data was closed'));
    await packs.finished();
  };
  return Promise.resolve(createBuiltIn(packs, close));
}

/** Opens, in another thread, the packs that `share` gave. */
export function openShared(shared: SharedPacks): BuiltIn {
  const packs = Object.fromEntries(PACK_NAMES.map((name) => [name, openPack(shared[name])])) as Record<PackName, Pack>;
  return createBuiltIn({ pack: (name) => packs[name], present: Promise.resolve() }, () => Promise.resolve());
}

interface PackSource {
  pack(name: PackName): Pack | Promise<Pack>;
  readonly present: Promise<void>;
}

function createBuiltIn(packs: PackSource, close: () => Promise<void>): BuiltIn {
  const datasets = builtInDatasets();
  const countries = new Later(
    () => packs.pack('countries'),
    (pack) => withCells(openCountries(pack), datasets, answer),
  );
  const water = new Later(() => packs.pack('water'), openWater);
  const ports = new Later(() => packs.pack('ports'), openPorts);
  const settlements = new Later(() => packs.pack('settlements'), openSettlements);
  const places = new Later(() => packs.pack('places'), openPlaces);
  const answer = <T>(dataset: Dataset, value: T): Answer<T> => ({
    dataset: refs.get(dataset) ?? refOf(dataset),
    value,
  });
  const refs = new Map(Object.values(datasets).map((dataset) => [dataset, refOf(dataset)] as const));
  return {
    sources: {
      countryCode,
      whereabouts: (at) => countries.use((open) => whereabouts(open, water, at, datasets, answer)),
      surface: (at) => countries.use((open) => surface(open, water, at, datasets, answer)),
      nearestWater: (shape, withinM) => water.use((open) => nearestWater(open, shape, withinM, datasets, answer)),
      nearestPort: (shape, withinM) =>
        ports.use((open) => answer<Nearby | null>(datasets.ports, open.nearest(shape, withinM))),
      density: (shape) => settlements.use((open) => answer(datasets.settlements, open.density(shape))),
    },
    places,
    datasets: Object.values(datasets),
    present: packs.present,
    ready: (name) => ({ countries, settlements, water, ports, places })[name].ready,
    async share() {
      const entries = PACK_NAMES.map(async (name) => [name, (await packs.pack(name)).buffer] as const);
      return Object.fromEntries(await Promise.all(entries)) as SharedPacks;
    },
    close,
  };
}

/** Most places lie in the middle of a country, where all places around have the same answer. */
type CountriesAndCells = Countries & { readonly cells: UniformCells<Answer<Whereabouts>> };

function withCells(countries: Countries, { land }: BuiltInDatasets, answer: Answerer): CountriesAndCells {
  const cells = createUniformCells((box) => {
    const all = countries.inside(box);
    return all === null || (all.country !== null && mayBeDisputed(box, all.country.iso2)) ? null : answer(land, all);
  });
  return { ...countries, cells };
}

type Answerer = <T>(dataset: Dataset, value: T) => Answer<T>;

function refOf({ id, version, synthetic }: Dataset): Answer<unknown>['dataset'] {
  return { id, version, synthetic };
}

function whereabouts(
  countries: CountriesAndCells,
  water: Later<Water>,
  at: LonLat,
  { land, borders }: BuiltInDatasets,
  answer: Answerer,
): MaybeAnswer<Whereabouts> {
  const [lon, lat] = at;
  const known = countries.cells.at(lon, lat);
  if (known !== null) return known;
  if (countries.landAt(lon, lat) !== null)
    return answer(
      land,
      withDispute(
        at,
        countries.whereabouts(at, () => false),
      ),
    );
  // Off the outlines of the land only the water distinguishes a lake between countries from the open sea.
  return water.use((open) =>
    answer(
      borders,
      withDispute(
        at,
        countries.whereabouts(at, (x, y) => open.isInland(x, y)),
      ),
    ),
  );
}

/** Metres by which the outlines of water may be off, the finer and the coarse ones. */
const OUTLINE_M = { fine: 250, coarse: 4_000 } as const;

function surface(
  countries: Countries,
  water: Later<Water>,
  [lon, lat]: LonLat,
  datasets: BuiltInDatasets,
  answer: Answerer,
): MaybeAnswer<Surface> {
  return water.use((open): Answer<Surface> => {
    const area = open.areaAt(lon, lat);
    if (area !== null) {
      const outlineM = area.coarse ? OUTLINE_M.coarse : OUTLINE_M.fine;
      return answer(area.coarse ? datasets.coarseWater : datasets.water, { water: area.kind, outlineM });
    }
    const isLand = countries.landAt(lon, lat) !== null;
    return answer(datasets.land, { water: isLand ? null : 'sea', outlineM: OUTLINE_M.fine });
  });
}

function nearestWater(
  water: Water,
  shape: Shape,
  withinM: number,
  datasets: BuiltInDatasets,
  answer: Answerer,
): Answer<Nearby | null> {
  const found = water.nearest(shape, withinM);
  return answer(found?.coarse === true ? datasets.coarseWater : datasets.water, found?.nearby ?? null);
}

/** Answers which port is near. Not to be used by two threads at once. */
interface Ports {
  /** The nearest port within so many metres; the first in the pack among equals. */
  nearest(shape: Shape, withinM: number): Nearby | null;
}

function openPorts(pack: Pack): Ports {
  const { count } = pack.header.meta as PortsMeta;
  const points = openPoints(packArray(pack, 'boxes', 'Int32Array'), count, PORT_SCALE);
  const kinds = packArray(pack, 'kinds', 'Uint8Array');
  const names = {
    offsets: packArray(pack, 'nameOffsets', 'Uint32Array'),
    bytes: packArray(pack, 'nameBytes', 'Uint8Array'),
  };
  const hits = createHits();
  const { boxes } = points.tree;
  return {
    nearest(shape, withinM) {
      pointsAround(points, shape.bbox, withinM, hits);
      let nearest = -1;
      let distanceM = withinM;
      for (let i = 0; i < hits.count; i++) {
        const id = hits.ids[i];
        const d = distanceToShapeM(shape, boxes[id * 4] / PORT_SCALE, boxes[id * 4 + 1] / PORT_SCALE, distanceM);
        if (d > distanceM || (d === distanceM && nearest >= 0 && nearest < id)) continue;
        distanceM = d;
        nearest = id;
      }
      return nearest < 0 ? null : { distanceM, name: textAt(names, nearest), kind: PORT_KINDS[kinds[nearest]] };
    },
  };
}
