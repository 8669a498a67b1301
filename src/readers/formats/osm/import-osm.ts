import { join } from 'node:path';
import { polygonArea } from '../../../geo/rings/polygon-area.ts';
import { insidePoint } from '../../../geo/rings/inside-point.ts';
import type { Bbox } from '../../../geo/shapes/shape.ts';
import type { ColumnValue, FlatGeometry } from '../flatgeobuf/encode-feature.ts';
import type { FeatureSink, ThemeFeature } from '../../themes/themes.ts';
import { assembleRings, isClosed, type Polygons } from './assemble-rings.ts';
import { classify, THEME_KEYS, type Classified } from './classify.ts';
import { decodeBlock, type Member, type OsmVisitor, type Tags } from './decode-block.ts';
import { IdSet, WayStore } from './way-store.ts';
import { NodeLocations, type NodePlace } from './node-locations.ts';
import { decoding, OsmFileError, readBlobs } from './read-blobs.ts';
import { round } from '../../../geo/round.ts';
import { fieldTag, ProtobufReader } from './protobuf.ts';

const FEATURES = new Set(['OsmSchema-V0.6', 'DenseNodes']);

interface OsmImportOptions {
  /** A folder for files that are gone when the import is. */
  readonly scratch: string;
  readonly sink: FeatureSink;
  /** Bytes read of all that will be; the file is read twice. */
  readonly onProgress: (bytes: number) => void;
  readonly signal: AbortSignal;
}

export interface OsmImport {
  /** The box the file was cut from, where it says. */
  readonly bbox: Bbox | null;
  /** Seconds since 1970 of the last change in the file, or of the copy it was cut from. */
  readonly changedAt: number;
  readonly nodes: number;
  readonly ways: number;
  readonly relations: number;
  /** Areas that could not be closed, most of them cut off by the edge of the file. */
  readonly openAreas: number;
}

/** Memory for the places of nodes. */
const LOCATION_BYTES = 67_108_864;

/**
 * Reads an `.osm.pbf` file and hands out everything that belongs to a theme. Twice: first nodes and the list of ways that areas are put
 * together from, then ways and relations. Memory does not depend on the file: places of nodes and lines of those ways
 * wait in files.
 */
export async function importOsm(path: string, options: OsmImportOptions): Promise<OsmImport> {
  const places = new NodeLocations(join(options.scratch, 'nodes'), path, LOCATION_BYTES);
  const wayStore = new WayStore(join(options.scratch, 'ways'));
  try {
    return await new Import(path, options, places, wayStore).run();
  } finally {
    places.close();
    wayStore.close();
  }
}

class Import {
  readonly #path: string;
  readonly #options: OsmImportOptions;
  readonly #places: NodeLocations;
  readonly #wayStore: WayStore;
  /** Ways that a relation of some theme is put together from. */
  readonly #members = new IdSet();
  /** Features of the block in hand. */
  readonly #waiting: ThemeFeature[] = [];
  readonly #place: NodePlace = { lon: 0, lat: 0 };
  #bbox: Bbox | null = null;
  #changedAt = 0;
  #nodes = 0;
  #ways = 0;
  #relations = 0;
  #openAreas = 0;

  constructor(path: string, options: OsmImportOptions, places: NodeLocations, wayStore: WayStore) {
    this.#path = path;
    this.#options = options;
    this.#places = places;
    this.#wayStore = wayStore;
  }

