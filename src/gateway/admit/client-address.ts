import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A compiled list of addresses and CIDR blocks. */
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

/**
 * The client's address: the socket's peer, unless that is a trusted proxy; then the right-most
 * address of `X-Forwarded-For` that is not one. No other header is believed (CONTRACT 1.4).
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  trustedProxies: AddressList,
): string {
  if (forwardedFor === null || !isListed(peer, trustedProxies)) return peer
  const hops = forwardedFor.split(',').map((hop) => hop.trim())
  for (let index = hops.length - 1; index >= 0; index--) {
    const hop = hops[index] ?? ''
    // What is not an address ends the trust: nothing left of it can be believed.
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
