import type { State } from '../figures.ts'
import { legendHtml } from './bars.ts'
import { type Looks, nameHtml, plainName, type ShownGroup } from './group.ts'
import type { Incident } from './incidents.ts'
import { incidentsHtml } from './incidents-html.ts'
import type { Language } from './language.ts'
import { style } from './style.ts'
import { secondHtml } from './time.ts'
import type { States, Words } from './words.ts'

/** A group, its models with those first that are asked for most, and its incidents. */
export interface Described extends ShownGroup {
  readonly incidents: readonly Incident[]
}

/** What stands around the groups. */
export interface Frame {
  readonly siteName: string
  readonly language: Language
  readonly looks: Looks
  readonly shown: readonly Described[]
  /** Since when incidents are known. */
  readonly since: number
}

/** So many groups that do not work are named at the top. */
const namedGroups = 5

/** The page before its groups, and after them. */
export function frameHtml(frame: Frame): { readonly before: string; readonly after: string } {
  const { siteName, language, looks, shown } = frame
  const { words, nowMs } = looks
  const states = countStates(shown)
  const headline = words.headline(states, shown.length)
  const title = `${headline} · ${plainName(siteName)}`
  const names = new Map(shown.map(({ about }) => [about.id, about.name]))
  const before =
    `<!doctype html><html lang="${words.tag}"><head><meta charset="utf-8">` +
    '<meta name="viewport" content="width=device-width,initial-scale=1">' +
    `<title>${title}</title><style>${style}</style></head><body><header><div>` +
    `<p>${nameHtml(siteName)} · ${words.status}</p>${languagesHtml(language, words)}</div>` +
    `<h1 class="${worst(states)}"><span>${headline}</span></h1>${illHtml(shown, words)}` +
    `<p>${words.updated} ${secondHtml(nowMs, words)}</p></header><main><h2 id="groups">${words.groups}</h2>` +
    (shown.length === 0 ? `<p>${words.noGroups}</p>` : legendHtml(words))
  const incidents = incidentsHtml({
    incidents: shown.flatMap((one) => one.incidents),
    nameOf: (groupId) => names.get(groupId) ?? '',
    since: frame.since,
    words,
  })
  const after = `${incidents}</main>${footerHtml(language, words)}</body></html>\n`
  return { before, after }
}

/** The groups that have one row each, and how many have none. */
export function furtherHtml(rows: readonly string[], left: number, words: Words): string {
  if (rows.length === 0 && left === 0) return ''
  const head =
    `<tr><th scope="col">${words.groups}<th scope="col">${words.now}` +
    `<th scope="col">${words.shortHours}<th scope="col">${words.shortDays}`
  const link = `<a href="/api/v1/status">${words.asJson}</a>`
  const more = left > 0 ? `<p>${words.moreGroups(left)} ${link}</p>` : ''
  return (
    `<h2>${words.furtherGroups}</h2><p>${words.furtherAbout} ${link}</p>` +
    `<table>${head}${rows.join('')}</table>${more}`
  )
}

function countStates(shown: readonly Described[]): States {
  const states = { operational: 0, degraded: 0, down: 0, no_data: 0 }
  for (const { about } of shown) states[about.state]++
  return states
}

/** The sign at the top is that of the worst group; nothing is measured only where nothing is. */
function worst({ down, degraded, operational }: States): State {
  if (down > 0) return 'down'
  if (degraded > 0) return 'degraded'
  return operational > 0 ? 'operational' : 'no_data'
}

/** Links to the groups that do not work, by their state. */
function illHtml(shown: readonly Described[], words: Words): string {
  return (['down', 'degraded'] as const)
    .map((state) => {
      const ill = shown.filter(({ about }) => about.state === state)
      const links = ill
        .slice(0, namedGroups)
        .map(({ about }) => `<a href="#g${about.id}">${nameHtml(about.name)}</a>`)
      const more = ill.length > namedGroups ? ' …' : ''
      return links.length === 0 ? '' : `<p>${words.listed(words.states[state], links)}${more}</p>`
    })
    .join('')
}

function languagesHtml(language: Language, words: Words): string {
  const link = (to: Language, tag: string, name: string) =>
    `<a href="?lang=${to}" lang="${tag}" hreflang="${tag}"${to === language ? ' aria-current="true"' : ''}>${name}</a>`
  return `<nav aria-label="${words.language}">${link('en', 'en', 'English')}${link('zh', 'zh-Hans', '中文')}</nav>`
}

function footerHtml(language: Language, words: Words): string {
  const about = words.explained.map((text) => `<p>${text}</p>`).join('')
  return (
    `<footer><h2>${words.measured}</h2>${about}<nav aria-label="${words.status}">` +
    `<a href="/pricing/provider-pricing.json">${words.feed}</a><a href="/api/v1/status">JSON</a>` +
    `<span>${words.refresh} <a href="?lang=${language}">${words.everyMinute}</a> / ` +
    `<a href="?lang=${language}&amp;refresh=off">${words.never}</a></span></nav></footer>`
  )
}
