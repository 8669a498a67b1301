import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Manifest } from '../../service/backup/archive.ts';
import { absentFrom } from './restore.ts';

const PART = { bytes: 1, sha256: '0'.repeat(64) };
const MANIFEST: Manifest = {
  format: 'firstmile-backup',
  formatVersion: 1,
  firstmile: '0.1.0',
  madeAt: '2026-01-01T00:00:00.000Z',
  database: { engine: 'postgres', version: 1 },
  bucket: null,
  sealingKey: 'not included',
  parts: [{ ...PART, name: 'tables/users.jsonl', rows: 1 }],
};

describe('what a backup does not hold', () => {
  it('names a data folder that was left out, or of which nothing was there', () => {
    assert.match(absentFrom(MANIFEST), /No packs, .* made with --database-only, or there were none/);
    const single = { ...PART, name: 'files/audit-pending.jsonl' };
    assert.match(absentFrom({ ...MANIFEST, parts: [single] }), /No packs/);
    const pack = { ...PART, name: 'files/regional-packs/uganda/pack.json' };
    assert.doesNotMatch(absentFrom({ ...MANIFEST, parts: [pack] }), /No packs/);
  });

  it('names label stores of a bucket, and files that the bucket did not have', () => {
    assert.doesNotMatch(absentFrom(MANIFEST), /bucket/);
    const missingObjects = Array.from({ length: 6 }, (_, i) => `blobs/${i}`);
    const text = absentFrom({ ...MANIFEST, bucket: 's3.example.org/files', missingObjects });
    assert.match(text, /Label stores that were built with store build --bucket/);
    assert.match(text, /6 files that its rows name: s3\.example\.org\/files .* \(blobs\/0, .*blobs\/4, …\)/);
  });
});
