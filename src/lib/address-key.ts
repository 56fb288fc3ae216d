import ipaddr from 'ipaddr.js'

/** Who asks, for counting: an address, or the network that one subscriber of IPv6 has. */
export function addressKey(address: string): string {
  const parsed = parse(address)
  if (parsed instanceof ipaddr.IPv6) return `${firstParts(parsed, 4)}::/64`
  return parsed?.octets.join('.') ?? address
}

/** The network around it that may be in one hand: /24 of IPv4, /48 of IPv6. */
export function networkKey(address: string): string {
  const parsed = parse(address)
  if (parsed instanceof ipaddr.IPv6) return `${firstParts(parsed, 3)}::/48`
  return parsed ? `${parsed.octets.slice(0, 3).join('.')}.0/24` : address
}

/** What is no address counts as it is. */
const parse = (address: string) => (ipaddr.isValid(address) ? ipaddr.process(address) : undefined)

const firstParts = ({ parts }: ipaddr.IPv6, count: number) =>
  parts
    .slice(0, count)
    .map((part) => part.toString(16))
    .join(':')
