import { fieldTag, ProtobufReader } from './protobuf.ts';

/** The tags of one object. Valid only inside the call it is handed to. */
export interface Tags {
  /** The value of a key, or undefined. */
  get(key: string): string | undefined;
  readonly size: number;
  entries(): Iterable<readonly [key: string, value: string]>;
}

type MemberType = 'node' | 'way' | 'relation';

export interface Member {
  readonly type: MemberType;
  readonly id: number;
  readonly role: string;
}

/** What to do with the objects of a block; what is left out is not decoded. */
export interface OsmVisitor {
  /** Degrees; `tags` null for a node without. */
  node?(id: number, lon: number, lat: number, tags: Tags | null): void;
  way?(id: number, nodes: readonly number[], tags: Tags): void;
  relation?(id: number, members: readonly Member[], tags: Tags): void;
  /** Seconds since 1970 at which an object was last changed. */
  changed?(seconds: number): void;
}

/** Decodes a block of objects and hands them to a visitor in order. Throws a `RangeError` for damaged bytes. */
export function decodeBlock(bytes: Uint8Array, visitor: OsmVisitor): void {
  const block = new ProtobufReader(bytes);
  const groups: ProtobufReader[] = [];
  const scale: Scale = { granularity: 100, lonOffset: 0, latOffset: 0, dateGranularity: 1000 };
  let strings = new StringTable([]);
  for (let tag = block.next(); tag !== 0; tag = block.next()) {
    if (tag === fieldTag(1, 2)) strings = readStrings(block.message());
    else if (tag === fieldTag(2, 2)) groups.push(block.message());
    else if (tag === fieldTag(17, 0)) scale.granularity = block.varint();
    else if (tag === fieldTag(18, 0)) scale.dateGranularity = block.varint();
    else if (tag === fieldTag(19, 0)) scale.latOffset = signed64(block.varint());
    else if (tag === fieldTag(20, 0)) scale.lonOffset = signed64(block.varint());
    else block.skip(tag);
  }
  for (const group of groups) decodeGroup(group, strings, scale, visitor);
}

interface Scale {
  granularity: number;
  lonOffset: number;
  latOffset: number;
  /** Milliseconds. */
  dateGranularity: number;
}

/** Numbers of 64 bits that are negative come as 2^64 minus their size. */
function signed64(value: number): number {
  return value >= 2 ** 63 ? value - 2 ** 64 : value;
}

class StringTable {
  readonly #raw: readonly Uint8Array[];
  readonly #texts: (string | undefined)[];
  constructor(raw: readonly Uint8Array[]) {
    this.#raw = raw;
    this.#texts = Array.from({ length: raw.length });
  }
  text(index: number): string {
    const known = this.#texts[index];
    if (known !== undefined) return known;
    const raw = this.#raw[index];
    if (raw === undefined) throw new RangeError(`there is no text ${index} in the block`);
    return (this.#texts[index] = UTF8.decode(raw));
  }
}

const UTF8 = new TextDecoder();

function readStrings(reader: ProtobufReader): StringTable {
  const raw: Uint8Array[] = [];
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === fieldTag(1, 2)) raw.push(reader.data());
    else reader.skip(tag);
  }
  return new StringTable(raw);
}

/** Keys and values of one object as places in the block's table. */
class BlockTags implements Tags {
  readonly #strings: StringTable;
  keys: number[] = [];
  values: number[] = [];
  constructor(strings: StringTable) {
    this.#strings = strings;
  }
  get size(): number {
    return this.keys.length;
  }
  get(key: string): string | undefined {
    for (let i = 0; i < this.keys.length; i++)
      if (this.#strings.text(this.keys[i]) === key) return this.#strings.text(this.values[i]);
    return undefined;
  }
  *entries(): Generator<readonly [string, string]> {
    for (let i = 0; i < this.keys.length; i++)
      yield [this.#strings.text(this.keys[i]), this.#strings.text(this.values[i])];
  }
}

function decodeGroup(group: ProtobufReader, strings: StringTable, scale: Scale, visitor: OsmVisitor): void {
  for (let tag = group.next(); tag !== 0; tag = group.next()) {
    if (tag === fieldTag(1, 2) && visitor.node !== undefined) decodeNode(group.message(), strings, scale, visitor);
    else if (tag === fieldTag(2, 2) && visitor.node !== undefined)
      decodeDense(group.message(), strings, scale, visitor);
    else if (tag === fieldTag(3, 2) && visitor.way !== undefined) decodeWay(group.message(), strings, scale, visitor);
    else if (tag === fieldTag(4, 2) && visitor.relation !== undefined)
      decodeRelation(group.message(), strings, visitor);
    else group.skip(tag);
  }
}

function degrees(value: number, offset: number, { granularity }: Scale): number {
  return (value * granularity + offset) / 1e9;
}

function decodeNode(reader: ProtobufReader, strings: StringTable, scale: Scale, visitor: OsmVisitor): void {
  const tags = new BlockTags(strings);
  let id = 0;
  let lon = 0;
  let lat = 0;
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === fieldTag(1, 0)) id = reader.signed();
    else if (tag === fieldTag(2, 2)) tags.keys = readNumbers(reader);
    else if (tag === fieldTag(3, 2)) tags.values = readNumbers(reader);
    else if (tag === fieldTag(8, 0)) lat = degrees(reader.signed(), scale.latOffset, scale);
    else if (tag === fieldTag(9, 0)) lon = degrees(reader.signed(), scale.lonOffset, scale);
    else reader.skip(tag);
  }
  visitor.node?.(id, lon, lat, tags.size === 0 ? null : tags);
}

