import { t } from '../text/translate.ts';

/** A level as a dot and its word; the dots differ in shape as well as in colour. */
export function LevelBadge({ level }: { readonly level: 'high' | 'medium' | 'low' | 'unverified' | 'invalid' | null }) {
  if (level === null) return <span class="muted">–</span>;
  return (
    <span class="level" data-level={level}>
      <span class="level-dot" aria-hidden="true" />
      {t(`level.${level}`)}
    </span>
  );
}
