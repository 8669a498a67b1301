import { setImmediate } from 'node:timers/promises';
import {
  buildBuiltUpGrid,
  builtUpCell,
  type BuiltUpGrid,
  builtUpOrder,
  FootprintSums,
} from '../../../geo/features/built-up-grid.ts';
import { FeatureBuilder, Row, boxOf } from '../../../geo/features/feature-builder.ts';
import { FEATURE_SCALE, type FeatureSet, type IndexedFeatures } from '../../../geo/features/feature-set.ts';
import { FANOUT } from '../../../geo/packed-tree.ts';
import type { Bbox } from '../../../geo/shapes/shape.ts';
import type { TextTable } from '../../built-in/pack-arrays.ts';
import { decodeGeometry, decodeValues, planColumns, type Values } from '../../formats/flatgeobuf/decode-feature.ts';
import type { FlatGeobufFile } from '../../formats/flatgeobuf/open-flatgeobuf.ts';
import { COMMODITIES_IN_ORDER, type LayerPlan, type LayerRole } from './layer-plan.ts';

/** Gathers texts into a table in shared memory. */
class TextRows {
  readonly #numbers: Map<string, number> | null;
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(65_536);
  #used = 0;
  #offsets: number[] = [0];

  /** `once` keeps each text only once. */
  constructor(once: boolean) {
    this.#numbers = once ? new Map() : null;
  }

  /** The number of a text. */
  add(text: string): number {
    const known = this.#numbers?.get(text);
    if (known !== undefined) return known;
    if (this.#bytes.length < this.#used + text.length * 3) {
      const grown = new Uint8Array((this.#used + text.length * 3) * 2);
      grown.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = grown;
    }
    this.#used += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#used)).written;
    this.#offsets.push(this.#used);
    const number = this.#offsets.length - 2;
    this.#numbers?.set(text, number);
    return number;
  }

  finish(): TextTable {
    const bytes = new Uint8Array(new SharedArrayBuffer(this.#used));
    bytes.set(this.#bytes.subarray(0, this.#used));
    const offsets = new Uint32Array(new SharedArrayBuffer(this.#offsets.length * 4));
    offsets.set(this.#offsets);
    return { offsets, bytes };
  }
}

/** A layer in memory: every feature that counts. All of it may be handed to other threads without copying. */
export interface LayerMemory {
  /** Null when the layer has no feature that counts. */
  readonly set: IndexedFeatures | null;
  /** Number of each feature's class and name in `words`; 0 is none. */
  readonly classes: Uint32Array;
  readonly names: Uint32Array;
  readonly words: TextTable;
  /** Of buildings: footprints in square metres, and 1 for industrial use. */
  readonly areas: Float32Array;
  readonly industrial: Uint8Array;
  readonly grid: BuiltUpGrid | null;
  /**
   * Of businesses: kinds and names of each, and what is known of their relevance, in bytes with a bit for each commodity: the lowest says
   * for which it is known, the next for which they are of the chain, the third for which they are of a general industrial kind.
   */
  readonly texts: TextTable;
  readonly relevance: Uint32Array;
  /** Businesses of the chain in each lowest node of the tree, plus 1, by commodity; 0 where nobody has counted. */
  readonly tallies: Uint8Array;
}

/** Bytes of memory that a byte of a file takes at most once it is loaded. */
export const MEMORY_SHARE = 0.6;

/** Loads a layer, letting other work go on between pieces of about 1 MB. */
export async function loadLayer(
  file: FlatGeobufFile,
  role: LayerRole,
  plan: LayerPlan,
  columns: readonly string[],
  signal: AbortSignal,
): Promise<LayerMemory> {
  const { header } = file;
  const rows = new LayerRows(role, Math.max(16, header.count));
  const wanted = planColumns(header.columns, columns);
  const values: Values = columns.map(() => null);
  for await (const { view, starts } of file.scan(signal)) {
    for (const at of starts) {
      decodeValues(view, at, header.columns, wanted, values);
      if (!plan.accepts(String(values[0] ?? ''))) continue;
      if (decodeGeometry(view, at, header.geometryType, rows.builder)) rows.add(values);
    }
    await setImmediate();
  }
  return rows.finish();
}

class LayerRows {
  readonly builder: FeatureBuilder;
  readonly #role: LayerRole;
  readonly #words = new TextRows(true);
  readonly #texts = new TextRows(false);
  readonly #classes: Row<Uint32Array>;
  readonly #names: Row<Uint32Array>;
  readonly #areas: Row<Float32Array>;
  readonly #industrial: Row<Uint8Array>;
  readonly #footprints = new FootprintSums();

  constructor(role: LayerRole, room: number) {
    this.#role = role;
    this.builder = new FeatureBuilder(room);
    this.#classes = new Row(Uint32Array, room);
    this.#names = new Row(Uint32Array, room);
    this.#areas = new Row(Float32Array, role === 'buildings' ? room : 1);
    this.#industrial = new Row(Uint8Array, role === 'buildings' ? room : 1);
    this.#words.add('');
  }

  /** Takes in the values of the feature that was decoded last. */
  add(values: Values): void {
    const [kind, name] = values;
    this.#classes.push(this.#words.add(String(kind ?? '')));
    this.#names.push(this.#words.add(String(name ?? '')));
    if (this.#role === 'buildings') {
      const area = Number(values[3] ?? 0);
      this.#areas.push(area);
      this.#industrial.push(Number(values[2] ?? 0));
      this.#footprints.add(builtUpOrder(centreCell(this.builder, this.builder.count - 1)), area);
    } else if (this.#role === 'businesses') this.#texts.add(`${values[2] ?? ''}\n${values[3] ?? ''}`);
  }

  finish(): LayerMemory {
    const businesses = this.#role === 'businesses' ? this.builder.count : 0;
    return {
      set: this.builder.finish(),
      classes: this.#classes.share(),
      names: this.#names.share(),
      words: this.#words.finish(),
      areas: this.#areas.share(),
      industrial: this.#industrial.share(),
      grid: buildBuiltUpGrid(this.#footprints.finish()),
      texts: this.#texts.finish(),
      relevance: new Uint32Array(new SharedArrayBuffer(businesses * 4)),
      tallies: new Uint8Array(new SharedArrayBuffer(Math.ceil(businesses / FANOUT) * COMMODITIES_IN_ORDER.length)),
    };
  }
}

const box = new Int32Array(4);

/** The built-up cell of the middle of a feature's box. */
function centreCell(set: FeatureSet, id: number): number {
  boxOf(set, id, box, 0);
  return builtUpCell((box[0] + box[2]) / 2 / FEATURE_SCALE, (box[1] + box[3]) / 2 / FEATURE_SCALE);
}

/** The built-up cell of the middle of a box in degrees, as the index of a file has it. */
export function middleCell([west, south, east, north]: Bbox): number {
  const units = (degrees: number): number => Math.round(degrees * FEATURE_SCALE);
  return builtUpCell(
    (units(west) + units(east)) / 2 / FEATURE_SCALE,
    (units(south) + units(north)) / 2 / FEATURE_SCALE,
  );
}
