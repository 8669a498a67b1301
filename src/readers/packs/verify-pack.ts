import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FeatureBuilder, boxOf } from '../../geo/features/feature-builder.ts';
import { FEATURE_SCALE } from '../../geo/features/feature-set.ts';
import { decodeGeometry, decodeValues, planColumns } from '../formats/flatgeobuf/decode-feature.ts';
import { openFlatGeobuf, type FlatGeobufFile, type Leaf } from '../formats/flatgeobuf/open-flatgeobuf.ts';
import { createPageMemory } from '../formats/flatgeobuf/page-memory.ts';
import { datasetFile } from './block-checksums.ts';
import type { InstalledPack, PackThemeEntry } from './manifest.ts';
import { THEMES } from '../themes/themes.ts';
import { hashFile } from './write-pack.ts';

/** Units that a box may differ by: coordinates are rounded to them. */
const ROUNDING = 1;

/** Everything that is wrong with a pack's files; an empty list when nothing is. Reads them whole. */
export async function verifyPack(
  { folder, manifest }: InstalledPack,
  onTheme: (theme: string, features: number) => void,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const entry of manifest.themes) {
    signal.throwIfAborted();
    const found = await verifyTheme(folder, entry, signal).catch((error: Error) => {
      signal.throwIfAborted();
      return [error.message];
    });
    faults.push(...found.map((fault) => (fault.startsWith(folder) ? fault : `${join(folder, entry.file)}: ${fault}`)));
    onTheme(entry.theme, entry.features);
  }
  return faults;
}

async function verifyTheme(folder: string, entry: PackThemeEntry, signal: AbortSignal): Promise<string[]> {
  const path = join(folder, entry.file);
  const { size } = await stat(path);
  if (size !== entry.bytes) return [`wanted ${entry.bytes} bytes, got ${size}`];
  const sha256 = await hashFile(path);
  if (sha256 !== entry.sha256) return [`wanted the hash ${entry.sha256}, got ${sha256}`];
  const faults: string[] = [];
  await using source = datasetFile({ options: { checksums: entry.checksums } }, path);
  const file = await openFlatGeobuf(source, createPageMemory(1 << 20, 64 << 20), signal);
  if (file.header.count !== entry.features)
    faults.push(`wanted ${entry.features} features, the header says ${file.header.count}`);
  const missing = THEMES[entry.theme].columns.filter(
    ({ name }) => !file.header.columns.some((own) => own.name === name),
  );
  if (missing.length > 0) faults.push(`the columns ${missing.map(({ name }) => name).join(', ')} are missing`);
  return [...faults, ...(await verifyIndex(file, signal))];
}

/** Whether every level of the index holds the one below, and the last the features, in the order of the file. */
async function verifyIndex(file: FlatGeobufFile, signal: AbortSignal): Promise<string[]> {
  for (let level = 0; level + 1 < file.levels; level++) {
    const fault = await verifyLevel(file, level, signal);
    if (fault !== null) return [fault];
  }
  if (file.header.count === 0) return [];
  const leaves = file.level(file.levels - 1, signal);
  let number = 0;
  for await (const { view, starts } of file.scan(signal)) {
    for (const at of starts) {
      number++;
      const { value: leaf } = await leaves.next();
      const fault = faultOf(file, view, at, leaf ?? undefined);
      if (fault !== null) return [`feature ${number}: ${fault}`];
    }
  }
  return number === file.header.count ? [] : [`wanted ${file.header.count} features, the file holds ${number}`];
}

/** What is wrong with the nodes of a level: each must have the box around its children. */
async function verifyLevel(file: FlatGeobufFile, level: number, signal: AbortSignal): Promise<string | null> {
  const children = file.level(level + 1, signal);
  for await (const node of file.level(level, signal)) {
    const joined: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < file.header.nodeSize; i++) {
      const { value: child } = await children.next();
      if (child === undefined) break;
      joined[0] = Math.min(joined[0], child.box[0]);
      joined[1] = Math.min(joined[1], child.box[1]);
      joined[2] = Math.max(joined[2], child.box[2]);
      joined[3] = Math.max(joined[3], child.box[3]);
    }
    if (joined.some((edge, i) => edge !== node.box[i]))
      return `a node at level ${level} of the index has another box than its children`;
  }
  return null;
}

const builder = new FeatureBuilder(1);
const box = new Int32Array(4);

function faultOf({ header }: FlatGeobufFile, view: DataView, at: number, leaf: Leaf | undefined): string | null {
  if (leaf === undefined) return 'it is not in the index';
  decodeValues(view, at, header.columns, planColumns(header.columns, []), []);
  builder.clear();
  if (!decodeGeometry(view, at, header.geometryType, builder)) return 'its geometry cannot be read';
  boxOf(builder, 0, box, 0);
  const isSame = leaf.box.every((edge, i) => Math.abs(edge * FEATURE_SCALE - box[i]) <= ROUNDING);
  return isSame ? null : 'its box in the index is another than its own';
}
