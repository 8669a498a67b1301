import { describeShare } from '../groups.ts';

describeShare('webhooks', 2);
