const DEGREES = String.raw`([+-]?\d{1,3}(?:\.\d+)?)`;
const PAIR = `${DEGREES}(?:,|%2C)\\s*(?:\\+|%20)?${DEGREES}`;

/** Where links to maps say which place is meant, the surest first. The middle of a view (`@4.58,102.61,15z`) is no place. */
const PLACES: readonly RegExp[] = [
  new RegExp(`^geo:${PAIR}`, 'i'),
  // Of a place that somebody chose on the map of Google.
  new RegExp(`!3d${DEGREES}!4d${DEGREES}`),
  new RegExp(`[?&](?:q|query|ll|sll|destination|daddr|saddr|markers?|cbll)=(?:loc:|geo:)?${PAIR}`, 'i'),
  new RegExp(`[?&]mlat=${DEGREES}&mlon=${DEGREES}`, 'i'),
  new RegExp(`/(?:place|search|dir/[^/]*)/${PAIR}`, 'i'),
];
const MOST_CHARACTERS = 2_000;

/** Latitude and longitude that a link to a map or a `geo:` address names, as they are written; null where it names none. */
export function placeOfLink(text: string): readonly [latitude: string, longitude: string] | null {
  if (text.length > MOST_CHARACTERS || !isMapLink(text)) return null;
  for (const pattern of PLACES) {
    const match = pattern.exec(text);
    if (match !== null) return [match[1]!, match[2]!];
  }
  return null;
}

/** Whether a text is an address of the web, or a `geo:` one. */
export function isMapLink(text: string): boolean {
  return /^(https?:\/\/|geo:)\S+$/i.test(text);
}
