import ipaddr from 'ipaddr.js'
import { readCountryCode } from '../../lib/addresses.ts'
import type { Regions } from '../../store/ports/catalog.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

export type AddressList = readonly (readonly [Address, number])[]

/** Compiles addresses and CIDR blocks; throws on an entry that is neither. */
export function compileAddressList(entries: readonly string[]): AddressList {
  return entries.map((entry) => {
    if (entry.includes('/')) {
      const [address, bits] = ipaddr.parseCIDR(entry)
      return unmapBlock(address, bits)
    }
    const address = ipaddr.process(entry)
    return [address, address.kind() === 'ipv4' ? 32 : 128] as const
  })
}

/** Whether an address is in the list. IPv4-mapped IPv6 addresses count as their IPv4 address. */
export function isListed(address: string, list: AddressList): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return list.some(([block, bits]) => block.kind() === parsed.kind() && parsed.match(block, bits))
}

/** The peer, or behind trusted proxies the right-most other address. */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  trustedProxies: AddressList,
): string {
  if (forwardedFor === null || !isListed(peer, trustedProxies)) return peer
  const hops = forwardedFor.split(',').map((hop) => hop.trim())
  for (let index = hops.length - 1; index >= 0; index--) {
    const hop = hops[index] ?? ''
    // An invalid address ends the trust: everything left of it may be forged.
    if (!ipaddr.isValid(hop)) return peer
    if (!isListed(hop, trustedProxies)) return hop
  }
  return hops[0] ?? peer
}

function unmapBlock(address: Address, bits: number): readonly [Address, number] {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96) {
    return [address.toIPv4Address(), bits - 96]
  }
  return [address, bits]
}

/** What proxies write for an unknown country and for Tor (Cloudflare's `CF-IPCountry`). */
const unknown = new Set(['', 'XX', 'T1', 'ZZ'])

/** The countries that a header names; unknown words stay, so that no list matches them. */
export function readCountries(header: string | null): readonly string[] {
  const words = header?.split(',').map((part) => part.trim().toUpperCase()) ?? []
  if (words.every((word) => unknown.has(word))) return []
  return words.map((word) => readCountryCode(word) ?? (word || 'XX'))
}

/** Whether a list allows all of these countries. Unknown ones pass deny lists only. */
export function isServed(regions: Regions | null, from: readonly string[]): boolean {
  if (regions === null) return true
  return 'allow' in regions
    ? from.length > 0 && from.every((country) => regions.allow.includes(country))
    : !from.some((country) => regions.deny.includes(country))
}
