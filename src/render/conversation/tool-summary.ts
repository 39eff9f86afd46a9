// What a tool was called with, in one line: its command, its path or its question. Pure.

/** The fields that say the most, the best first. */
const telling: readonly string[] = [
  ...['command', 'cmd', 'file_path', 'filePath', 'path', 'absolute_path', 'pattern', 'query'],
  ...['url', 'description', 'prompt', 'question', 'message', 'name'],
];

/** `input` is JSON, perhaps cut. */
export function toolSummary(input: string): string {
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    return input;
  }
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name of telling) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof field === 'string' && field.trim() !== '') return field;
    if (Array.isArray(field)) return field.filter((each) => typeof each === 'string').join(' ');
  }
  const text = JSON.stringify(value);
  return text === '{}' ? '' : text;
}