  async run(): Promise<OsmImport> {
    const changed = (seconds: number): void => {
      if (seconds > this.#changedAt) this.#changedAt = seconds;
    };
    await this.#pass({
      changed,
      node: (id, lon, lat, tags) => this.#node(id, lon, lat, tags),
      relation: (_, members, tags) => this.#noteMembers(members, tags),
    });
    this.#places.finish();
    await this.#pass({
      changed,
      way: (id, nodes, tags) => this.#way(id, nodes, tags),
      relation: (id, members, tags) => this.#relation(id, members, tags),
    });
    return {
      bbox: this.#bbox,
      changedAt: this.#changedAt,
      nodes: this.#nodes,
      ways: this.#ways,
      relations: this.#relations,
      openAreas: this.#openAreas,
    };
  }

  async #pass(visitor: OsmVisitor): Promise<void> {
    const { sink, signal, onProgress } = this.#options;
    let before = 0;
    let sawHeader = false;
    for await (const { type, bytes, end } of readBlobs(this.#path, signal)) {
      if (type === 'OSMHeader') {
        sawHeader = true;
        this.#readHeader(bytes);
      } else if (type === 'OSMData') {
        if (!sawHeader) throw new OsmFileError(this.#path, 'the file does not begin with a header; it may be damaged');
        decoding(this.#path, () => decodeBlock(bytes, visitor));
        for (const feature of this.#waiting) {
          const wait = sink(feature);
          if (wait !== undefined) await wait;
        }
        this.#waiting.length = 0;
      }
      onProgress(end - before);
      before = end;
    }
    if (!sawHeader) throw new OsmFileError(this.#path, 'wanted an .osm.pbf file, got an empty one');
  }

  #readHeader(bytes: Uint8Array): void {
    const { bbox, replicatedAt } = decoding(this.#path, () => decodeOsmHeader(this.#path, bytes));
    this.#bbox = bbox;
    this.#changedAt = Math.max(this.#changedAt, replicatedAt ?? 0);
  }

  #node(id: number, lon: number, lat: number, tags: Tags | null): void {
    this.#nodes++;
    if (!(Math.abs(lon) <= 180 && Math.abs(lat) <= 90)) return;
    this.#places.add(id, lon, lat);
    if (tags === null || !mayMatter(tags)) return;
    for (const found of classify(tags))
      if (found.drawing === 'as-is' || found.drawing === 'point')
        this.#emit(`node/${id}`, { type: 'point', lon, lat }, found);
  }

  #noteMembers(members: readonly Member[], tags: Tags): void {
    if (!isArea(tags) || !mayMatter(tags) || classify(tags).length === 0) return;
    for (const { type, id } of members) if (type === 'way') this.#members.add(id);
  }

  #way(id: number, nodes: readonly number[], tags: Tags): void {
    this.#ways++;
    const isMember = this.#members.has(id);
    const found = mayMatter(tags) ? classify(tags) : [];
    if (found.length === 0 && !isMember) return;
    const { lines, whole } = this.#linesOf(nodes);
    if (isMember && whole && lines.length === 1) this.#wayStore.add(id, lines[0]);
    if (lines.length === 0) return;
    for (const one of found) this.#draw(`way/${id}`, lines, whole, one);
  }

  /** The parts of a way whose nodes are in the file, rounded to 1e-7 degree as they are stored. */
  #linesOf(nodes: readonly number[]): { readonly lines: Float64Array[]; readonly whole: boolean } {
    const lines: Float64Array[] = [];
    let part: number[] = [];
    let whole = true;
    const end = (): void => {
      if (part.length >= 4) lines.push(Float64Array.from(part));
      part = [];
    };
    for (const node of nodes) {
      if (this.#places.find(node, this.#place)) part.push(this.#place.lon, this.#place.lat);
      else {
        whole = false;
        end();
      }
    }
    end();
    return { lines, whole };
  }

  #draw(source: string, lines: readonly Float64Array[], whole: boolean, found: Classified): void {
    const [line] = lines;
    const isRing = whole && lines.length === 1 && line.length >= 8 && isClosed(line);
    if (found.drawing === 'line' || (found.drawing === 'as-is' && !isRing)) {
      const geometry: FlatGeometry =
        lines.length === 1 ? { type: 'lineString', line } : { type: 'multiLineString', lines };
      this.#emit(source, geometry, found);
    } else if (isRing) this.#emitArea(source, [[line]], found);
    else if (found.drawing === 'point') this.#emit(source, { type: 'point', lon: line[0], lat: line[1] }, found);
    else this.#openAreas++;
  }

  #relation(id: number, members: readonly Member[], tags: Tags): void {
    this.#relations++;
    if (!isArea(tags) || !mayMatter(tags)) return;
    const found = classify(tags).filter(({ drawing }) => drawing !== 'line');
    if (found.length === 0) return;
    const lines = members.flatMap((member) => {
      const line = member.type === 'way' ? this.#wayStore.find(member.id) : null;
      return line === null ? [] : [line];
    });
    const ways = members.filter(({ type }) => type === 'way').length;
    const polygons = lines.length === ways ? assembleRings(lines) : null;
    if (polygons === null) this.#openAreas++;
    else for (const one of found) this.#emitArea(`relation/${id}`, polygons, one);
  }

  #emitArea(source: string, polygons: Polygons, found: Classified): void {
    if (found.drawing === 'point') {
      const [lon, lat] = insidePoint(polygons[0]);
      this.#emit(source, { type: 'point', lon, lat }, found);
      return;
    }
    const geometry: FlatGeometry =
      polygons.length === 1 ? { type: 'polygon', rings: polygons[0] } : { type: 'multiPolygon', polygons };
    const area = polygons.reduce((sum, rings) => sum + polygonArea(rings).area, 0);
    this.#emit(source, geometry, found.theme === 'buildings' ? withArea(found, area) : found);
  }

  #emit(source: string, geometry: FlatGeometry, { theme, values }: Classified): void {
    this.#waiting.push({ theme, geometry, values: [source, ...values] });
  }
}

/** The last value of a building is its footprint. */
function withArea(found: Classified, area: number): Classified {
  const values: ColumnValue[] = [...found.values];
  values[values.length - 1] = round(area, 2);
  return { ...found, values };
}

function isArea(tags: Tags): boolean {
  const type = tags.get('type');
  return type === 'multipolygon' || type === 'boundary';
}

function mayMatter(tags: Tags): boolean {
  for (const [key] of tags.entries()) if (THEME_KEYS.has(key)) return true;
  return false;
}

/** What a PBF file says of itself. */
interface OsmHeader {
  /** The box it was cut from; null where the writer did not say. */
  readonly bbox: Bbox | null;
  /** Time of the data in seconds since 1970; null where the writer did not say. */
  readonly replicatedAt: number | null;
}

/** Reads the header piece; throws for a file that needs what is not read here, such as one with history. */
function decodeOsmHeader(place: string, bytes: Uint8Array): OsmHeader {
  const reader = new ProtobufReader(bytes);
  let bbox: Bbox | null = null;
  let replicatedAt: number | null = null;
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === fieldTag(1, 2)) bbox = readBox(reader.message());
    else if (tag === fieldTag(32, 0)) replicatedAt = reader.varint();
    else if (tag === fieldTag(4, 2)) {
      const feature = new TextDecoder().decode(reader.data());
      if (!FEATURES.has(feature))
        throw new OsmFileError(
          place,
          `the file needs "${feature}", which is not read; wanted a plain extract without history`,
        );
    } else reader.skip(tag);
  }
  return { bbox, replicatedAt };
}

/** Left, right, top, bottom in units of 1e-9 degree. */
function readBox(reader: ProtobufReader): Bbox {
  const edges = [0, 0, 0, 0, 0];
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    const number = tag >> 3;
    if (number >= 1 && number <= 4) edges[number] = reader.signed() * 1e-9;
    else reader.skip(tag);
  }
  return [edges[1], edges[4], edges[2], edges[3]];
}
