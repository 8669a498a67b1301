import { Problem } from '../../../errors.ts';
import type { DatasetRef, Nearby } from '../../../facilities/sources.ts';
import { createProbe } from '../../../geo/features/create-probe.ts';
import type { Probe } from '../../../geo/features/probe.ts';
import { nearestFeature } from '../../../geo/features/nearest-feature.ts';
import type { Shape } from '../../../geo/shapes/shape.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import type { Dataset } from '../../catalogue/dataset.ts';
import type { Values } from '../../formats/flatgeobuf/decode-feature.ts';
import { type FlatGeobufFile, openFlatGeobuf } from '../../formats/flatgeobuf/open-flatgeobuf.ts';
import type { PageMemory } from '../../formats/flatgeobuf/page-memory.ts';
import { nearestInFile } from '../../formats/flatgeobuf/search-file.ts';
import { type Ground, groundOf } from '../answers/ground.ts';
import { type Mapped, openMapped } from '../../themes/mapped-cells.ts';
import { type LayerMemory, loadLayer } from './layer-memory.ts';
import { LAYER_PLANS, type LayerPlan, type LayerRole } from './layer-plan.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';
import type { TextTable } from '../../built-in/pack-arrays.ts';

/** One dataset of features, queried from memory when it is loaded and from its file until then. */
export interface PackLayer {
  readonly role: LayerRole;
  readonly plan: LayerPlan;
  readonly ref: DatasetRef;
  readonly ground: Ground;
  /** Whether everything within so many metres of a shape is known: only then has nothing found a meaning. */
  knowsAround(shape: Shape, withinM: number): boolean;
  /** Columns of the file in the order of the plan. */
  readonly columns: readonly string[];
  readonly memory: LayerMemory | null;
  /** The file, opened at the first use. */
  file(signal: AbortSignal): Promise<FlatGeobufFile>;
  /** Loads the layer; answers come from memory afterwards. */
  load(signal: AbortSignal): Promise<void>;
}

/** A layer over a file, or an address read by ranges; nothing of it is read yet. `memory` is what another thread has loaded. */
export function createLayer(
  dataset: Dataset,
  role: LayerRole,
  openSource: () => Promise<ByteSource>,
  pages: PageMemory,
  memory: LayerMemory | null = null,
): PackLayer {
  const { id, version, synthetic, coverage, options } = dataset;
  const plan = LAYER_PLANS[role];
  let opened: Promise<FlatGeobufFile | null> | null = null;
  let loaded = memory;
  const ground = groundOf(coverage);
  // For a file of the operator's own its entry in the catalogue vouches.
  const mapped = openMapped(
    (options['mapped'] as Mapped | undefined) === undefined ? 'whole' : (options['mapped'] as Mapped),
  );
  const renamed = (options['columns'] ?? {}) as Readonly<Record<string, string>>;

  /** Null when whoever began to open it gave up, which is no answer for the others. */
  async function open(signal: AbortSignal): Promise<FlatGeobufFile | null> {
    try {
      return await openFlatGeobuf(await openSource(), pages, signal);
    } catch (error) {
      opened = null;
      if (signal.aborted) return null;
      throw error;
    }
  }

  const layer: PackLayer = {
    role,
    plan,
    ref: { id, version, synthetic },
    ground,
    knowsAround: (shape, withinM) => ground.holdsAround(shape, withinM) && mapped.holdsAround(shape, withinM),
    columns: plan.columns.map((name) => renamed[name] ?? name),
    get memory() {
      return loaded;
    },
    async file(signal) {
      for (;;) {
        signal.throwIfAborted();
        const file = await (opened ??= open(signal));
        if (file !== null) return file;
      }
    },
    async load(signal) {
      loaded ??= await loadLayer(await layer.file(signal), role, plan, layer.columns, signal);
    },
  };
  return layer;
}

const probes = new WeakMap<Shape, Probe>();
/** All questions about one facility come one after the other. */
let last: { readonly shape: Shape; readonly probe: Probe } | null = null;

/** The probe of a shape, made once however many layers are queried. */
export function probeOf(shape: Shape): Probe {
  if (last?.shape === shape) return last.probe;
  let probe = probes.get(shape);
  if (probe === undefined) {
    probe = createProbe(shape);
    // That of a single point is cheaper to make than to keep.
    if (probe.frame === null) probes.set(shape, probe);
  }
  last = { shape, probe };
  return probe;
}

/** The nearest feature of a layer that counts, or null when none is within so many metres. */
export function nearestOf(
  layer: PackLayer,
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): MaybePromise<Nearby | null> {
  const { memory, plan } = layer;
  if (memory === null) return nearestOnDisk(layer, shape, withinM, signal);
  const found = memory.set === null ? null : nearestFeature(memory.set, probeOf(shape), withinM);
  if (found === null) return null;
  const name = wordAt(memory.words, memory.names[found.id]);
  return {
    distanceM: found.distanceM,
    name: name === '' ? null : name,
    kind: plan.kindOf(wordAt(memory.words, memory.classes[found.id])),
  };
}

async function nearestOnDisk(
  { file, plan, columns }: PackLayer,
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): Promise<Nearby | null> {
  const accept = ([kind]: Values): boolean => plan.accepts(String(kind ?? ''));
  const search = { columns: columns.slice(0, 2), accept };
  const found = await nearestInFile(await file(signal), probeOf(shape), withinM, search, signal);
  return found === null ? null : { distanceM: found.distanceM, ...labelOf(plan, found.values) };
}

/** Kind and name of a feature for people, from the first two values of its plan. */
export function labelOf(plan: LayerPlan, [kind, name]: Values): Pick<Nearby, 'kind' | 'name'> {
  const text = String(name ?? '');
  return { kind: plan.kindOf(String(kind ?? '')), name: text === '' ? null : text };
}

/** The failure of a file in words for clients, who are not shown its path; the log has the cause. */
export function unreadable({ ref }: PackLayer, cause: unknown): unknown {
  if (cause instanceof Problem) return cause;
  return new Problem('dependency_unavailable', `The dataset ${ref.id} cannot be read`, { cause });
}

/** Texts kept of a table, each at the place of its number's last bits. */
const KEPT = 1_024;

interface Kept {
  /** The bytes of the table as what decodes fastest. */
  readonly bytes: Buffer;
  readonly numbers: Int32Array;
  readonly texts: string[];
}

const tables = new WeakMap<TextTable, Kept>();

/** One text of a table whose texts are needed again and again, such as classes; decoded once while it is kept. */
export function wordAt(table: TextTable, number: number): string {
  let kept = tables.get(table);
  if (kept === undefined) {
    const { buffer, byteOffset, length } = table.bytes;
    kept = {
      bytes: Buffer.from(buffer, byteOffset, length),
      numbers: new Int32Array(KEPT).fill(-1),
      texts: Array.from({ length: KEPT }, () => ''),
    };
    tables.set(table, kept);
  }
  const slot = number % KEPT;
  if (kept.numbers[slot] !== number) {
    kept.texts[slot] = kept.bytes.toString('utf8', table.offsets[number], table.offsets[number + 1]);
    kept.numbers[slot] = number;
  }
  return kept.texts[slot];
}
