import { describeIntegration } from '../groups.ts';

describeIntegration('console');
