import { describe, expect, it } from 'vitest';
import { arePushKeys, encryptPush, PUSH_TEXT_BYTES_MAX } from './push-encryption.ts';

/** RFC 8291, section 5 and appendix A. */
const rfc = {
  plain: 'When I grow up, I want to be a watermelon',
  privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml' +
    'mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT' +
    'pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};
const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
const keys = { p256dh: rfc.p256dh, auth: rfc.auth };

describe('the body of a push', () => {
  it('is that of the example in RFC 8291, byte for byte', () => {
    const secrets = { privateKey: bytes(rfc.privateKey), salt: bytes(rfc.salt) };
    expect(encryptPush(rfc.plain, keys, secrets).toString('base64url')).toBe(rfc.body);
  });

  it('has another key and another salt each time', () => {
    const [one, two] = [encryptPush(rfc.plain, keys), encryptPush(rfc.plain, keys)];
    expect(one.subarray(0, 16)).not.toEqual(two.subarray(0, 16));
    expect(one.subarray(21, 86)).not.toEqual(two.subarray(21, 86));
  });

  it('is never longer than a record, and a longer text is refused', () => {
    expect(encryptPush('x'.repeat(PUSH_TEXT_BYTES_MAX), keys)).toHaveLength(4_096);
    expect(() => encryptPush('x'.repeat(PUSH_TEXT_BYTES_MAX + 1), keys)).toThrow(RangeError);
  });
});

it.each([
  ['those of a browser', keys, true],
  ['a point that is not on the curve', { ...keys, p256dh: bytes(rfc.p256dh).fill(1, 1) }, false],
  ['a point that is too short', { ...keys, p256dh: bytes(rfc.p256dh).subarray(1) }, false],
  ['a secret that is too short', { ...keys, auth: 'AAAA' }, false],
  ['nothing', { p256dh: '', auth: '' }, false],
])('%s can be keys: %#', (_what, given, isGood) => {
  const text = (each: string | Buffer): string =>
    typeof each === 'string' ? each : each.toString('base64url');
  expect(arePushKeys({ p256dh: text(given.p256dh), auth: text(given.auth) })).toBe(isGood);
});
