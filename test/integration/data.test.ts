import { describeIntegration } from '../groups.ts';

describeIntegration('data');
