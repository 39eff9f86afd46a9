// A name that nobody used before, also on a page without a secure context, where `randomUUID` is
// not there.

export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((each) => each.toString(16).padStart(2, '0')).join('');
}
