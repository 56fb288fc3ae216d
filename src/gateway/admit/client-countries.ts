import { readCountryCode } from '../../lib/addresses.ts'
import type { Regions } from '../../store/ports/catalog.ts'

/** What proxies write for a country that they do not know, and for Tor (Cloudflare's `CF-IPCountry`). */
const unknown = new Set(['', 'XX', 'T1', 'ZZ'])

/**
 * The countries that a country header names: one, or several where the header came more than once.
 * None where nothing is known. A word that is no country stands as it is: no list has it; so does one for
 * an unknown country beside a known one, which a client may have sent itself.
 */
export function readCountries(header: string | null): readonly string[] {
  const words = header?.split(',').map((part) => part.trim().toUpperCase()) ?? []
  if (words.every((word) => unknown.has(word))) return []
  return words.map((word) => readCountryCode(word) ?? (word || 'XX'))
}

/**
 * Whether somebody is served who comes from these countries: each must be where the header names more
 * than one. Where none is known, only a list of denied ones lets through. Lists are short: no set.
 */
export function isServed(regions: Regions | null, from: readonly string[]): boolean {
  if (regions === null) return true
  return 'allow' in regions
    ? from.length > 0 && from.every((country) => regions.allow.includes(country))
    : !from.some((country) => regions.deny.includes(country))
}
