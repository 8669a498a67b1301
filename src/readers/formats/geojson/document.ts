import { Problem } from '../../../errors.ts';
import { GeojsonCapture } from './capture.ts';
import { foreignCrs, refuseMisplacedOption } from './root-members.ts';
import { pointerAtEnd } from './pointer.ts';
import { GeojsonScanner, type ScanFault, type ScanHandler } from './scanner.ts';

export interface GeojsonLimits {
  /** Most features a file may hold; default 1,000,000. */
  readonly maxFeatures?: number;
  /** Largest single feature, in bytes; default 32,000,000. */
  readonly maxFeatureBytes?: number;
  /** Refuse members of the root that are names of our options; default false. */
  readonly refuseOptions?: boolean;
}

/** How the features are laid out: a FeatureCollection, one Feature or geometry, an array of them, or one text after another. */
export type GeojsonLayout = 'collection' | 'single' | 'array' | 'sequence';

/** Gets the bytes of a feature, valid until it returns, its index from 0 and the layout it was found in. */
type TakeItem = (bytes: Uint8Array, index: number, layout: GeojsonLayout) => void;

export const GEOMETRY_TYPES: ReadonlySet<unknown> = new Set([
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
  'GeometryCollection',
]);

const MAX_FEATURES = 1_000_000;
const MAX_FEATURE_BYTES = 32_000_000;
/** A member name or value that matters here is far shorter; a longer one is foreign. */
const MAX_MEMBER_BYTES = 65_536;
const READ_MEMBERS: ReadonlySet<string> = new Set(['type', 'features', 'crs']);

/**
 * Cuts a GeoJSON text that comes in chunks into its features. Throws `Problem('malformed_file')` where the text breaks
 * the grammar of JSON or the outer structure of GeoJSON, and `Problem('too_large')` at a limit. What a feature holds
 * is not looked at, but its bytes are sure to pass `JSON.parse`.
 */
export class GeojsonDocument implements ScanHandler {
  readonly #scanner = new GeojsonScanner(this);
  readonly #take: TakeItem | null;
  readonly #maxFeatures: number;
  readonly #maxFeatureBytes: number;
  readonly #refusesOptions: boolean;
  readonly #item: GeojsonCapture;
  readonly #member = new GeojsonCapture(MAX_MEMBER_BYTES);
  readonly #key = new GeojsonCapture(MAX_MEMBER_BYTES);
  #chunk: Uint8Array = new Uint8Array(0);
  #layout: GeojsonLayout | null = null;
  /** Depth of the values that are features; -1 while no list of features is open. */
  #itemDepth = -1;
  #items = 0;
  #texts = 0;
  #name = '';
  readonly #seen = new Set<string>();
  #type: unknown;

  /** `take` gets every feature, in order; null only checks and counts. */
  constructor(take: TakeItem | null, limits: GeojsonLimits) {
    this.#take = take;
    this.#maxFeatures = limits.maxFeatures ?? MAX_FEATURES;
    this.#maxFeatureBytes = limits.maxFeatureBytes ?? MAX_FEATURE_BYTES;
    this.#refusesOptions = limits.refuseOptions ?? false;
    this.#item = new GeojsonCapture(this.#maxFeatureBytes);
  }

  /** Features met so far. */
  get features(): number {
    return this.#items;
  }

  get layout(): GeojsonLayout | null {
    return this.#layout;
  }

