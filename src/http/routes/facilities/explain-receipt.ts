import { explainReceipt } from '../../../facilities/evidence/explain-receipt.ts';
import type { App } from '../../server/app.ts';
import { ExplainReceiptBody, ReceiptExplanation } from './schemas.ts';

/** `POST /explain_receipt`. */
export function explainReceiptRoutes(app: App): void {
  app.post(
    '/explain_receipt',
    {
      config: { access: 'validate' },
      schema: {
        operationId: 'explainReceipt',
        summary: 'Explains the score of a rated place',
        description:
          'The arithmetic of a score, what each indicator looked for, what is not known and how to settle each warning, from the receipt that is sent. Nothing is looked up and nothing is kept.',
        tags: ['facilities'],
        body: ExplainReceiptBody,
        response: { 200: ReceiptExplanation },
      },
    },
    async (request) => explainReceipt(request.body),
  );
}
