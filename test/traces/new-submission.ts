import { createHash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { NewSubmission } from '../../src/db/traces/submissions.ts';
import { SAMPLE_DDS } from './sample-filings.ts';

/** A made-up submission that is ready to be recorded. */
export function newSubmission(change: Partial<NewSubmission> = {}): NewSubmission {
  const internalReference = `FM-${randomUUID().replaceAll('-', '').slice(0, 20).toUpperCase()}`;
  const filing = { ...SAMPLE_DDS, statement: { ...SAMPLE_DDS.statement, internalReferenceNumber: internalReference } };
  const text = JSON.stringify(filing);
  return {
    userId: 'traces-user',
    collectionId: randomUUID(),
    statementNumber: 1,
    kind: 'dds',
    environment: 'test',
    internalReference,
    content: {
      bytes: gzipSync(text),
      sha256: createHash('sha256').update(text).digest('hex'),
      summary: {
        plots: 1,
        commodities: 1,
        producers: 1,
        geodataBytes: 100,
        operatorRole: 'OPERATOR',
        activityType: 'DOMESTIC',
        headings: ['1801'],
      },
    },
    idempotency: null,
    ...change,
  };
}
