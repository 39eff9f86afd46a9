// Times as every answer writes them.

/** Epoch milliseconds as the text that goes on the wire. */
export const isoOf = (atMs: number): string => new Date(atMs).toISOString();
