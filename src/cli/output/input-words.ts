// What the daemon says of the fields of an operation, in the words of a command line: the option
// that was typed, and times as they are typed. Pure.

const options: Readonly<Record<string, string>> = {
  expires_in_ms: '--expires',
  for_ms: '--for',
  within_ms: '--within',
  connection_ref: '--ssh-target',
  keys: '--key',
  text: 'the text',
  alias: 'the name',
};

const operation = /^[a-z][a-z_]{0,60}: /;

/**
 * `--expires must be at most 7d`, of `share_pane: expires_in_ms must be at most 604800000`.
 * Sentences of the command itself name no operation, and stay.
 */
export const inputWords = (message: string): string =>
  operation.test(message) ? optionWords(message.replace(operation, '')) : message;

const optionWords = (message: string): string =>
  message
    .split('; ')
    .map((part) => {
      const [, field = '', rest = ''] = /^([a-z_]+)(?:\.\d+)?( .*)$/s.exec(part) ?? [];
      const option = options[field];
      if (option === undefined) return part;
      return `${option}${field.endsWith('_ms') ? rest.replace(/\d+$/, durationText) : rest}`;
    })
    .join('; ');

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

function durationText(digits: string): string {
  const ms = Number(digits);
  const [unit, size] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}
