import type { BackupStep, OnProgress } from '../../service/backup/archive.ts';
import { createProgressBar, NO_PROGRESS_BAR, type ProgressBar } from '../parts/progress-bar.ts';

const UNITS = {
  copy: 'MB copied',
  check: 'MB checked',
  restore: 'MB restored',
} as const satisfies Record<BackupStep, string>;

/** A bar that begins again with each step of a backup; nothing where `stream` is no terminal. */
export function barOfSteps(
  stream: Parameters<typeof createProgressBar>[0],
  isQuiet: boolean,
): { readonly update: OnProgress; finish(): void } {
  let step: BackupStep | null = null;
  let bar: ProgressBar = NO_PROGRESS_BAR;
  return {
    update(next, bytes, total) {
      if (isQuiet) return;
      if (next !== step) {
        bar.finish();
        [step, bar] = [next, createProgressBar(stream, UNITS[next])];
      }
      bar.update(megabytes(bytes), total === null ? null : megabytes(total));
    },
    finish: () => bar.finish(),
  };
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1e6);
}
