import ipaddr from 'ipaddr.js'
import { toolPriceDecimals } from '../billing/extras.ts'
import { multiplierDecimals, nanoDecimals, parseDecimal, priceDecimals } from '../billing/money.ts'
import { readCountryCode } from '../lib/addresses.ts'
import { parseDateTime } from '../lib/clock.ts'
import { parseDurationMs, parseSizeBytes } from '../lib/format.ts'

/** Longer timers fire immediately. */
const maxDurationMs = 2 ** 31 - 1

/** Milliseconds of `500ms`, `10s`, `5m`; undefined for zero and for more than a timer can wait. */
export function parseDuration(text: string): number | undefined {
  const ms = parseDurationMs(text) ?? 0
  return ms >= 1 && ms <= maxDurationMs ? ms : undefined
}

/** The same, or 0 for `0s`: not at all. */
export function parseWait(text: string): number | undefined {
  return parseDurationMs(text) === 0 ? 0 : parseDuration(text)
}

const hostName = /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9_-]+)*$/

function isHost(text: string): boolean {
  return /^[\d.]+$/.test(text) ? ipaddr.IPv4.isValidFourPartDecimal(text) : hostName.test(text)
}

/** Where to listen: the host has no brackets, also for IPv6; port 0 is any free one. */
export interface Listen {
  readonly host: string
  readonly port: number
}

/** Host and port of `127.0.0.1:8787`, `localhost:0` or `[::1]:8787`. */
export function parseListen(text: string): Listen | undefined {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text)
  if (!match) return undefined
  const [, bracketed, bare = '', digits] = match
  const port = Number(digits)
  const known = bracketed === undefined ? isHost(bare) : ipaddr.IPv6.isValid(bracketed)
  return known && port <= 65_535 ? { host: bracketed ?? bare, port } : undefined
}

/** Path of `sqlite:./tollgate.db`, as it is written. */
export function parseStorePath(text: string): string | undefined {
  return /^sqlite:(?!\/\/)(\S.*)$/.exec(text)?.[1]
}

/** The characters that a URL must encode. */
export const inAddress = '/ # ? % @ as %2F %23 %3F %25 %40'

