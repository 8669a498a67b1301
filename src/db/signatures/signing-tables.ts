import type { ColumnType } from 'kysely';

/** The table of keys that files are signed with. */
export interface SigningTables {
  readonly signing_keys: SigningKeysTable;
}

interface SigningKeysTable {
  id: string;
  public_key: string;
  /** Null once the key is retired: nobody can sign with it again. */
  sealed: string | null;
  created_at: ColumnType<Date, never, never>;
  retired_at: Date | null;
}
