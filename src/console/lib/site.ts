import { usualAccent } from '../../look/tokens.ts'

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
  accent: usualAccent,
  contact: null,
}

/** The operator's name, logo and accent. */
export const pageSite: PageSite = { ...fallback, ...readHead() }

function readHead(): Partial<PageSite> {
  const { content = '{}' } = document.querySelector<HTMLMetaElement>('meta[name=site]') ?? {}
  return JSON.parse(content)
}
