/**
 * The columns of a row with the file and the row that it was first read from, as a spreadsheet shows them: a file of some rows
 * begins to count again, and whoever looks one up has only the first.
 */
export function withOrigin(
  own: Readonly<Record<string, unknown>>,
  file: string | null,
  row: number,
): Readonly<Record<string, unknown>> {
  return { ...(file === null ? {} : { original_file: file }), original_row: row, ...own };
}
