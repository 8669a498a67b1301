/** What is wrong with an OpenStreetMap file, and what can be done. */
export class OsmFileError extends Error {
  override readonly name = 'OsmFileError';
  constructor(place: string, detail: string, options?: ErrorOptions) {
    super(`${place}: ${detail}`, options);
  }
}
