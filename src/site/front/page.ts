import { copiable } from '../../look/copy.ts'
import { contactHtml, type FrameSite, publicPage } from '../../look/frame.ts'
import type { Language } from '../../look/language.ts'
import { statesCss } from '../../look/states.ts'
import { escapeHtml } from '../../look/text.ts'
import { frameWords } from '../../look/words.ts'
import { snippetsCss } from '../client-tabs.ts'
import { tablesCss } from '../models/style.ts'
import { beginHtml } from './begin.ts'
import type { FrontFacts } from './facts.ts'
import { availabilityHtml, modelsHtml } from './tables.ts'
import { type FrontWords, frontWords } from './words.ts'

/** An address that clients use, and what it is for. */
export interface ClientAddress {
  readonly name: string
  readonly url: string
}

export interface FrontPage {
  readonly language: Language
  readonly site: FrameSite
  readonly subtitle: string | null
  /** The first one is the usual one. */
  readonly addresses: readonly [ClientAddress, ...ClientAddress[]]
  readonly isOpen: boolean
  readonly facts: FrontFacts
}

export const protocolNames = [
  'OpenAI Chat Completions',
  'OpenAI Responses',
  'Anthropic Messages',
  'Google Gemini',
] as const

/** The page at `/`. */
export function frontPage(page: FrontPage): string {
  const { language, site, subtitle, facts } = page
  const words = frontWords[language]
  const main =
    facts.modelCount === 0
      ? emptyHtml(words)
      : (site.hasModels ? modelsHtml(facts, language) : '') + availabilityHtml(facts, language)
  const begin = facts.modelCount === 0 ? '' : beginHtml(page, words)
  return publicPage({
    ...{ language, site, path: '/', copies: true },
    title: words.title(site.name, subtitle),
    description: subtitle ?? words.about(facts.modelCount, protocolNames.length),
    head: `<style>${css}</style>`,
    body: `<div class="wrap front">${heroHtml(page, words)}${main}${begin}</div>`,
  })
}

function heroHtml(page: FrontPage, words: FrontWords): string {
  const { site, subtitle, isOpen, facts } = page
  const isEmpty = facts.modelCount === 0
  const enter = isOpen
    ? `<a class="button main" href="/console/sign-up">${words.signUp}</a>`
    : `<a class="button main" href="/console">${words.console}</a>`
  const buttons = [
    ...(isEmpty ? [] : [enter]),
    ...(site.hasModels && !isEmpty ? [`<a class="button" href="/models">${words.prices}</a>`] : []),
    `<a class="button" href="${isEmpty ? '/docs' : '/docs/clients'}">${frameWords[page.language].docs}</a>`,
  ]
  const figures = [
    ...(site.hasModels ? [[facts.modelCount, words.models(facts.modelCount)] as const] : []),
    [facts.groups.length, words.groups(facts.groups.length)] as const,
    [protocolNames.length, words.protocols] as const,
  ].map(([count, unit]) => `<li><b>${count}</b> ${unit}</li>`)
  return (
    `<section class="hero"><div><h1>${escapeHtml(site.name)}</h1>` +
    `<p class="lead">${escapeHtml(subtitle ?? words.noSubtitle)}</p>` +
    `${isEmpty ? '' : `<ul class="figures">${figures.join('')}</ul>`}` +
    `<p class="buttons">${buttons.join('')}</p>${contactLine(site, words)}</div>` +
    `${addressesHtml(page, words)}</section>`
  )
}

const contactLine = ({ contact }: FrameSite, words: FrontWords) =>
  contact === null
    ? ''
    : `<p class="soft small asked">${words.questions} ${contactHtml(contact)}</p>`

function addressesHtml({ addresses, language }: FrontPage, words: FrontWords): string {
  const rows = addresses.map(({ name, url }) => {
    const code = copiable(`<code class="whole">${escapeHtml(url)}</code>`, frameWords[language])
    // A single one needs no name beside the title.
    const isAlone = addresses.length === 1 ? ' class="unseen"' : ''
    return `<dt${isAlone}>${escapeHtml(name)}</dt><dd>${code}</dd>`
  })
  const badges = protocolNames.map((name) => `<span class="badge">${name}</span>`)
  return (
    `<section class="card addresses"><h2>${words.addresses}</h2><dl>${rows.join('')}</dl>` +
    `<p class="soft small">${words.withVersion}</p><p class="badges">` +
    `<span class="unseen">${words.speaks}: </span>${badges.join(' ')}</p></section>`
  )
}

const emptyHtml = (words: FrontWords) =>
  `<section class="card empty"><h2>${words.emptyTitle}</h2><p>${words.emptyVisitor}</p>` +
  `<p class="soft">${words.emptyAdmin}</p><p><a class="button main" href="/console">${words.console}</a></p></section>`

const css = `
.front>section+section{margin-top:var(--s-12)}
.front h2{margin-bottom:var(--s-1)}
.hero{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,26rem);gap:var(--s-8) var(--s-12);align-items:start;padding-top:var(--s-4)}
.hero h1{font-size:var(--t-40);line-height:1.1}
.lead{margin-top:var(--s-3);font-size:var(--t-20);line-height:1.4;color:var(--soft);text-wrap:pretty}
.figures{display:flex;flex-wrap:wrap;gap:var(--s-1) var(--s-6);margin-top:var(--s-6);padding:0;list-style:none;color:var(--soft);font-size:var(--t-14)}
.figures b{color:var(--fg);font-size:var(--t-20);font-weight:600}
.buttons{display:flex;flex-wrap:wrap;gap:var(--s-2);margin-top:var(--s-6)}
.addresses h2{font-size:var(--t-14)}
.addresses dl{display:grid;gap:var(--s-1)}
.addresses dt{margin-top:var(--s-2);color:var(--soft);font-size:var(--t-13)}
.addresses .copied{display:flex;align-items:center;gap:var(--s-2)}
.addresses code{flex:1;padding:var(--s-1) var(--s-2);font-size:var(--t-14)}
.addresses>p{margin-top:var(--s-2)}
.badges{display:flex;flex-wrap:wrap;gap:var(--s-1)}
.headed{display:flex;justify-content:space-between;align-items:baseline;gap:0 var(--s-4)}.headed .on{flex:none}
.headed+p{margin-bottom:var(--s-3)}
.groups{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,16rem),1fr));gap:var(--s-2);padding:0;list-style:none}
.groups li{padding:var(--s-3) var(--s-4);border:1px solid var(--line);border-radius:var(--radius)}
.groups b{display:flex;justify-content:space-between;gap:var(--s-2);font-weight:500}
.groups span,.groups small{font-size:var(--t-13);font-weight:400}
.groups span{white-space:nowrap}.groups bdi{min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.steps{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,16rem),1fr));gap:var(--s-2) var(--s-8);margin:var(--s-3) 0 var(--s-4);padding:0;list-style:none;counter-reset:step}
.steps li{display:flex;gap:var(--s-2);counter-increment:step;font-size:var(--t-14)}
.steps li:before{content:counter(step);flex:none;width:20px;height:20px;border-radius:50%;background:var(--accent-soft);color:var(--accent);font:600 var(--t-12)/20px var(--font);text-align:center}
.empty p{margin-top:var(--s-2)}
.asked{margin-top:var(--s-4)}
${statesCss}${tablesCss}${snippetsCss}
@media(max-width:48rem){.hero{grid-template-columns:minmax(0,1fr)}.hero h1{font-size:var(--t-28)}.lead{font-size:var(--t-16)}.front>section+section{margin-top:var(--s-8)}}
`
  .trim()
  .replaceAll('\n', '')
