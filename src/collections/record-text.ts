/**
 * A record as JSON, the same as of `JSON.stringify`, its members one by one. V8 writes all of a value in its slow way, which
 * takes three times as long, where one object in it has whole numbers for keys, as the biomass of years has.
 */
export function recordText(record: object): string {
  const members: string[] = [];
  for (const [key, value] of Object.entries(record)) {
    // Absent as a text where JSON has no such value: the member is left out.
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(',')}}`;
}
