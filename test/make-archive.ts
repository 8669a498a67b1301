import { zipSync, type Zippable } from 'fflate';

/** A ZIP archive of texts and bytes; names may be anything, also what no tool would write. */
export function archive(entries: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const files: Zippable = {};
  for (const [path, content] of Object.entries(entries))
    files[path] = typeof content === 'string' ? Buffer.from(content) : content;
  return zipSync(files);
}

/** A workbook with one sheet; `rows` is the inside of its `sheetData`. */
export function workbook(rows: string, texts: readonly string[] = []): Uint8Array {
  return archive({
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="Farms" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  });
}