  push(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#scanner.push(chunk);
    this.#item.carry(chunk);
    this.#member.carry(chunk);
    this.#key.carry(chunk);
    if (this.#itemDepth >= 0 && this.#item.active && this.#item.overflows(0)) this.#refuseLongItem(0);
    this.#chunk = new Uint8Array(0);
  }

  /** Call once after the last chunk. */
  finish(): void {
    this.#scanner.finish();
  }

  valueStart(depth: number, byte: number, position: number): void {
    if (depth === this.#itemDepth) this.#startItem(position);
    else if (depth === 0) this.#startText(byte, position);
    else if (depth === 1 && this.#layout === null) {
      if (READ_MEMBERS.has(this.#name)) this.#startMember(byte, position);
      else if (this.#refusesOptions) refuseMisplacedOption(this.#name);
    }
  }

  valueEnd(depth: number, position: number): void {
    if (depth === this.#itemDepth && this.#item.active) this.#endItem(position);
    else if (depth === 1) this.#endMember(position);
    else if (depth === 0) this.#endText(position);
  }

  keyStart(position: number): void {
    if (this.#texts === 1 && this.#itemDepth !== 0) this.#key.start(position);
  }

  keyEnd(position: number): void {
    if (!this.#key.active) return;
    const quoted = this.#key.bytes(this.#chunk, position);
    this.#key.drop();
    this.#name = quoted === null ? '' : (JSON.parse(Buffer.from(quoted).toString()) as string);
  }

  nextText(separated: boolean, position: number): void {
    if (this.#texts === 0) {
      this.#layout = 'sequence';
      this.#itemDepth = 0;
    } else if (this.#layout === 'single' && separated) {
      this.#layout = 'sequence';
      this.#itemDepth = 0;
    } else if (this.#layout !== 'sequence' || !separated) {
      const what = { collection: 'FeatureCollection', array: 'array' }[this.#layout as string] ?? 'object';
      this.#refuse(
        'trailing_content',
        `wanted nothing after the end of the ${what}, got ${byteName(this.#chunk[position])}`,
        position,
      );
    }
  }

  fault({ code, wanted, byte, position }: ScanFault): never {
    if (byte === null && this.#texts === 0) return this.#refuse('empty', 'wanted GeoJSON, got an empty file', position);
    if (code === 'nesting_too_deep') return this.#refuse(code, `wanted ${wanted}, got more`, position);
    const got = byte === null ? 'the end of the file' : byteName(byte);
    return this.#refuse(code, `wanted ${wanted}, got ${got}${NOT_JSON[byte ?? 0] ?? ''}`, position);
  }

  #startText(byte: number, position: number): void {
    this.#texts += 1;
    if (byte === 0x5b) {
      this.#layout = 'array';
      this.#itemDepth = 1;
    } else if (byte === 0x7b) this.#item.start(position);
    else
      this.#refuse(
        'not_geojson',
        `wanted GeoJSON, which begins with { or [, got ${byteName(byte)}${NOT_JSON[byte] ?? ''}`,
        position,
      );
  }

  #startItem(position: number): void {
    if (this.#itemDepth === 0) this.#texts += 1;
    if (this.#items >= this.#maxFeatures)
      throw new Problem(
        'too_large',
        `The file has too many features; wanted at most ${this.#maxFeatures} features, got more (${this.#place(position)}).`,
      );
    this.#item.start(position);
  }

  #endItem(position: number): void {
    const bytes = this.#item.bytes(this.#chunk, position);
    if (bytes === null) this.#refuseLongItem(position);
    this.#item.drop();
    this.#items += 1;
    this.#take?.(bytes, this.#items - 1, this.#layout ?? 'collection');
  }

  #startMember(byte: number, position: number): void {
    if (this.#seen.has(this.#name))
      this.#refuse('duplicate_member', `wanted one member "${this.#name}", got a second one`, position);
    this.#seen.add(this.#name);
    if (this.#name !== 'features') {
      this.#member.start(position);
      return;
    }
    if (byte !== 0x5b)
      this.#refuse('invalid_features', `wanted an array as "features", got ${byteName(byte)}`, position);
    this.#refuseFeaturesIn(this.#type, position);
    this.#item.drop();
    this.#itemDepth = 2;
  }

  #endMember(position: number): void {
    if (this.#member.active) this.#readMember(position);
    this.#itemDepth = this.#layout === null ? -1 : this.#itemDepth;
    this.#name = '';
  }

  #readMember(position: number): void {
    const bytes = this.#member.bytes(this.#chunk, position);
    this.#member.drop();
    const value: unknown =
      bytes === null ? `more than ${MAX_MEMBER_BYTES} bytes` : JSON.parse(Buffer.from(bytes).toString());
    if (this.#name === 'type') {
      this.#type = value;
      if (this.#seen.has('features')) this.#refuseFeaturesIn(value, position);
      if (value === 'FeatureCollection') this.#item.drop();
    } else {
      const crs = foreignCrs(value);
      if (crs !== null)
        this.#refuse(
          'unsupported_crs',
          `wanted longitude and latitude on WGS84 (EPSG:4326), got coordinates in ${crs}; reproject the file`,
          position,
        );
    }
  }

  /** RFC 7946 section 7.1: only a FeatureCollection has `features`. */
  #refuseFeaturesIn(type: unknown, position: number): void {
    if (type !== undefined && type !== 'FeatureCollection')
      this.#refuse(
        'invalid_type',
        `wanted "FeatureCollection" as the "type" next to "features", got ${short(type)}`,
        position,
      );
  }

  #endText(position: number): void {
    if (this.#layout === 'array') {
      this.#itemDepth = -1;
      return;
    }
    if (this.#seen.has('features') || this.#type === 'FeatureCollection') {
      this.#layout = 'collection';
      if (this.#type === undefined)
        this.#refuse('missing_type', 'wanted "type": "FeatureCollection" next to "features", got no "type"', position);
      if (!this.#seen.has('features'))
        this.#refuse('missing_features', 'wanted an array "features" in the FeatureCollection, got none', position);
      return;
    }
    if (this.#type !== 'Feature' && !GEOMETRY_TYPES.has(this.#type)) this.#refuseType(position);
    this.#layout = 'single';
    if (this.#items >= this.#maxFeatures)
      throw new Problem(
        'too_large',
        `The file has too many features; wanted at most ${this.#maxFeatures} features, got 1.`,
      );
    this.#endItem(position);
  }

  #refuseType(position: number): never {
    const got = this.#type === undefined ? 'an object without "type"' : `"type": ${short(this.#type)}`;
    const hint = this.#type === 'Topology' ? ' (TopoJSON)' : '';
    return this.#refuse('not_geojson', `wanted a FeatureCollection, Feature or geometry, got ${got}${hint}`, position);
  }

  #refuseLongItem(position: number): never {
    // Without a full stop: `http/facilities.ts` goes on with what a task may hold.
    throw new Problem(
      'too_large',
      `A feature is too large; wanted at most ${this.#maxFeatureBytes} bytes, got a longer one (${this.#place(position)})`,
    );
  }

  #refuse(code: string, detail: string, position: number): never {
    const pointer = this.#pointer(position);
    const full = `${detail} (${this.#place(position)}${pointer === '' ? '' : `, at ${pointer}`})`;
    const index = this.#inItem() ? { index: this.#items } : {};
    throw new Problem('malformed_file', full, { errors: [{ pointer, ...index, code, detail: full }] });
  }

  #place(position: number): string {
    const line = this.#scanner.lineAt(this.#chunk, position);
    const feature = this.#inItem() ? `, feature ${this.#items}` : '';
    return `line ${line}, byte ${this.#scanner.bytesBefore + position}${feature}`;
  }

  #inItem(): boolean {
    return this.#itemDepth >= 0;
  }

  /** Where `position` is, from the outermost value of a document; in a sequence, from the text it is in. */
  #pointer(position: number): string {
    const inside = this.#item.active
      ? (this.#item.bytes(this.#chunk, position) ?? new Uint8Array(0))
      : new Uint8Array(0);
    if (this.#itemDepth === -1 && !this.#item.active) return this.#name === '' ? '' : `/${this.#name.slice(0, 200)}`;
    const prefix = { 2: `/features/${this.#items}`, 1: `/${this.#items}` }[this.#itemDepth] ?? '';
    return prefix + pointerAtEnd(inside);
  }
}

/** What a byte that JSON does not allow probably stands for. */
const NOT_JSON: Readonly<Record<number, string>> = {
  0x4e: ' (NaN is not JSON; write null)',
  0x49: ' (Infinity is not JSON; write null)',
  0x54: ' (write true in lower case)',
  0x46: ' (write false in lower case)',
  0x27: ' (strings take double quotes)',
  0x2f: ' (JSON has no comments)',
  0x3c: ' (this looks like XML or HTML)',
};

function byteName(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? `'${String.fromCharCode(byte)}'` : `byte 0x${byte.toString(16).padStart(2, '0')}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}
