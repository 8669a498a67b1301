import { describeGroup } from './groups.ts';

describeGroup('formats');
