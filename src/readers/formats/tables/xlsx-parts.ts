import { posix } from 'node:path';
import { FILE_LIMITS, malformed, tooLarge } from './file-limits.ts';
import { readXml, type XmlHandler } from './read-xml.ts';
import type { ArchiveEntry, ZipArchive } from './zip-archive.ts';

/** The parts of a workbook that its sheets refer to. */
export interface Workbook {
  readonly sheets: readonly WorkbookSheet[];
  readonly hidden: readonly string[];
  readonly texts: readonly string[];
  /** Whether cells of a style hold a date. */
  readonly dateStyles: readonly boolean[];
  /** Dates count from 1904 rather than 1900. */
  readonly from1904: boolean;
}

export interface WorkbookSheet {
  readonly name: string;
  readonly entry: ArchiveEntry;
}

/** The numbers of Excel's built-in formats for dates and times. */
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 30, 36, 45, 46, 47, 50, 57]);

/** Reads what a workbook says of its sheets; the sheets themselves are left. */
export async function readWorkbook(archive: ZipArchive): Promise<Workbook> {
  const root =
    archive.find('xl/workbook.xml') ?? archive.entries.find(({ path }) => /(^|\/)workbook\.xml$/i.test(path));
  if (root === undefined) throw malformed('not_xlsx', 'wanted a workbook in the archive, got none');
  const folder = posix.dirname(root.path);
  const links = await readLinks(archive, folder, posix.basename(root.path));
  const declared: { name: string; id: string; visible: boolean }[] = [];
  let from1904 = false;
  await visit(archive, root, {
    sheet: ({ name = '', state, ...rest }) =>
      declared.push({
        name,
        id: rest['r:id'] ?? rest['id'] ?? '',
        visible: state === undefined || state === 'visible',
      }),
    workbookPr: ({ date1904 }) => (from1904 = date1904 === '1' || date1904 === 'true'),
  });
  if (declared.length > FILE_LIMITS.sheets)
    throw tooLarge(`The workbook has too many sheets; wanted at most ${FILE_LIMITS.sheets}, got ${declared.length}.`);
  const sheets = declared.flatMap(({ name, id, visible }): WorkbookSheet[] => {
    const entry = archive.find(links.get(id) ?? '');
    return visible && entry !== null ? [{ name, entry }] : [];
  });
  if (sheets.length === 0) throw malformed('no_sheets', 'wanted a workbook with a visible sheet, got none');
  return {
    sheets,
    hidden: declared.filter(({ visible }) => !visible).map(({ name }) => name),
    texts: await readTexts(archive, archive.find(posix.join(folder, 'sharedStrings.xml'))),
    dateStyles: await readDateStyles(archive, archive.find(posix.join(folder, 'styles.xml'))),
    from1904,
  };
}

async function readLinks(archive: ZipArchive, folder: string, name: string): Promise<Map<string, string>> {
  const links = new Map<string, string>();
  const entry = archive.find(posix.join(folder, '_rels', `${name}.rels`));
  if (entry === null) throw malformed('not_xlsx', 'wanted a workbook with its list of parts, got none');
  await visit(archive, entry, {
    Relationship: ({ Id = '', Target = '', TargetMode }) => {
      // Addresses outside the file are never followed.
      if (TargetMode === 'External') return;
      links.set(Id, Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target));
    },
  });
  return links;
}

/** A cell that is merged over several rows: its value stands in the first of them, and counts in all. */
export interface MergedCell {
  /** From 0. */
  readonly column: number;
  /** Rows as the spreadsheet shows them, inclusive. */
  readonly first: number;
  readonly last: number;
}

/**
 * The cells of a sheet that are merged over several rows, in the order of their first rows. They stand after the rows,
 * so the sheet is gone through for them: unpacked, and read as XML only where it names any.
 */
