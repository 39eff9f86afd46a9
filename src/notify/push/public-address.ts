// Whether an IP address is one of the public internet. What browsers name as their push service is
// sent to from here, so nothing inside of our own networks may be named. Pure.

import { BlockList, isIP } from 'node:net';

/** Special-purpose ranges of the IANA, multicast and what is reserved. */
const innerV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/** Of the one range that is public; the two last ones carry an IPv4 address inside. */
const innerV6 = ['2001:db8::/32', '3fff::/20', '2001::/23', '2002::/16'];
const publicV6 = ['2000::/3'];

const v4 = blockList(innerV4, 'ipv4');
const v6 = blockList(innerV6, 'ipv6');
const unicastV6 = blockList(publicV6, 'ipv6');

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !v4.check(address, 'ipv4');
    case 6:
      // An IPv4 address in the form of IPv6 is outside of the public range, and so refused.
      return unicastV6.check(address, 'ipv6') && !v6.check(address, 'ipv6');
    default:
      return false;
  }
}

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', length] = range.split('/');
    list.addSubnet(network, Number(length), family);
  }
  return list;
}
