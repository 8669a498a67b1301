import type { Bbox } from '../../../geo/shapes/shape.ts';
import { OsmFileError } from './osm-file-error.ts';
import { fieldTag, ProtobufReader } from './protobuf.ts';

/** What a PBF file says of itself. */
interface OsmHeader {
  /** The box it was cut from; null where the writer did not say. */
  readonly bbox: Bbox | null;
  /** Time of the data in seconds since 1970; null where the writer did not say. */
  readonly replicatedAt: number | null;
}

const FEATURES = new Set(['OsmSchema-V0.6', 'DenseNodes']);

/** Reads the header piece; throws for a file that needs what is not read here, such as one with history. */
export function decodeOsmHeader(place: string, bytes: Uint8Array): OsmHeader {
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
