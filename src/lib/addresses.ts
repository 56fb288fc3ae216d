import ipaddr from 'ipaddr.js'

/** The key to count a client by: its IPv4 address, or the IPv6 network of one subscriber. */
export function addressKey(address: string): string {
  const parsed = parse(address)
  if (parsed instanceof ipaddr.IPv6) return `${firstParts(parsed, 4)}::/64`
  return parsed?.octets.join('.') ?? address
}

/** A network that one party may control: /24 of IPv4, /48 of IPv6. */
export function networkKey(address: string): string {
  const parsed = parse(address)
  if (parsed instanceof ipaddr.IPv6) return `${firstParts(parsed, 3)}::/48`
  return parsed ? `${parsed.octets.slice(0, 3).join('.')}.0/24` : address
}

const parse = (address: string) => (ipaddr.isValid(address) ? ipaddr.process(address) : undefined)

const firstParts = ({ parts }: ipaddr.IPv6, count: number) =>
  parts
    .slice(0, count)
    .map((part) => part.toString(16))
    .join(':')

/** ISO 3166-1 alpha-2, as of 2024, and XK, which proxies send for Kosovo (a user-assigned code). */
const codes = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT
   BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH
   ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT
   HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS
   LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI
   NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG
   SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
   UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`.split(/\s+/),
)

/** A country code in capitals, from any case; undefined: not a code. */
export function readCountryCode(text: string): string | undefined {
  const code = text.toUpperCase()
  return codes.has(code) ? code : undefined
}

/** By which host of an address this machine reaches who listens on `host`: all addresses have the loopback one. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
