// The numbers by which a person chooses options: `2`, `1,3` or `1 3`. Pure.

const numbers = /^\d{1,2}(?:[\s,]+\d{1,2})*$/;

/** Each number once, in the order that was typed; null for a text that is more than numbers. */
export const readOptionNumbers = (text: string): readonly number[] | null =>
  numbers.test(text) ? [...new Set(text.split(/[\s,]+/).map(Number))] : null;
