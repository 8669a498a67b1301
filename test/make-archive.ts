import { zipSync, type Zippable } from 'fflate';

/** A ZIP archive of texts and bytes; names may be anything, also what no tool would write. */
export function archive(entries: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const files: Zippable = {};
  for (const [path, content] of Object.entries(entries))
    files[path] = typeof content === 'string' ? Buffer.from(content) : content;
  return zipSync(files);
}

/** A workbook with one sheet; `rows` is the inside of its `sheetData`, `after` what stands after that. */
export function workbook(rows: string, texts: readonly string[] = [], after = ''): Uint8Array {
  return archive({
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="Farms" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData>${after}</worksheet>`,
  });
}

/** A workbook with sheets of texts and numbers, by their names. */
export function workbookOf(sheets: Readonly<Record<string, readonly (readonly (string | number)[])[]>>): Uint8Array {
  const names = Object.keys(sheets);
  const cell = (value: string | number, ref: string): string =>
    typeof value === 'number'
      ? `<c r="${ref}"><v>${value}</v></c>`
      : `<c r="${ref}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const row = (cells: readonly (string | number)[], at: number): string =>
    `<row r="${at + 1}">${cells.map((value, i) => cell(value, `${String.fromCharCode(65 + i)}${at + 1}`)).join('')}</row>`;
  return archive({
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${names.map((name, i) => `<sheet name="${name}" r:id="rId${i + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${names.map((_, i) => `<Relationship Id="rId${i + 1}" Target="worksheets/sheet${i + 1}.xml"/>`).join('')}</Relationships>`,
    ...Object.fromEntries(
      names.map((name, i) => [
        `xl/worksheets/sheet${i + 1}.xml`,
        `<worksheet><sheetData>${sheets[name]!.map(row).join('')}</sheetData></worksheet>`,
      ]),
    ),
  });
}
