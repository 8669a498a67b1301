import type { SourceFeature, SourceFile, SourceNote } from '../../../locations/source-table.ts';
import { atRow, FILE_LIMITS, malformed, tooLarge } from './file-limits.ts';
import { KmlGeometryError, kmlGeometry, type XmlNode } from './kml-geometry.ts';
import { readXml, type XmlHandler, xmlRows } from './read-xml.ts';

/** Elements of one placemark. */
const MAX_NODES = 100_000;

interface KmlPart {
  /** Names the part in messages. */
  readonly what: string;
  read(): AsyncIterable<Uint8Array>;
}

/** KML as a table of placemarks, in the order of the file, streamed. Links to other files are rows too; they are not followed. */
export function kmlFile(format: 'kml' | 'kmz', parts: readonly KmlPart[], close: () => Promise<void>): SourceFile {
  return {
    format,
    tables: parts.map((part) => ({
      kind: 'features',
      name: parts.length === 1 ? null : part.what,
      features: () =>
        xmlRows(readXml<Placemark | 'kml'>(part.read(), part.what, placemarks), 'kml', toFeature, () =>
          malformed('not_kml', `wanted KML in ${part.what}, got other XML`),
        ),
    })),
    remarks: [],
    close,
  };
}

/** A placemark, or a link to another file of them. */
interface Placemark {
  readonly node: XmlNode;
  /** Names of the folders it lies in, outermost first. */
  readonly folders: readonly string[];
}

function placemarks(emit: (item: Placemark | 'kml') => void): XmlHandler {
  const open: XmlNode[] = [];
  const folders: string[] = [];
  const outside: string[] = [];
  let nodes = 0;
  return {
    open(name, attributes) {
      if (open.length > 0 || name === 'Placemark' || name === 'NetworkLink') {
        if (open.length === 0) nodes = 0;
        if (++nodes > MAX_NODES) throw tooLarge(`A placemark has too many elements; wanted at most ${MAX_NODES}.`);
        const node: XmlNode = { name, attributes, children: [], text: '' };
        open.at(-1)?.children.push(node);
        open.push(node);
        return;
      }
      if (outside.length === 0 && ['kml', 'Document', 'Folder'].includes(name)) emit('kml');
      if (name === 'Folder') folders.push('');
      outside.push(name);
    },
    text(piece) {
      const node = open.at(-1);
      if (node !== undefined) {
        if (node.text.length + piece.length > FILE_LIMITS.recordCharacters * 8)
          throw tooLarge(
            `A text of a placemark is too long; wanted at most ${FILE_LIMITS.recordCharacters * 8} characters.`,
          );
        node.text += piece;
      } else if (outside.at(-1) === 'name' && outside.at(-2) === 'Folder') folders[folders.length - 1] += piece;
    },
    close(name) {
      const node = open.pop();
      if (node !== undefined) {
        if (open.length === 0) emit({ node, folders: folders.filter((folder) => folder !== '') });
        return;
      }
      if (name === 'Folder') folders.pop();
      outside.pop();
    },
  };
}

function toFeature({ node, folders }: Placemark, row: number): SourceFeature {
  const properties = propertiesOf(node, folders);
  if (node.name === 'NetworkLink') return linkFeature(node, properties, row);
  const id = node.attributes['id'];
  const notes: SourceNote[] = [];
  let geometry: unknown = null;
  try {
    geometry = kmlGeometry(node);
  } catch (error) {
    if (!(error instanceof KmlGeometryError)) throw atRow(error, row);
    notes.push({ code: 'unreadable_record', blanks: { reason: error.message } });
  }
  return {
    row,
    ...(id === undefined || id === '' ? {} : { id }),
    geometry,
    properties,
    ...(notes.length === 0 ? {} : { notes }),
  };
}

/** Places that a file only links to would be lost without a word if the link were no row. */
function linkFeature(node: XmlNode, properties: Record<string, unknown>, row: number): SourceFeature {
  const link = node.children.find(({ name }) => name === 'Link' || name === 'Url');
  const href = link?.children.find(({ name }) => name === 'href')?.text.trim() ?? '';
  const notes: SourceNote[] = [{ code: 'link_not_followed', blanks: { link: href.slice(0, 200) } }];
  return { row, geometry: null, properties: { ...properties, link: href }, notes };
}

const OWN_TEXTS = ['name', 'description', 'address', 'phoneNumber'] as const;

function propertiesOf(node: XmlNode, folders: readonly string[]): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  const set = (name: string, text: string): void => {
    if (name !== '' && name !== '__proto__' && text.trim() !== '') properties[name] = text.trim();
  };
  for (const name of OWN_TEXTS) set(name, node.children.find((child) => child.name === name)?.text ?? '');
  for (const child of node.children) if (child.name === 'ExtendedData') readData(child, set);
  if (folders.length > 0) set('folder', folders.join(' / '));
  return properties;
}

function readData(extended: XmlNode, set: (name: string, text: string) => void): void {
  for (const child of extended.children) {
    if (child.name === 'Data')
      set(child.attributes['name'] ?? '', child.children.find(({ name }) => name === 'value')?.text ?? '');
    else if (child.name === 'SchemaData')
      for (const { name, attributes, text } of child.children)
        if (name === 'SimpleData') set(attributes['name'] ?? '', text);
  }
}
