const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True when PostgreSQL can compare the text with a `uuid` column; any other text cannot name a row. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** True for a row refused because another one has the same key (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '23505';
}
