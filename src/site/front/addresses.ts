import type { Language } from '../../look/language.ts'
import type { ClientAddress } from './page.ts'
import { frontWords } from './words.ts'

/** The addresses of a site, as the configuration has them. */
export interface SiteAddress {
  readonly baseUrl: string | null
  readonly overseasBaseUrl: string | null
  readonly customEndpoints: readonly { readonly name: string; readonly endpoint: string }[]
}

/** What clients may use; without a configured address, where the page was asked for. */
export function clientAddresses(
  { baseUrl, overseasBaseUrl, customEndpoints }: SiteAddress,
  origin: string,
  language: Language,
): readonly [ClientAddress, ...ClientAddress[]] {
  const words = frontWords[language]
  const isAlone = overseasBaseUrl === null
  return [
    { name: isAlone ? words.main : words.mainBeside, url: bare(baseUrl ?? origin) },
    ...(isAlone ? [] : [{ name: words.overseas, url: bare(overseasBaseUrl) }]),
    ...customEndpoints.map(({ name, endpoint }) => ({ name, url: bare(endpoint) })),
  ]
}

const bare = (url: string) => url.replace(/\/+$/, '')