function decodeDense(reader: ProtobufReader, strings: StringTable, scale: Scale, visitor: OsmVisitor): void {
  const empty = new ProtobufReader(new Uint8Array(0));
  let [ids, lons, lats, keysValues] = [empty, empty, empty, empty];
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === fieldTag(1, 2)) ids = reader.message();
    else if (tag === fieldTag(5, 2)) readChanges(reader.message(), scale, visitor);
    else if (tag === fieldTag(8, 2)) lats = reader.message();
    else if (tag === fieldTag(9, 2)) lons = reader.message();
    else if (tag === fieldTag(10, 2)) keysValues = reader.message();
    else reader.skip(tag);
  }
  const tags = new BlockTags(strings);
  let [id, lon, lat] = [0, 0, 0];
  while (ids.at < ids.end) {
    id += ids.signed();
    lon += lons.signed();
    lat += lats.signed();
    tags.keys.length = 0;
    tags.values.length = 0;
    while (keysValues.at < keysValues.end) {
      const key = keysValues.varint();
      if (key === 0) break;
      tags.keys.push(key);
      tags.values.push(keysValues.varint());
    }
    visitor.node?.(
      id,
      degrees(lon, scale.lonOffset, scale),
      degrees(lat, scale.latOffset, scale),
      tags.size === 0 ? null : tags,
    );
  }
}

/** The last change of a run of dense nodes. */
function readChanges(reader: ProtobufReader, { dateGranularity }: Scale, visitor: OsmVisitor): void {
  if (visitor.changed === undefined) return;
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag !== fieldTag(2, 2)) {
      reader.skip(tag);
      continue;
    }
    const times = reader.message();
    let time = 0;
    let last = 0;
    while (times.at < times.end) {
      time += times.signed();
      if (time > last) last = time;
    }
    visitor.changed((last * dateGranularity) / 1000);
  }
}

function decodeWay(reader: ProtobufReader, strings: StringTable, scale: Scale, visitor: OsmVisitor): void {
  const tags = new BlockTags(strings);
  const nodes: number[] = [];
  let id = 0;
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === fieldTag(1, 0)) id = signed64(reader.varint());
    else if (tag === fieldTag(2, 2)) tags.keys = readNumbers(reader);
    else if (tag === fieldTag(3, 2)) tags.values = readNumbers(reader);
    else if (tag === fieldTag(4, 2)) readChange(reader.message(), scale, visitor);
    else if (tag === fieldTag(8, 2)) {
      const end = reader.enter();
      for (let node = 0; reader.at < end; nodes.push(node)) node += reader.signed();
    } else reader.skip(tag);
  }
  visitor.way?.(id, nodes, tags);
}

function readChange(reader: ProtobufReader, { dateGranularity }: Scale, visitor: OsmVisitor): void {
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === fieldTag(2, 0)) visitor.changed?.((reader.varint() * dateGranularity) / 1000);
    else reader.skip(tag);
  }
}

const MEMBER_TYPES: readonly MemberType[] = ['node', 'way', 'relation'];

function decodeRelation(reader: ProtobufReader, strings: StringTable, visitor: OsmVisitor): void {
  const tags = new BlockTags(strings);
  let id = 0;
  let roles: number[] = [];
  let types: number[] = [];
  const ids: number[] = [];
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === fieldTag(1, 0)) id = signed64(reader.varint());
    else if (tag === fieldTag(2, 2)) tags.keys = readNumbers(reader);
    else if (tag === fieldTag(3, 2)) tags.values = readNumbers(reader);
    else if (tag === fieldTag(8, 2)) roles = readNumbers(reader);
    else if (tag === fieldTag(9, 2)) {
      const end = reader.enter();
      for (let member = 0; reader.at < end; ids.push(member)) member += reader.signed();
    } else if (tag === fieldTag(10, 2)) types = readNumbers(reader);
    else reader.skip(tag);
  }
  const members = ids.map((member, i) => ({
    type: MEMBER_TYPES[types[i]] ?? 'node',
    id: member,
    role: roles[i] === undefined ? '' : strings.text(roles[i]),
  }));
  visitor.relation?.(id, members, tags);
}

function readNumbers(reader: ProtobufReader): number[] {
  const end = reader.enter();
  const numbers: number[] = [];
  while (reader.at < end) numbers.push(reader.varint());
  return numbers;
}
