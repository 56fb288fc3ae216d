import ipaddr from 'ipaddr.js'

/** Answers only inside of one vendor's cloud, with what its machines may know, from a public range. */
const azureHostService = '168.63.129.16'

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address belongs to the public internet. Of IPv6 that is 2000::/3 at most, all that has
 * ever been given out (IANA, "IPv6 Global Unicast Address Assignments"); beside it are forms that
 * hold a private IPv4 address.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === azureHostService) return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}

/** Whether a host is plainly one of this machine or network, without asking anybody. */
export function isPrivateHost(hostname: string): boolean {
  const host = bareHost(hostname)
  return ipaddr.isValid(host) ? !isPublic(host) : /(^|\.)localhost\.?$/.test(host)
}

/** Without the brackets that a URL puts around IPv6. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}
