/** What a column of a file was taken for. */
interface MappedColumn {
  readonly column: string;
  /** Null: kept as it is. */
  readonly field: string | null;
  /** 0 to 1, two decimals. */
  readonly confidence: number;
  /** In words. */
  readonly why: string;
  /** Place among the columns of the same field, from 1, where there are several. */
  readonly order?: number;
}

/** How the columns of one table of a file were read. */
export interface TableMapping {
  /** The sheet or layer; null where the file has one nameless table. */
  readonly name: string | null;
  readonly header_row: number | null;
  /** Why the table was left out; null when it was read. */
  readonly skipped: string | null;
  readonly columns: readonly MappedColumn[];
}
