import weights from './logistic-heads.json' with { type: 'json' };
import type { LogisticHead } from './logistic-head.ts';

/**
 * Heads fitted on public labels that held up on regions they were not fitted on (`docs/detection-models.md` has the
 * figures). Water and built-up were fitted on labels of Dynamic World in four regions; natural tropical forest does not
 * separate tree crops from forest, and says nothing outside the tropics.
 */
export const LOGISTIC_HEADS: Readonly<Record<'water' | 'built-up' | 'natural-tropical-forest', LogisticHead>> = weights;
