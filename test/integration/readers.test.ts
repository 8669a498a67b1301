import { describeIntegration } from '../groups.ts';

describeIntegration('readers');
