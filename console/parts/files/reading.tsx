import type { Lines } from '../../api/open-lines.ts';
import { ErrorNotice } from '../notice.tsx';
import { Progress } from '../progress.tsx';

interface ReadingProps {
  readonly lines: Pick<Lines<unknown, never>, 'rows' | 'isComplete' | 'error'>;
  readonly label: string;
  readonly total: number | null;
  readonly onAgain: () => void;
}

/** How far an answer has been read; nothing once it is complete. */
export function Reading({ lines: { rows, isComplete, error }, label, total, onAgain }: ReadingProps) {
  if (error.value !== null) return <ErrorNotice error={error.value} onAgain={onAgain} />;
  return isComplete.value ? null : <Progress label={label} done={rows.value.length} total={total} />;
}
