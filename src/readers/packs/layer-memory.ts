import { setImmediate } from 'node:timers/promises';
import { buildBuiltUpGrid, builtUpCell, type BuiltUpGrid } from '../../geo/features/built-up.ts';
import { FeatureBuilder, boxOf } from '../../geo/features/feature-builder.ts';
import { FEATURE_SCALE, type FeatureSet, type IndexedFeatures } from '../../geo/features/feature-set.ts';
import { FANOUT } from '../../geo/packed-tree.ts';
import type { Bbox } from '../../geo/shape.ts';
import type { TextTable } from '../built-in/text-table.ts';
import { decodeGeometry, decodeValues, planColumns, type Values } from '../flatgeobuf/decode-feature.ts';
import type { FlatGeobufFile } from '../flatgeobuf/open-flatgeobuf.ts';
import { COMMODITIES_IN_ORDER } from './commodity-bits.ts';
import type { LayerPlan, LayerRole } from './layer-plan.ts';
import { TextRows } from './text-rows.ts';

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
  /** Of businesses: kinds and names of each, and what is known of their relevance: a bit for each commodity, asked and true. */
  readonly texts: TextTable;
  readonly relevance: Uint8Array;
  /** Relevant businesses of each lowest node of the tree, plus 1, by commodity; 0 where nobody has counted. */
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
  readonly #classes: number[] = [];
  readonly #names: number[] = [];
  readonly #areas: number[] = [];
  readonly #industrial: number[] = [];
  readonly #cells = new Map<number, number>();

  constructor(role: LayerRole, room: number) {
    this.#role = role;
    this.builder = new FeatureBuilder(room);
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
      const cell = centreCell(this.builder, this.builder.count - 1);
      this.#cells.set(cell, (this.#cells.get(cell) ?? 0) + area);
    } else if (this.#role === 'businesses') this.#texts.add(`${values[2] ?? ''}\n${values[3] ?? ''}`);
  }

  finish(): LayerMemory {
    const businesses = this.#role === 'businesses' ? this.builder.count : 0;
    return {
      set: this.builder.finish(),
      classes: shared(Uint32Array, this.#classes),
      names: shared(Uint32Array, this.#names),
      words: this.#words.finish(),
      areas: shared(Float32Array, this.#areas),
      industrial: shared(Uint8Array, this.#industrial),
      grid: buildBuiltUpGrid(this.#cells),
      texts: this.#texts.finish(),
      relevance: new Uint8Array(new SharedArrayBuffer(businesses * 2)),
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

function shared<T extends Uint32Array | Float32Array | Uint8Array>(
  type: { new (buffer: SharedArrayBuffer): T; readonly BYTES_PER_ELEMENT: number },
  values: readonly number[],
): T {
  const array = new type(new SharedArrayBuffer(values.length * type.BYTES_PER_ELEMENT));
  array.set(values);
  return array;
}
