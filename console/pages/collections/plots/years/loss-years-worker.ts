/// <reference lib="webworker" />
import { serveLines } from '../../../../api/serve-lines.ts';
import { lossYears } from './loss-years.ts';

serveLines(lossYears, () => null);
