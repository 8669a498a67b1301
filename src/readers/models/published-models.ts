import type { ErrorRates } from '../../geo/detection/share.ts';

/** A head of a published model: where its archive is and how it is to be used. */
export interface PublishedHead {
  readonly commodity: 'palm' | 'rubber' | 'cocoa' | 'coffee';
  /** Name of its archive, in a mirror and at the end of its address. */
  readonly file: string;
  /** SHA-256 of the archive, in hexadecimal; null: it was not read by us yet, and is kept at its first installation. */
  readonly sha256: string | null;
  /** A pixel counts as the commodity from this probability on. */
  readonly threshold: number;
  /** Where the threshold comes from, as evidence says it. */
  readonly thresholdSource: string;
  /**
   * How it errs at the threshold. What is there is found as often as the authors say; what is not is claimed as often as we
   * measured where it was worst (`docs/detection-models.md`), and where it claimed none of 911 pixels 3 in 911, which
   * that does not rule out. Null: nobody measured what it claims wrongly.
   */
  readonly rates: ErrorRates | null;
}

export interface PublishedModel {
  readonly id: string;
  readonly version: string;
  readonly licence: string;
  readonly attribution: string;
  /** Address of the archives below `MODELS_URL`, `{commodity}` and `{file}` to be filled in. */
  readonly url: string;
  /** Degrees from the equator up to which it was trained; beyond them it says nothing. */
  readonly latitude: number;
  readonly heads: readonly PublishedHead[];
}

/** The highest rate that 911 pixels without one false positive leave at 95 %: the rule of three. */
const NONE_SEEN = 0.0033;

/** Of archives that we could not read: no checksum, and no rate of false claims, which the authors do not publish. */
const UNSEEN = { sha256: null, rates: null } as const;

/** The repository that publishes the models. */
export const MODELS_URL = 'https://raw.githubusercontent.com/google/forest-data-partnership';

const OWN_SET = "published, on the authors' own set";
const INDEPENDENT_SET = 'published, on an independent set';

/**
 * The models that can be installed, the oldest generation first. Thresholds are those at which the authors found precision and recall equal on the
 * set that was not theirs, where there was one, else on their own; `docs/detection-models.md` has the figures.
 */
export const PUBLISHED_MODELS: readonly PublishedModel[] = [
  {
    id: 'fdp-2025b',
    version: '2025b',
    licence: 'MIT',
    attribution: 'Produced by Google for the Forest Data Partnership',
    url: `${MODELS_URL}/ef86eb60e0003de50f8962d8ffe9805a40b1b11a/models/model_2025b/{commodity}/{file}`,
    latitude: 24,
    heads: [
      {
        commodity: 'palm',
        file: 'palm_k2pgj00ctino4_2025b.zip',
        sha256: '2b9ba96580f332a779aa2e57178036b5996234e384691d19fe5170321fda4ba2',
        threshold: 0.66,
        thresholdSource: INDEPENDENT_SET,
        rates: { falsePositive: NONE_SEEN, truePositive: 0.81 },
      },
      {
        commodity: 'rubber',
        file: 'rubber_u1mukwfh935e2_2025b.zip',
        sha256: '0195e51e853819aafdaf3b6202108b7b0e6db84a0c61716a990fbf47782c8291',
        threshold: 0.35,
        thresholdSource: INDEPENDENT_SET,
        rates: { falsePositive: NONE_SEEN, truePositive: 0.75 },
      },
      {
        commodity: 'cocoa',
        file: 'cocoa_g4iuo8j0dlnl7_2025b.zip',
        sha256: 'bd4481c6cdfa4c5f51c5d541e1911066ea7b46f422a9dcf9768d0c247d0327ed',
        threshold: 0.5,
        thresholdSource: OWN_SET,
        rates: { falsePositive: 0.032, truePositive: 0.94 },
      },
      {
        commodity: 'coffee',
        file: 'coffee_b336ppkyvam8r_2025b.zip',
        sha256: '69e0f91a0dde0478b9b6f75831d2fbeaa0bd04bf30624c3172da732ed9ba4104',
        threshold: 0.28,
        thresholdSource: OWN_SET,
        rates: { falsePositive: 0.045, truePositive: 0.7 },
      },
    ],
  },
  {
    id: 'fdp-2026a',
    version: '2026a',
    licence: 'MIT',
    attribution: 'Produced by Google for the Forest Data Partnership',
    url: `${MODELS_URL}/4d0fb3b8ec24f4788b9d46289cb19ad07f466ae0/models/model_2026a/{commodity}/{file}`,
    latitude: 24,
    heads: [
      { commodity: 'palm', file: 'palm_2026a.zip', threshold: 0.58, thresholdSource: INDEPENDENT_SET, ...UNSEEN },
      { commodity: 'rubber', file: 'rubber_2026a.zip', threshold: 0.3, thresholdSource: INDEPENDENT_SET, ...UNSEEN },
      { commodity: 'cocoa', file: 'cocoa_2026a.zip', threshold: 0.54, thresholdSource: OWN_SET, ...UNSEEN },
      { commodity: 'coffee', file: 'coffee_2026a.zip', threshold: 0.33, thresholdSource: OWN_SET, ...UNSEEN },
    ],
  },
];
