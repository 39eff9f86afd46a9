// The body that OpenAI's APIs send with an error status; both of its dialects use it.

const kinds: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  400: ['invalid_request_error', null],
  401: ['invalid_request_error', 'invalid_api_key'],
  429: ['requests', 'rate_limit_exceeded'],
};

export const openAiFailure = (status: number, message: string): unknown => {
  const [type, code] = kinds[status] ?? ['server_error', null];
  return { error: { message, type, param: null, code } };
};
