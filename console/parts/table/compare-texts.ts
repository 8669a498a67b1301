const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** The order of texts in tables: numbers in them by their value, letters whatever their case. */
export const compareTexts = collator.compare;
