const COLUMNS = 80;
const LABEL = 12;

/** Values after their labels, wrapped at 80 columns; rows without a value are left out. */
export function labelled(rows: readonly (readonly [label: string, text: string | null | undefined])[]): string {
  return rows
    .filter((row): row is readonly [string, string] => row[1] !== null && row[1] !== undefined && row[1] !== '')
    .flatMap(([label, text]) =>
      wrapped(text, COLUMNS - LABEL).map((line, i) => `${(i === 0 ? label : '').padEnd(LABEL)}${line}\n`),
    )
    .join('');
}

/** A text in lines of at most `width` columns; a longer word stands alone. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
