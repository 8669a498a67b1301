import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Config } from '../config.ts';
import {
  createKeyRing,
  createSealingKey,
  readSealingKeys,
  type KeyRing,
  type SealingKey,
} from '../webhooks/key-ring.ts';

const KEY_FILE = 'secrets.key';

/**
 * The keys webhook secrets are sealed with: from `SECRETS_KEY`, or with the embedded database from a key file that the
 * first start makes (mode 600). Null with a database server and no `SECRETS_KEY`: processes on other machines could not
 * read what one of them sealed.
 */
export function openKeyRing(config: Pick<Config, 'secretsKey' | 'databaseUrl' | 'dataDir'>): KeyRing | null {
  if (config.secretsKey !== null) return createKeyRing(config.secretsKey);
  if (config.databaseUrl !== null) return null;
  const path = keyFile(config);
  if (!existsSync(path)) writeKeyFile(config, [createSealingKey()]);
  return createKeyRing(readKeyFile(path));
}

/** The keys of the key file. */
export function readKeyFile(path: string): readonly SealingKey[] {
  try {
    return readSealingKeys(readFileSync(path, 'utf8').trim().split('\n').join(','));
  } catch (error) {
    throw new ConfigError(`the key file ${path} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

export function keyFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, KEY_FILE);
}

/** Replaces the key file as a whole, readable by its owner alone and on the disk before it takes its place. */
export function writeKeyFile(config: Pick<Config, 'dataDir'>, keys: readonly SealingKey[]): void {
  const path = keyFile(config);
  const unfinished = `${path}.new`;
  rmSync(unfinished, { force: true });
  const file = openSync(unfinished, 'wx', 0o600);
  try {
    writeSync(file, keys.map(({ id, key }) => `${id}:${Buffer.from(key).toString('base64')}\n`).join(''));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
}
