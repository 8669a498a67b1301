import { describeIntegration } from '../groups.ts';

describeIntegration('domains');
