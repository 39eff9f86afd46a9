// One cell of a table in Markdown, for the scripts that write reference pages.

// A bar inside a table cell would end the cell.
export const cell = (text: string | number): string => String(text).replaceAll('|', '\\|');
