/** What the page's head says of the site, before anything is asked. */
export interface PageSite {
  readonly name: string
  readonly subtitle: string | null
  readonly logo: string | null
  readonly accent: string
  /** How to reach the operator. */
  readonly contact: string | null
}

const fallback: PageSite = {
  name: 'Tollgate',
  subtitle: null,
  logo: null,
  accent: '#0b7285',
  contact: null,
}

/** The operator's name, logo and accent. */
export const pageSite: PageSite = { ...fallback, ...readHead() }

/** Where a contact leads: mail, or an address. Undefined: it is words alone. */
export function contactHref(contact: string): string | undefined {
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(contact)) return `mailto:${contact}`
  return /^https?:\/\/\S+$/.test(contact) ? contact : undefined
}

function readHead(): Partial<PageSite> {
  const { content = '{}' } = document.querySelector<HTMLMetaElement>('meta[name=site]') ?? {}
  return JSON.parse(content)
}
