/**
 * Cut-off date of the EU deforestation regulation (Regulation (EU) 2023/1115, article 2), `YYYY-MM-DD`: what was forest on
 * this day must not have been cleared after it. A period that begins here begins after this day.
 */
export const CUT_OFF = '2020-12-31';

/** Where the monitoring of a batch begins unless it says otherwise, `YYYY-MM-DD`. */
export const DEFAULT_MONITORING_START = '2017-01-01';
