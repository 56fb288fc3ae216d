import { type FrameSite, pageFrame } from '../../../look/frame.ts'
import type { Language } from '../../../look/language.ts'
import { type State, statesCss } from '../../../look/states.ts'
import { shorten } from '../../figures.ts'
import { type Looks, legendHtml, longestName, nameHtml, type ShownGroup } from './group.ts'
import { type Incident, incidentsHtml } from './incidents.ts'
import { type States, secondHtml } from './words.ts'
import type { Words } from './words-en.ts'

/** A group with its models, the busiest first, and its incidents. */
export interface Described extends ShownGroup {
  readonly incidents: readonly Incident[]
}

export interface Frame {
  readonly site: FrameSite
  readonly language: Language
  readonly looks: Looks
  readonly shown: readonly Described[]
  readonly since: number
}

const namedGroups = 5

/** The page before its groups, and after them. */
export function frameHtml(frame: Frame): { readonly before: string; readonly after: string } {
  const { site, language, looks, shown } = frame
  const { words, nowMs } = looks
  const states = countStates(shown)
  const isEmpty = shown.length === 0
  const headline = words.headline(states, shown.length)
  const names = new Map(shown.map(({ about }) => [about.id, about.name]))
  const whole = pageFrame({
    ...{ site, language, path: '/status', head: `<style>${style}</style>` },
    title: `${headline} · ${shorten(site.name, longestName)}`,
    description: `${words.status}: ${headline}`,
  })
  const before =
    `${whole.before}<div class="wrap status"><header>` +
    `<h1 class="${worst(states)}"><span>${headline}</span></h1>${illHtml(shown, words)}` +
    `<p>${words.updated} ${secondHtml(nowMs, words)}</p></header>` +
    (isEmpty
      ? `<p>${words.noGroups}</p>`
      : `<h2 id="groups">${words.groups}</h2>${legendHtml(words)}`)
  const incidents = isEmpty
    ? ''
    : incidentsHtml({
        incidents: shown.flatMap((one) => one.incidents),
        nameOf: (groupId) => names.get(groupId) ?? '',
        since: frame.since,
        words,
      })
  const after = `${incidents}${footerHtml(language, words)}</div>${whole.after}`
  return { before, after }
}

/** Groups with a row each, and the number of those without. */
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

function worst({ down, degraded, operational }: States): State {
  if (down > 0) return 'down'
  if (degraded > 0) return 'degraded'
  return operational > 0 ? 'operational' : 'no_data'
}

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

function footerHtml(language: Language, words: Words): string {
  const about = words.explained.map((text) => `<p>${text}</p>`).join('')
  return (
    `<div class="about"><h2>${words.measured}</h2>${about}<nav aria-label="${words.status}">` +
    `<a href="/api/v1/status">${words.asJson}</a>` +
    `<span>${words.refresh} <a href="?lang=${language}">${words.everyMinute}</a> / ` +
    `<a href="?lang=${language}&amp;refresh=off">${words.never}</a></span></nav></div>`
  )
}

/** What the page adds to the look of all. */
const style = `
${statesCss}
.status h2{margin:var(--s-12) 0 0}
.status h2+p{margin-top:var(--s-1)}
.status a{color:inherit}
h1{display:flex;gap:var(--s-3);align-items:baseline;margin-bottom:var(--s-2)}
h1:before{transform:translateY(12%)!important;zoom:1.5;margin:0!important}
h1 span{color:var(--fg)}
.status p,.status ul,figcaption,dt{color:var(--soft)}
.l{display:flex;flex-wrap:wrap;gap:var(--s-1) 20px;margin:var(--s-4) 0 0;padding:0;list-style:none;font-size:var(--t-13)}
.l li{display:flex;align-items:center;gap:var(--s-2)}
.l svg{width:6px;height:16px}
.g{padding:var(--s-6) 0;border-bottom:1px solid var(--line)}
@media screen{.g{content-visibility:auto;contain-intrinsic-size:auto 11rem}}
h3{display:flex;flex-wrap:wrap;justify-content:space-between;gap:var(--s-1) var(--s-4)}
h3 span{white-space:nowrap;font-weight:500}
.g>p{font-size:var(--t-14)}
.c{display:grid;grid-template-columns:2fr 5fr;gap:20px var(--s-8);margin-top:20px}
figcaption{display:flex;justify-content:space-between;gap:var(--s-4);margin-bottom:var(--s-2);font-size:var(--t-14)}
figcaption b{color:var(--fg);font-weight:600}
.b{width:100%;height:36px;--none:color-mix(in srgb,var(--soft) 35%,transparent);background:repeating-linear-gradient(135deg,var(--none) 0 .9px,#0000 1.1px 5.657px)}
figure p{display:flex;justify-content:space-between;margin-top:var(--s-1);font-size:var(--t-12)}
.b path{fill:none;stroke-dasharray:3 1}
.b .a{stroke:var(--ok);stroke-width:24}
.b .s{stroke:var(--ok);stroke-width:21}
.b .m{stroke:var(--mid);stroke-width:14}
.b .d{stroke:var(--bad);stroke-width:8}
.b .t{stroke-width:24;opacity:.22}
.b .o{stroke:var(--bg);stroke-width:25;stroke-dasharray:none}
.b rect{width:4px;height:24px;fill:#0000}
.b rect:hover{fill:color-mix(in srgb,var(--fg) 40%,transparent)}
dl{display:flex;flex-wrap:wrap;gap:var(--s-3) 36px;margin-top:20px}
dt{font-size:var(--t-13)}
dd{font-weight:500}
dd small{font-weight:400;color:var(--soft)}
details{margin-top:var(--s-4)}
summary{width:max-content;max-width:100%;color:var(--soft);font-size:var(--t-14)}
summary:hover{color:var(--fg)}
details p{margin-top:var(--s-2);font-size:var(--t-14)}
table{margin-top:var(--s-3)}
.status th,.status td{padding:6px 0 6px var(--s-4);border-top:1px solid var(--line);border-bottom:0;text-align:right;font-weight:400}
td{white-space:nowrap}
.status th:first-child{padding-left:0;text-align:left}
.status td:nth-child(2){text-align:left}
.status tr:first-child>*{border:0;color:var(--soft);font-size:var(--t-13);white-space:nowrap}
.status tr:first-child>:nth-child(2){text-align:left}
.e{display:grid;grid-template-columns:1fr auto;gap:2px var(--s-6);padding:var(--s-3) 0;border-bottom:1px solid var(--line)}
.e+.e,.e:first-of-type{margin:0}
.e b{font-weight:600}
.e>:nth-child(even){text-align:right}
.e+p{margin-top:var(--s-3)}
.e small{font-size:var(--t-14);color:var(--soft)}
.about{font-size:var(--t-14)}
.about p{margin-top:var(--s-2);max-width:44rem}
.about nav{display:flex;flex-wrap:wrap;gap:var(--s-1) 28px;margin-top:var(--s-6);color:var(--soft)}
@media(max-width:40rem){h1{font-size:var(--t-20)}dd{font-size:var(--t-14)}.c{grid-template-columns:1fr}.w{display:none}.e{grid-template-columns:1fr}.e>:nth-child(even){text-align:left}dl{display:grid;grid-template-columns:1fr 1fr 1fr;gap:var(--s-3) var(--s-4)}dl .x{grid-column:span 3}}
@media(forced-colors:active){.b,.b path{forced-color-adjust:none}}
`
  .trim()
  .replaceAll('\n', '')
