import { spawnSync } from 'node:child_process';

/** The Python of Debian, which its QGIS is for. */
export const PYTHON = '/usr/bin/python3';

/** False, or why QGIS is not tried. With CI=true that is a failure. */
export function qgisSkip(): string | false {
  const { status } = spawnSync(PYTHON, ['-c', 'import qgis.core'], { env: { QT_QPA_PLATFORM: 'offscreen' } });
  if (status === 0) return false;
  const line = 'QGIS for Python is not installed; Debian: apt-get install python3-qgis';
  if (process.env['CI'] === 'true') throw new Error(`CI=true and ${line}`);
  console.error(`SKIPPED: nothing was tried in QGIS: ${line}`);
  return line;
}
