import type { Confidence } from './acts.ts';

/** Sizes of undertakings, by what the law names. */
export const SIZES = ['natural_person', 'micro', 'small', 'medium', 'large'] as const;
export type Size = (typeof SIZES)[number];

/** Two of three thresholds must not be exceeded (Directive 2013/34/EU Art 3, after Directive (EU) 2023/2775). */
export const SIZE_LIMITS = {
  micro: 'balance sheet of 0.45 million EUR, turnover of 0.9 million EUR, 10 staff',
  small: 'balance sheet of 5 million EUR, turnover of 10 million EUR, 50 staff',
} as const;

/** Who is bound later, if established as such by `ESTABLISHED_BY`. */
const LATER_SIZES: readonly Size[] = ['natural_person', 'micro', 'small'];

export function isSmall(size: Size): boolean {
  return LATER_SIZES.includes(size);
}

/** Last day on which a small undertaking must have been established as such to be bound later. */
export const ESTABLISHED_BY = '2024-12-31';

/** The days from which obligations bind (Art 38(2) and (3)). */
export const BINDING = { general: '2026-12-30', later: '2027-06-30' } as const;

/** What is known of whoever places a product on the market; null: not said. */
export interface Undertaking {
  readonly size: Size | null;
  /** Day on which it was established as a natural person, micro or small undertaking, `YYYY-MM-DD`. */
  readonly established: string | null;
  /** Whether the product is also in the annex of the old Timber Regulation; only wood can be. */
  readonly isTimberProduct: boolean | null;
}

/** From when obligations bind. */
interface Binding {
  /** Null where it depends on what was not said: `options` has the days. */
  readonly from: string | null;
  readonly options: readonly { readonly from: string; readonly when: string }[];
  readonly article: string;
  readonly confidence: Confidence;
  /** What would decide. */
  readonly questions: readonly string[];
}

/** The day from which the regulation binds an undertaking for a product. */
export function bindingDate({ size, established, isTimberProduct }: Undertaking): Binding {
  const certain = (from: string, when: string, article: string): Binding => ({
    from,
    options: [{ from, when }],
    article,
    confidence: 'high',
    questions: [],
  });
  if (size !== null && !isSmall(size)) return certain(BINDING.general, `${size} undertakings`, 'Art 38(2)');
  if (isTimberProduct === true)
    return certain(
      BINDING.general,
      'products of the annex of Regulation (EU) No 995/2010, whatever the size',
      'Art 38(3)',
    );
  if (established !== null && established > ESTABLISHED_BY)
    return {
      ...certain(BINDING.general, `not established as such by ${ESTABLISHED_BY}`, 'Art 38(3), read a contrario'),
      confidence: 'medium',
    };
  if (size !== null && established !== null && isTimberProduct === false)
    return certain(
      BINDING.later,
      `natural persons, micro and small undertakings established as such by ${ESTABLISHED_BY}`,
      'Art 38(3)',
    );
  return {
    from: null,
    options: [
      {
        from: BINDING.general,
        when: `medium and large undertakings; others that were not established as such by ${ESTABLISHED_BY}; everybody for products of the annex of Regulation (EU) No 995/2010`,
      },
      {
        from: BINDING.later,
        when: `natural persons, micro and small undertakings established as such by ${ESTABLISHED_BY}, for every other product`,
      },
    ],
    article: 'Art 38(2) and (3)',
    confidence: 'high',
    questions: [
      ...(size === null ? [`size: which size is the undertaking (${SIZES.join(', ')})?`] : []),
      ...(established === null ? [`established: was it established as such by ${ESTABLISHED_BY}?`] : []),
      ...(isTimberProduct === null
        ? ['timber_regulation: is the product also in the annex of Regulation (EU) No 995/2010?']
        : []),
    ],
  };
}
