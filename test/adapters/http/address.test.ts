import { describe, expect, test } from 'vitest';
import { createAddressPolicy } from '#adapters/http/address.ts';

describe('addresses', () => {
  const allows = createAddressPolicy([]);

  test.each(
    `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16 169.254.169.254
    172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1
    203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 ::2 ::7f00:1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1
    64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::1 64:ff9b:1:2::8.8.8.8 100::1 100:0:0:1::1
    2001::1 2001:0:7f00:1::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1 2002:a00:1::1 2002:808:808::1
    3fff::1 4000::1 5f00::1 8000::1 fc00::1 fd00:ec2::254 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1 not-an-address`.split(
      /\s+/,
    ),
  )('%s is not public', (address) => {
    expect(allows(address)).toBe(false);
  });

  test.each(
    `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 169.253.255.255
    172.15.255.255 172.32.0.1 192.0.1.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1 223.255.255.255
    ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2606:4700::1111 2a00:1450:4001::1 2001:4860:4860::8888`.split(/\s+/),
  )('%s is public', (address) => {
    expect(allows(address)).toBe(true);
  });

  test('an allowed range opens its own addresses and no others', () => {
    const open = createAddressPolicy(['127.0.0.0/8', '10.1.2.3', 'fd00::/8', '::1']);
    const judge = (text: string): boolean[] => text.split(' ').map((address) => open(address));
    expect(judge('127.0.0.1 ::ffff:127.9.9.9 64:ff9b::127.0.0.1 10.1.2.3 fd12::1 ::1 8.8.8.8')).not.toContain(false);
    expect(judge('10.1.2.4 192.168.1.1 fc00::1 ::2 ::ffff:10.1.2.4')).not.toContain(true);
  });
});
