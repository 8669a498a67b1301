/** `node putting.fixture.ts PLACE KEY BYTES`: stores an object of so many bytes in a bucket, whose place is JSON. */
import { openS3 } from '../../src/db/object-store/open-s3.ts';

const [place = '', key = '', bytes = ''] = process.argv.slice(2);
const objects = openS3(JSON.parse(place));

async function* zeros(size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < size; at += 1_000_000) yield Buffer.alloc(Math.min(1_000_000, size - at));
}

await objects.put(key, zeros(Number(bytes)));
await objects.close();
