// The outlines of countries and water are 166 MB that only the making of built-in data and base map needs.
import { toolPackages } from './tool-packages.js';

/** Installs them unless they are there, and removes what was installed. */
export const { fetch: fetchOutlines, drop: dropOutlines } = toolPackages('outlines', '@geo-maps/countries-land-250m');
