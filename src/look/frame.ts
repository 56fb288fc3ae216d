import { contactHref } from './contact.ts'
import { copyScript } from './copy.ts'
import { icon } from './icons.ts'
import { type Language, languages, languageTags } from './language.ts'
import { logoSvg } from './logo.ts'
import { baseCss } from './style.ts'
import { escapeHtml } from './text.ts'
import { tokensCss, usualAccent } from './tokens.ts'
import { frameWords } from './words.ts'

/** What the frame says about the operator's site. */
export interface FrameSite {
  readonly name: string
  readonly logoUrl: string | null
  /** `#rrggbb`; null: the usual one. */
  readonly accent: string | null
  readonly contact: string | null
  /** The operator's own documentation. */
  readonly docUrl: string | null
  readonly version: string
  /** Whether there is a page of models for everyone. */
  readonly hasModels: boolean
  /** Origin of canonical addresses, `https://gateway.example.com`; null: unknown. */
  readonly origin: string | null
  /** Before links to other pages, on a host that has this page alone; left out: '', the same host. */
  readonly linksTo?: string
}

export interface PublicPage {
  readonly title: string
  /** A sentence for search engines and shared links. */
  readonly description: string
  readonly language: Language
  /** Path of the page, `/models/gpt-5`, with the query that other languages keep. */
  readonly path: string
  readonly site: FrameSite
  /** HTML of the main part; an element of class `wrap` has the page's width. */
  readonly body: string
  /** More for the head, such as `<style>`. */
  readonly head?: string
  /** Whether it has buttons of `copiable`: their script is added. */
  readonly copies?: boolean
}

/** A whole page of the public site: header, `body` as it is, footer. All other texts are escaped. */
export function publicPage(page: PublicPage): string {
  const { before, after } = pageFrame(page)
  return before + page.body + after
}

/** The page before its body, and after it. */
export function pageFrame(page: Omit<PublicPage, 'body'>) {
  const { language, site, head = '', copies = false } = page
  const words = frameWords[language]
  const css = tokensCss(site.accent ?? usualAccent) + baseCss
  return {
    before:
      `<!doctype html><html lang="${languageTags[language]}"><head><meta charset="utf-8">` +
      '<meta name="viewport" content="width=device-width,initial-scale=1">' +
      `${aboutHtml(page)}<style>${css}</style>${head}</head><body>` +
      `<a class="skip" href="#main">${words.skip}</a>${headerHtml(page)}<main id="main">`,
    after: `</main>${footerHtml(page)}${copies ? `<script>${copyScript}</script>` : ''}</body></html>\n`,
  }
}

function aboutHtml({ title, description, language, path, site }: Omit<PublicPage, 'body'>): string {
  const { origin } = site
  const og = (name: string, value: string) =>
    `<meta property="og:${name}" content="${escapeHtml(value)}">`
  const alternate = (tag: string, href: string) =>
    `<link rel="alternate" hreflang="${tag}" href="${escapeHtml(href)}">`
  const links =
    origin === null
      ? ''
      : `<link rel="canonical" href="${escapeHtml(origin + ownPath(path, language))}">` +
        og('url', origin + ownPath(path, language)) +
        languages.map((one) => alternate(languageTags[one], origin + ownPath(path, one))).join('') +
        alternate('x-default', origin + path)
  const locale = language === 'zh' ? 'zh_CN' : 'en_US'
  return (
    `<title>${escapeHtml(title)}</title><meta name="description" content="${escapeHtml(description)}">` +
    `${links}${og('type', 'website')}${og('site_name', site.name)}${og('title', title)}` +
    `${og('description', description)}${og('locale', locale)}` +
    `${site.logoUrl === null ? '' : og('image', site.logoUrl)}<meta name="twitter:card" content="summary">` +
    `<link rel="icon" href="${escapeHtml(site.logoUrl ?? '/favicon.svg')}">`
  )
}

/** The canonical path of a page in a language: to search engines each language is a page of its own. */
const ownPath = (path: string, language: Language): string =>
  language === languages[0] ? path : inLanguage(path, language)

/** The same page in a language of choice. */
function inLanguage(path: string, language: Language): string {
  const url = new URL(path, 'http://localhost')
  url.searchParams.set('lang', language)
  return url.pathname + url.search
}

function headerHtml({ language, path, site }: Omit<PublicPage, 'body'>): string {
  const words = frameWords[language]
  const { linksTo = '' } = site
  const bare = path.replace(/\?.*/, '')
  const link = (to: '/models' | '/status' | '/docs', name: string) => {
    const here = bare === to ? 'page' : bare.startsWith(`${to}/`) ? 'true' : undefined
    const current = here === undefined ? '' : ` aria-current="${here}"`
    return `<a href="${escapeHtml(linksTo)}${to}"${current}>${name}</a>`
  }
  const logo = site.logoUrl
    ? `<img src="${escapeHtml(site.logoUrl)}" alt="" height="28">`
    : logoSvg({ ground: 'var(--accent)', mark: 'var(--on-accent)' })
  return (
    `<header class="top"><div class="wrap"><a class="brand" href="${escapeHtml(linksTo)}/">${logo}` +
    `<bdi>${escapeHtml(site.name)}</bdi></a><nav class="pages" aria-label="${words.pages}">` +
    `${site.hasModels ? link('/models', words.models) : ''}${link('/status', words.status)}` +
    `${link('/docs', words.docs)}</nav>${languagesHtml(language, path)}` +
    `<a class="button enter" href="${escapeHtml(linksTo)}/console">${words.console}</a></div></header>`
  )
}

const languageNames: Readonly<Record<Language, string>> = { en: 'English', zh: '中文' }

/** The page's other language, in its own words. */
function languagesHtml(language: Language, path: string): string {
  const others = languages.filter((one) => one !== language)
  const links = others.map((one) => {
    const tag = languageTags[one]
    const href = escapeHtml(inLanguage(path, one).replace(/^[^?]*/, ''))
    return `<a href="${href}" lang="${tag}" hreflang="${tag}">${icon('language')} ${languageNames[one]}</a>`
  })
  const label = frameWords[language].language
  return `<nav class="languages" aria-label="${label}">${links.join('')}</nav>`
}

function footerHtml({ language, site }: Omit<PublicPage, 'body'>): string {
  const words = frameWords[language]
  const { contact, docUrl, linksTo = '' } = site
  const parts = [
    ...(contact === null ? [] : [`${words.contact}: ${contactHtml(contact)}`]),
    ...(docUrl === null ? [] : [`<a href="${escapeHtml(docUrl)}">${words.guide}</a>`]),
    `<a href="${escapeHtml(linksTo)}/pricing/provider-pricing.json">${words.feed}</a>`,
    `Tollgate ${escapeHtml(site.version)}`,
  ]
  const spans = parts.map((part) => `<span>${part}</span>`).join('')
  return `<footer class="foot"><div class="wrap">${spans}</div></footer>`
}

/** An e-mail address or a web address as a link; any other text as it is. */
export function contactHtml(contact: string): string {
  const text = escapeHtml(contact)
  const href = contactHref(contact)
  return href === undefined ? text : `<a href="${escapeHtml(href)}">${text}</a>`
}
