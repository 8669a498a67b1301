import { describeGroup } from './groups.ts';

describeGroup('http');
