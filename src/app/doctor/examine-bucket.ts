import { bucketPlace } from '../../config/bucket-place.ts';
import type { Config } from '../../config/settings.ts';
import { readText } from '../../db/object-store/object-store.ts';
import { openS3 } from '../../db/object-store/open-s3.ts';
import { Problem } from '../../errors.ts';
import { fault, ok, type Finding } from './finding.ts';

/** The bucket of the settings, read once and not changed; nothing where none is set. */
export async function examineBucket(config: Config): Promise<readonly Finding[]> {
  const place = bucketPlace(config);
  if (place === null) return [];
  const objects = openS3(place);
  const lookedAt = `bucket ${objects.place}`;
  try {
    for await (const _ of objects.list('')) break;
    const isTaken = (await readText(objects, 'installation.json')) !== null;
    return [ok('bucket', lookedAt, isTaken ? 'can be read' : 'can be read; the first start takes it')];
  } catch (error) {
    const { message } = error instanceof Problem && error.cause instanceof Error ? error.cause : (error as Error);
    return [fault('bucket', lookedAt, message, 'correct OBJECT_STORE_URL and the settings that start with AWS_')];
  } finally {
    await objects.close();
  }
}
