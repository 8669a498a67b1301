import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './run-service.ts';

/** Puts what can be imported from the package into `node_modules` of a folder, built as `npm pack` builds it. */
export async function installClient(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules/firstmile');
  await mkdir(installed, { recursive: true });
  await cp(join(ROOT, 'package.json'), join(installed, 'package.json'));
  await compile('tsconfig.client.json', join(installed, 'dist/client'));
  await compile('tsconfig.webhooks.json', join(installed, 'dist'));
}

async function compile(project: string, target: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  await promisify(execFile)(tsc, ['-p', join(ROOT, project), '--outDir', target]);
}
