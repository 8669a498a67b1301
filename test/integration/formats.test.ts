import { describeIntegration } from '../groups.ts';

describeIntegration('formats');
