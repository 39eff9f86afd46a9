// How long the races, storms and soaks run: whole with `npm run test:long`, else a tenth of it.

export const isLong: boolean = process.env['AGTMUX_LONG'] === '1';

/** How often something is repeated that a long run repeats so often. */
export const repeats = (whole: number): number => (isLong ? whole : Math.ceil(whole / 10));
