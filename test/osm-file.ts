import { deflateSync } from 'node:zlib';

export interface OsmNode {
  readonly id: number;
  readonly lon: number;
  readonly lat: number;
  readonly tags?: Readonly<Record<string, string>>;
}
export interface OsmWay {
  readonly id: number;
  readonly nodes: readonly number[];
  readonly tags?: Readonly<Record<string, string>>;
}
export interface OsmRelation {
  readonly id: number;
  readonly members: readonly (readonly [type: 0 | 1 | 2, id: number, role: string])[];
  readonly tags?: Readonly<Record<string, string>>;
}
export interface OsmObjects {
  readonly nodes?: readonly OsmNode[];
  readonly ways?: readonly OsmWay[];
  readonly relations?: readonly OsmRelation[];
  readonly bbox?: readonly [west: number, south: number, east: number, north: number];
  /** Features that a reader must know. */
  readonly required?: readonly string[];
  /** False leaves the pieces as they are. */
  readonly zlib?: boolean;
}

/** An `.osm.pbf` file of a few objects, for tests. */
export function osmFile(objects: OsmObjects): Buffer {
  const { bbox, required = ['OsmSchema-V0.6', 'DenseNodes'], zlib = true } = objects;
  const box =
    bbox === undefined ? [] : [field(1, message(bbox.map((_, i) => signed(i + 1, bbox[[0, 2, 3, 1][i]] * 1e9))))];
  const header = message([...box, ...required.map((name) => field(4, Buffer.from(name)))]);
  return Buffer.concat([blob('OSMHeader', header, zlib), blob('OSMData', block(objects), zlib)]);
}

function block({ nodes = [], ways = [], relations = [] }: OsmObjects): Buffer {
  const strings: string[] = [''];
  const text = (value: string): number => {
    const known = strings.indexOf(value);
    return known >= 0 ? known : strings.push(value) - 1;
  };
  const keys = (tags: Readonly<Record<string, string>> = {}) => [
    field(2, packed(Object.keys(tags).map(text))),
    field(3, packed(Object.values(tags).map(text))),
  ];
  const groups = [
    message([field(2, dense(nodes, text))]),
    message(
      ways.map((way) => field(3, message([varintField(1, way.id), ...keys(way.tags), field(8, deltas(way.nodes))]))),
    ),
    message(
      relations.map(({ id, members, tags }) =>
        field(
          4,
          message([
            varintField(1, id),
            ...keys(tags),
            field(8, packed(members.map(([, , role]) => text(role)))),
            field(9, deltas(members.map(([, member]) => member))),
            field(10, packed(members.map(([type]) => type))),
          ]),
        ),
      ),
    ),
  ].map((group) => field(2, group));
  const table = message(strings.map((value) => field(1, Buffer.from(value))));
  return message([field(1, table), ...groups]);
}

function dense(nodes: readonly OsmNode[], text: (value: string) => number): Buffer {
  const tags = nodes.flatMap(({ tags = {} }) => [...Object.entries(tags).flatMap(([k, v]) => [text(k), text(v)]), 0]);
  return message([
    field(1, deltas(nodes.map(({ id }) => id))),
    field(8, deltas(nodes.map(({ lat }) => Math.round(lat * 1e7)))),
    field(9, deltas(nodes.map(({ lon }) => Math.round(lon * 1e7)))),
    field(10, packed(tags)),
  ]);
}

function blob(type: string, data: Buffer, zlib: boolean): Buffer {
  const body = zlib ? message([varintField(2, data.length), field(3, deflateSync(data))]) : message([field(1, data)]);
  const head = message([field(1, Buffer.from(type)), varintField(3, body.length)]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, body]);
}

function message(fields: readonly Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function field(number: number, data: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(data.length), data]);
}

function varintField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

function signed(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8), varint(zigzag(Math.round(value)))]);
}

function packed(values: readonly number[]): Buffer {
  return Buffer.concat(values.map(varint));
}

function deltas(values: readonly number[]): Buffer {
  return packed(values.map((value, i) => zigzag(value - (values[i - 1] ?? 0))));
}

function zigzag(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
