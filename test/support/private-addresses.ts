/** A host that must not be called, as a person may write it in a URL. */
export interface PrivateHost {
  readonly host: string
  readonly what: string
  /** It leads to this machine, and would be answered by whoever listens here. */
  readonly isHere?: true
}

const here = (what: string, ...hosts: readonly string[]): readonly PrivateHost[] =>
  hosts.map((host) => ({ host, what, isHere: true }))

const away = (what: string, ...hosts: readonly string[]): readonly PrivateHost[] =>
  hosts.map((host) => ({ host, what }))

/** Hosts of this machine, its network, its cloud and of nowhere (CASES X1). */
export const privateHosts: readonly PrivateHost[] = [
  ...here('loopback', '127.0.0.1', '[::1]'),
  ...here('a shorter way to write it', '127.1', '127.0.1', '[0:0:0:0:0:0:0:1]', '[0::1]'),
  ...here('one number', '2130706433', '0x7f000001', '017700000001'),
  ...here('in hexadecimal and octal', '0x7f.0.0.1', '0x7f.1', '0177.0.0.1', '0177.0.0.0x1'),
  ...here(
    'digits and dots of Unicode',
    '①②⑦.⓪.⓪.①',
    '１２７.０.０.１',
    '127。0。0。1',
    '127．0．0．1',
  ),
  ...here('percent-encoded', '%31%32%37.0.0.1', '127%2E0%2E0%2E1', '%6cocalhost'),
  ...here('an IPv4 address in IPv6', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:7F00:0001]'),
  ...here('a name of this machine', 'localhost', 'LOCALHOST', 'ｌｏｃａｌｈｏｓｔ'),
  ...here('a dot behind it', '127.0.0.1.', '127.1.'),
  ...here('nowhere, which leads here', '0.0.0.0', '0', '0x0', '[::]'),
  ...away('a name of this machine', 'localhost.', 'foo.localhost', 'foo.localhost.'),
  ...away('loopback, another one', '127.0.0.53', '127.255.255.254'),
  ...away('link-local', '169.254.1.1', '[fe80::1]', '[fe80::1:2:3]'),
  ...away(
    'metadata of a cloud',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
  ),
  ...away('metadata of a cloud, in IPv6', '[fd00:ec2::254]', '[::ffff:169.254.169.254]'),
  ...away(
    'metadata of Alibaba, Azure and Oracle',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
  ),
  ...away('behind a carrier’s NAT', '100.64.0.1', '100.127.255.254'),
  ...away('a private network', '10.0.0.1', '172.16.0.1', '172.31.255.254', '192.168.0.1'),
  ...away('a private network in IPv6', '[fc00::1]', '[fdff::1]', '[fec0::1]'),
  ...away('an IPv4 address by NAT64', '[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b:1::1]'),
  ...away('an IPv4 address by 6to4 and Teredo', '[2002:7f00:1::]', '[2001:0:7f00:1::]'),
  ...away('an IPv4 address, compatible', '[::127.0.0.1]', '[::a00:1]'),
  ...away('to many at once', '224.0.0.1', '239.255.255.255', '[ff02::1]', '255.255.255.255'),
  ...away('reserved', '240.0.0.1', '198.18.0.1', '192.0.2.1', '203.0.113.1', '[2001:db8::1]'),
]

/** What is no address of a web server, or hides which one it is: `{port}` is one of this machine. */
export const unfitUrls: readonly string[] = [
  ...['file:///etc/passwd', 'ftp://127.0.0.1:{port}/', 'gopher://127.0.0.1:{port}/_GET'],
  ...['unix:/run/docker.sock', 'http+unix://%2Frun%2Fdocker.sock/', 'data:text/plain,hello'],
  ...[
    'javascript:alert(1)',
    'ws://127.0.0.1:{port}/',
    'blob:http://127.0.0.1:{port}/1',
    's3://a/b',
  ],
  ...['http://public.example@127.0.0.1:{port}/', 'http://127.0.0.1:{port}:80@[::1]:{port}/'],
  ...['http://u:p@127.0.0.1:{port}/', 'https://:p@127.0.0.1:{port}/', '//127.0.0.1:{port}/'],
  ...['127.0.0.1:{port}', 'http://', 'http:///', 'http://127.0.0.1:99999/'],
  ...['http://[fe80::1%25lo]:{port}/', 'http://[fe80::1%lo]:{port}/', 'http://[::1/'],
  ...['http:\\\\127.0.0.1:{port}\\', 'http:/127.0.0.1:{port}/', 'http:127.0.0.1:{port}/'],
  ...[' http://127.0.0.1:{port}/', 'ht\ntp://127.0.0.1:{port}/', 'http://127.0.\t0.1:{port}/'],
  ...['http://256.256.256.256/', 'http://1.2.3.4.5/', 'http://0x7g.1/', 'http://[::ffff:127.1]/'],
]
