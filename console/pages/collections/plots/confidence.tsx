import { LevelBadge } from '../../../parts/level-badge.tsx';
import { tWord } from '../../../text/translate.ts';
import type { Work } from '../batch/batch-order.ts';

export const LEVELS = ['high', 'medium', 'low', 'invalid'] as const;

/** How far locations can be relied on, or why they were not processed; a dash where it was not requested. */
export function Confidence({ value }: { readonly value: Work['locations_confidence'] | undefined }) {
  const level = LEVELS.find((known) => known === value);
  if (level !== undefined || value === null || value === undefined) return <LevelBadge level={level ?? null} />;
  return <>{tWord('confidence', value)}</>;
}