export async function readMerges(archive: ZipArchive, entry: ArchiveEntry): Promise<MergedCell[]> {
  if (!(await namesMerges(archive, entry))) return [];
  const merges: MergedCell[] = [];
  await visit(archive, entry, {
    mergeCell: ({ ref = '' }) => {
      const [, from, first, last] = /^([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})$/.exec(ref) ?? [];
      const column = from === undefined ? FILE_LIMITS.columns : columnOf(from);
      if (column >= FILE_LIMITS.columns || Number(last) <= Number(first)) return;
      if (merges.push({ column, first: Number(first), last: Number(last) }) > FILE_LIMITS.mergedCells)
        throw tooLarge(`The workbook has too many merged cells; wanted at most ${FILE_LIMITS.mergedCells} in a sheet.`);
    },
  });
  return merges.toSorted((a, b) => a.first - b.first);
}

const MERGES = Buffer.from('mergeCell');

async function namesMerges(archive: ZipArchive, entry: ArchiveEntry): Promise<boolean> {
  let end = Buffer.alloc(0);
  for await (const chunk of archive.read(entry)) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    if (bytes.includes(MERGES) || Buffer.concat([end, bytes.subarray(0, MERGES.length)]).includes(MERGES)) return true;
    end = Buffer.concat([end, bytes]).subarray(-MERGES.length);
  }
  return false;
}

/** The column that letters such as `AB` name, from 0. */
export function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

type Visits = Readonly<Record<string, (attributes: Readonly<Record<string, string | undefined>>) => unknown>>;

async function visit(archive: ZipArchive, entry: ArchiveEntry, visits: Visits): Promise<void> {
  const handler: XmlHandler = {
    open: (name, attributes) => {
      if (Object.hasOwn(visits, name)) visits[name](attributes);
    },
    text: () => {},
    close: () => {},
  };
  for await (const _ of readXml(archive.read(entry), entry.path, () => handler)) continue;
}

async function readTexts(archive: ZipArchive, entry: ArchiveEntry | null): Promise<string[]> {
  if (entry === null) return [];
  const texts: string[] = [];
  let characters = 0;
  for await (const text of readXml<string>(archive.read(entry), entry.path, textItems)) {
    characters += text.length;
    if (characters > FILE_LIMITS.sharedCharacters)
      throw tooLarge(
        `The texts of the workbook are too long; wanted at most ${FILE_LIMITS.sharedCharacters} characters together.`,
      );
    if (texts.push(text) > FILE_LIMITS.sharedTexts)
      throw tooLarge(`The workbook has too many texts; wanted at most ${FILE_LIMITS.sharedTexts}.`);
  }
  return texts;
}

/** One text an `si`: the runs of rich text joined, phonetic readings left out. */
function textItems(emit: (text: string) => void): XmlHandler {
  let [text, inText, inReading] = ['', false, false];
  return {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') inReading = true;
      else if (name === 't') inText = !inReading;
    },
    text(piece) {
      if (inText) text += piece;
    },
    close(name) {
      if (name === 't') inText = false;
      else if (name === 'rPh') inReading = false;
      else if (name === 'si') emit(text);
    },
  };
}

async function readDateStyles(archive: ZipArchive, entry: ArchiveEntry | null): Promise<boolean[]> {
  if (entry === null) return [];
  const own = new Map<number, boolean>();
  const styles: boolean[] = [];
  let inCells = false;
  for await (const _ of readXml(archive.read(entry), entry.path, () => ({
    open(name, attributes) {
      if (name === 'numFmt') own.set(Number(attributes['numFmtId']), isDateFormat(attributes['formatCode'] ?? ''));
      else if (name === 'cellXfs') inCells = true;
      else if (name === 'xf' && inCells) {
        const id = Number(attributes['numFmtId'] ?? 0);
        styles.push(own.get(id) ?? DATE_FORMATS.has(id));
      }
    },
    text: () => {},
    close(name) {
      if (name === 'cellXfs') inCells = false;
    },
  })))
    continue;
  return styles;
}

function isDateFormat(code: string): boolean {
  return /[ymdh]/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, ''));
}
