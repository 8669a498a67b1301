/** An index of AEF files that cannot be used. `place` is the id of its source: an address without its query, or a path. */
export class AefIndexError extends Error {
  override readonly name = 'AefIndexError';
  readonly place: string;

  constructor(place: string, detail: string, options: ErrorOptions = {}) {
    super(`${place}: ${detail}`, options);
    this.place = place;
  }
}
