import type { Config } from '../../config/settings.ts';
import { SETTINGS } from '../../config/settings.ts';
import { examineAddress, examinePort } from './examine-address.ts';
import { examineBucket } from './examine-bucket.ts';
import { examineData } from './examine-data.ts';
import { examineDatabase } from './examine-database.ts';
import { examineDisk, examineMemory, examineNode, type Host } from './examine-host.ts';
import { fault, ok, type Finding } from './finding.ts';

/** Everything a start needs, in the order in which it needs it. With settings that cannot be used only the host is looked at. */
export async function examine(readConfig: () => Promise<Config>, host: Host): Promise<readonly Finding[]> {
  const node = examineNode(host);
  let config: Config;
  try {
    config = await readConfig();
  } catch (error) {
    const faults = (error as Error).message.split('\n');
    const remedy = 'correct the environment variable; docs/configuration.md lists them';
    return [...faults.map((text) => fault('settings', 'environment variables', text, remedy)), node];
  }
  const settings = ok('settings', 'environment variables', `all of ${Object.keys(SETTINGS).length} can be used`);
  return [
    settings,
    node,
    examineMemory(host, config),
    ...(await examineDisk(config)),
    await examineDatabase(config),
    ...(await examineBucket(config)),
    ...(await examineData(config)),
    await examinePort(config),
    await examineAddress(config),
  ];
}
