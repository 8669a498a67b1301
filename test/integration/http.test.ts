import { describeIntegration } from '../groups.ts';

describeIntegration('http');
