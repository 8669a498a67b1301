import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { createLog } from '../../log.ts';
import { packKey, PACK_NAMES } from '../../readers/built-in/build/source-packages.ts';
import { SHIPPED_PACKS } from '../../readers/built-in/built-in.ts';
import { readPack } from '../../readers/packs/pack-file.ts';
import { openServiceCatalogue } from '../../service/datasets/catalogue.ts';
import { listPacks } from '../../service/datasets/pack-folder.ts';
import { fault, notice, ok, type Finding } from './finding.ts';

const CONSOLE = resolve(import.meta.dirname, '../../../dist/console/index.html');

/** Built-in data, what is installed, the catalogue and the console. Addresses are the matter of `data doctor`. */
export async function examineData(config: Config): Promise<readonly Finding[]> {
  return [await examineBuiltIn(config), await examinePacks(config), await examineCatalogue(config), examineConsole()];
}

async function examineBuiltIn({ dataDir }: Config): Promise<Finding> {
  const lookedAt = `built-in data (${PACK_NAMES.join(', ')})`;
  const folders = [SHIPPED_PACKS, join(dataDir, 'packs')];
  const absent: string[] = [];
  for (const name of PACK_NAMES) {
    const readings = await Promise.all(
      folders.map((folder) => readPack(join(folder, `${name}.pack`), name, packKey(name))),
    );
    if (readings.every(({ pack }) => pack === null)) absent.push(name);
  }
  if (absent.length === 0) return ok('data', lookedAt, 'there and up to date');
  return notice(
    'data',
    lookedAt,
    `not packed: ${absent.join(', ')}`,
    'nothing in the repository, where the first start packs it; install the package again elsewhere',
  );
}

async function examinePacks(config: Config): Promise<Finding> {
  const lookedAt = 'regional packs';
  const listed = await listPacks(config).catch((error: unknown) => error as Error);
  if (listed instanceof Error)
    return fault('data', lookedAt, listed.message, 'look at the data folder: it cannot be read');
  const { packs, faults } = listed;
  if (faults.length > 0)
    return fault(
      'data',
      lookedAt,
      faults.map(({ message }) => message).join('; '),
      'import them again, or `firstmile data remove` them',
    );
  if (packs.length === 0)
    return ok('data', lookedAt, 'none; what a question needs is fetched, unless AUTO_DATA or PUBLIC_DATA is off');
  return ok('data', lookedAt, `${packs.length}; \`firstmile data verify\` reads them whole`);
}

async function examineCatalogue(config: Config): Promise<Finding> {
  const lookedAt =
    config.catalogue === null ? 'catalogue of datasets' : `catalogue of datasets with ${config.catalogue}`;
  try {
    const { datasets } = await openServiceCatalogue(config, createLog({ level: 'silent', json: true }));
    return ok('data', lookedAt, `${datasets.length} datasets; \`firstmile data doctor\` looks at those at an address`);
  } catch (error) {
    return fault('data', lookedAt, (error as Error).message, 'correct the file that CATALOGUE names');
  }
}

function examineConsole(): Finding {
  return existsSync(CONSOLE)
    ? ok('data', 'console', 'built')
    : notice('data', 'console', 'not built: the page at / says so', '`npm run build:console`; everything else works');
}
