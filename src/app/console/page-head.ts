import { logoSvg } from '../../look/logo.ts'
import { escapeHtml } from '../../look/text.ts'
import { accentsOf, palettes, tokensCss, usualAccent } from '../../look/tokens.ts'
import type { Config } from '../config/config.ts'

type Site = Pick<Config['site'], 'name' | 'subtitle' | 'contact' | 'logoUrl' | 'accent'>

/**
 * The page with the operator's name, logo and colours in its head: the first thing that is seen is right.
 * `nonce` lets its styles, and those that its scripts add, pass the page's policy.
 */
export function withHead(page: string, site: Site, nonce: string): string {
  const accent = site.accent ?? usualAccent
  const { name, subtitle, contact, logoUrl: logo } = site
  const told = { name, subtitle, contact, logo, accent }
  const icon = logo ?? markOf(accent)
  const head =
    `<head><meta name="csp-nonce" content="${nonce}">` +
    `<meta name="site" content="${escapeHtml(JSON.stringify(told))}">` +
    `<link rel="icon" href="${escapeHtml(icon)}">` +
    `<style nonce="${nonce}">${tokensCss(accent)}${schemesCss(accent)}</style>`
  return page
    .replace('<head>', () => head)
    .replace(/<title>.*?<\/title>/, () => `<title>${escapeHtml(name)}</title>`)
}

const markOf = (accent: string) => {
  const colours = { ground: accent, mark: accentsOf(accent).light['on-accent'] }
  return `data:image/svg+xml,${encodeURIComponent(logoSvg(colours))}`
}

/** What a person chose in the console goes before what the system has. */
const schemesCss = (accent: string) =>
  (['light', 'dark'] as const)
    .map((scheme) => {
      const colours = Object.entries({ ...palettes[scheme], ...accentsOf(accent)[scheme] })
        .map(([name, colour]) => `--${name}:${colour}`)
        .join(';')
      return `:root[data-mantine-color-scheme=${scheme}]{color-scheme:${scheme};${colours}}`
    })
    .join('')

/** Content security policy of the page. Styles have a nonce; the logo may lie elsewhere. */
export function pagePolicy(nonce: string, logoUrl: string | null): string {
  const logo = logoUrl === null ? '' : ` ${sourceOf(logoUrl)}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:${logo}`,
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** An address as a source of a policy, which has neither query nor separators. */
function sourceOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')
}
