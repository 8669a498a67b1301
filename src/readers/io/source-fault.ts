interface FaultOptions extends ErrorOptions {
  /** HTTP status, where one came. */
  readonly status?: number;
  /** How long the server wants no requests, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The TIFF tag that is to blame, if one is. */
  readonly tag?: number;
}

/**
 * What is wrong with a file, a store or a server that is read, as a code. People see a `Problem`; this is for the code that
 * retries, passes over or explains. `place` is the id of the source, without secrets: an address without its query, or a path.
 */
abstract class SourceFault<Kind extends string> extends Error {
  readonly kind: Kind;
  readonly place: string;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly tag: number | null;
  readonly #remedy: string;

  constructor(name: string, kind: Kind, remedy: string, place: string, detail: string, options: FaultOptions) {
    super(`${place}: ${detail}`, options);
    this.name = name;
    this.kind = kind;
    this.place = place;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.tag = options.tag ?? null;
    this.#remedy = remedy;
  }

  /** What the caller can do. */
  get remedy(): string {
    return this.#remedy;
  }
}

/** The faults of one kind of source: a class of its `name`, with a code for each thing that can be done about one. */
export function faultsOf<const Remedies extends Readonly<Record<string, string>>>(name: string, remedies: Remedies) {
  return class extends SourceFault<keyof Remedies & string> {
    constructor(kind: keyof Remedies & string, place: string, detail: string, options: FaultOptions = {}) {
      super(name, kind, remedies[kind], place, detail, options);
    }
  };
}

/** The same where one thing can be done about all of them. */
export function faultOf(name: string, remedy: string) {
  return class extends SourceFault<'unusable'> {
    constructor(place: string, detail: string, options: FaultOptions = {}) {
      super(name, 'unusable', remedy, place, detail, options);
    }
  };
}
