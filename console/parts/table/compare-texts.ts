const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** The order of texts in tables: numbers in them by their value, letters whatever their case. */
export const compareTexts = collator.compare;

/** The order of rows by a text of theirs. */
export function byText<Row>(textOf: (row: Row) => string): (a: Row, b: Row) => number {
  return (a, b) => compareTexts(textOf(a), textOf(b));
}
