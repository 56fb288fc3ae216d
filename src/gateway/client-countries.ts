import { readCountryCode } from '../lib/country-codes.ts'
import type { Regions } from '../store/ports/regions.ts'

/** What proxies write for a country that they do not know, and for Tor (Cloudflare's `CF-IPCountry`). */
const unknown = new Set(['', 'XX', 'T1', 'ZZ'])

/**
 * The countries that a country header names: one, or several where the header came more than once.
 * None where nothing is known. A word that is no country stands as it is: no list has it.
 */
export function readCountries(header: string | null): readonly string[] {
  if (header === null) return []
  return header.split(',').flatMap((part) => {
    const word = part.trim().toUpperCase()
    return unknown.has(word) ? [] : [readCountryCode(word) ?? word]
  })
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