/** Whether `%` escapes decode to text; any other `%` stands for itself. */
function isDecodable(text: string): boolean {
  if (/%(?![0-9a-f]{2})/i.test(text)) return true
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Whether a text is a URL of a PostgreSQL database, with host and name. */
export const isPostgresUrl = (text: string): boolean =>
  /^postgres(ql)?:\/\/[^/?#\s]+\/[^/?#\s]+(\?[^#\s]*)?$/i.test(text) &&
  URL.canParse(text) &&
  isDecodable(text)

function isBlock(text: string): boolean {
  const [address = '', bits] = text.split('/')
  const known = address.includes(':')
    ? ipaddr.IPv6.isValid(address) && !address.includes('%')
    : ipaddr.IPv4.isValidFourPartDecimal(address)
  return known && (bits === undefined || (/^\d{1,3}$/.test(bits) && ipaddr.isValidCIDR(text)))
}

function complainOfUrl(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:\/\/[^/?#\s][^\s]*$/i.test(text))
    return 'is not a web address: write one that begins with https:// or http://'
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text))
    return 'has a user name or password in it: leave them out, a key belongs in api_key'
  return text.includes('#') ? 'has a # part, which a server never sees: leave it out' : undefined
}

function complainOfProxy(text: string): string | undefined {
  if (/^socks\w*:/i.test(text)) return 'is a SOCKS proxy, but a proxy must speak HTTP or HTTPS'
  const url = /^https?:\/\/[^/?#\s]+\/?$/i.test(text) ? URL.parse(text) : null
  return url === null
    ? 'is not a proxy: write http:// or https://, its host and its port, such as http://user:password@proxy.example.com:3128'
    : undefined
}

function complainOfStore(text: string): string | undefined {
  if (/^postgres(ql)?:/i.test(text)) {
    return isPostgresUrl(text)
      ? undefined
      : `is not a whole PostgreSQL address: write user, password, host and database, such as postgres://tollgate:password@db.example.com/tollgate; in a password write ${inAddress}`
  }
  return parseStorePath(text) === undefined
    ? 'is not a database: write sqlite: and the path of a file, such as sqlite:./tollgate.db, or a postgres:// address'
    : undefined
}

function complainOfCounters(text: string): string | undefined {
  const [address = '', query] = text.split('?')
  const isKnown = /^(rediss?|valkey):\/\/[^/?#\s]+(\/\d{0,3})?$/i.test(address)
  if (isKnown && URL.canParse(address)) return complainOfQuery(address, query)
  return `is not a Valkey or Redis: write redis:// (rediss:// with TLS), its host and its port, such as redis://user:password@counters.example.com:6379; in a password write ${inAddress}`
}

/** The query may say how to check the server's certificate, nothing else. */
function complainOfQuery(address: string, query: string | undefined): string | undefined {
  if (query === undefined) return undefined
  if (!/^rediss:/i.test(address)) return 'has a ? part, which only rediss:// (with TLS) may have'
  const isKnown = /^((ssl_ca_certs=[^&#\s]+|ssl_cert_reqs=(none|required))(&|$))+$/.test(query)
  return isKnown
    ? undefined
    : 'has a ? part that is not known: it may be ssl_ca_certs=/path/to/ca.pem or ssl_cert_reqs=none'
}

function complainOfName(text: string): string | undefined {
  if (text === '') return 'is empty'
  if (/^\s|\s$/.test(text)) return 'begins or ends with a space: remove it'
  if (/\p{Cc}/u.test(text)) return 'has a line break or another control character in it: remove it'
  if (/[\u202a-\u202e\u2066-\u2069]/.test(text))
    return 'has a character in it that turns the order of others: remove it'
  return text.length > 200 ? 'is longer than 200 characters: shorten it' : undefined
}

function complainOfKey(text: string): string | undefined {
  if (text === '') return 'is empty'
  return /[\s\p{Cc}]/u.test(text) ? 'has a space or a line break in it: remove it' : undefined
}

function complainOfUpstreamKey(text: string): string | undefined {
  const unfit = /[^\x21-\x7e]/.test(text)
  return (
    complainOfKey(text) ?? (unfit ? "has a character that HTTP headers can't carry" : undefined)
  )
}

function complainOfTokenKey(text: string): string | undefined {
  if (/^sk-./u.test(text)) return complainOfKey(text)
  return 'is not a token key: it must begin with sk- (openssl rand -hex 24 makes a good rest)'
}

/** Complains if `parse` returns undefined or a negative number. */
function complainUnless(parse: (text: string) => unknown, complaint: string) {
  return (text: string): string | undefined => {
    const value = parse(text)
    return value === undefined || Number(value) < 0 ? complaint : undefined
  }
}

/** Nano-USD per use of `10` (USD per 1,000 uses); 0 of `free`. */
export const parseToolPrice = (text: string | number): number | undefined =>
  text === 'free' ? 0 : parseDecimal(text, toolPriceDecimals)

/** More processes than this would keep one keeper busy with each other. */
const mostWorkers = 64

/** How many processes answer requests; auto: as many as the machine carries. */
export function parseWorkers(text: string): number | 'auto' | undefined {
  if (text === 'auto') return text
  const count = /^\d+$/.test(text) ? Number(text) : 0
  return count >= 1 && count <= mostWorkers ? count : undefined
}

const decimal = (decimals: number) => (text: string) => parseDecimal(text, decimals)
const matching = (pattern: RegExp) => (text: string) => pattern.test(text) || undefined

/**
 * What is wrong with a text of each kind, as the rest of a sentence that begins with it; undefined: nothing.
 * Complaints never repeat the text: it may be secret.
 */
export const complaints = {
  text: () => undefined,
  name: complainOfName,
  key: complainOfUpstreamKey,
  'token-key': complainOfTokenKey,
  password: complainUnless(matching(/./su), 'is empty: give a password, or leave the key out'),
  url: complainOfUrl,
  proxy: complainOfProxy,
  store: complainOfStore,
  counters: complainOfCounters,
  duration: complainUnless(
    parseDuration,
    'is not a duration: write a whole number with a unit, such as 500ms, 10s, 5m or 1h (at most 24d)',
  ),
  wait: complainUnless(
    parseWait,
    'is not a duration: write 0s, or a whole number with a unit, such as 500ms, 10s or 5m (at most 24d)',
  ),
  size: complainUnless(
    (text) => parseSizeBytes(text) || undefined,
    'is not a size: write a whole number with a unit, such as 512KiB, 64MiB or 1GiB',
  ),
  listen: complainUnless(
    (text) => parseListen(text)?.host,
    'is not an address to listen on: write host:port, such as "127.0.0.1:8787" or "[::1]:8787"',
  ),
  workers: complainUnless(
    parseWorkers,
    `is not a number of workers: write auto, or a whole number from 1 to ${mostWorkers}`,
  ),
  colour: complainUnless(
    matching(/^#[0-9a-f]{6}$/i),
    'is not a colour: write # and six hexadecimal digits, such as #0b7285 (in a file in quotes)',
  ),
  domain: complainUnless(
    matching(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?$/),
    'is not a domain: write it without https:// and path, such as gateway.example.com',
  ),
  folder: complainUnless(
    matching(/^\S(.*\S)?$/u),
    'is not a folder: write a path, such as /var/lib/tollgate/tollgate.spool',
  ),
  'page-file': complainUnless(
    matching(/^\S(.*\S)?\.(md|html)$/iu),
    'is not a page: write the path of a file that ends in .md or .html, such as ./front.md',
  ),
  block: complainUnless(
    (text) => isBlock(text) || undefined,
    'is not an IP address or CIDR block: write one such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32',
  ),
  email: complainUnless(
    matching(/^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)*$/),
    'is not an e-mail address: write one such as admin@example.com',
  ),
  header: complainUnless(
    matching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/),
    'is not the name of a header: write one such as CF-IPCountry',
  ),
  country: complainUnless(
    readCountryCode,
    'is not a country: write its two letters, such as CN, US or GB (ISO 3166-1 alpha-2)',
  ),
  'provider-id': complainUnless(
    matching(/^(?!credential$)[a-z0-9][a-z0-9-]{0,39}$/),
    'is not an id for addresses: write small letters, digits and hyphens, such as company (not credential)',
  ),
  'date-time': complainUnless(
    (text) => parseDateTime(text) !== undefined || undefined,
    'is not a date and time: write it with its offset, such as 2027-01-31T12:00:00Z, or null',
  ),
  usd: complainUnless(
    decimal(nanoDecimals),
    'is not an amount: write USD as a plain number with at most 9 decimals, such as 100 or 2.5',
  ),
  price: complainUnless(
    decimal(priceDecimals),
    'is not a price: write USD per 1M tokens as a plain number with at most 6 decimals, such as 0.25',
  ),
  'tool-price': complainUnless(
    parseToolPrice,
    'is not a price: write USD per 1,000 uses as a plain number with at most 6 decimals, such as 10, or free',
  ),
  multiplier: complainUnless(
    decimal(multiplierDecimals),
    'is not a multiplier: write a plain number with at most 6 decimals, such as 0.8',
  ),
} satisfies { [kind: string]: (text: string) => string | undefined }

export type ValueKind = keyof typeof complaints

/** A value that a check has admitted. Throws where it should not have. */
export function sure<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('A checked configuration has a value that is not valid.')
  return value
}
