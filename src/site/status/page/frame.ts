import type { Language } from '../../../look/language.ts'
import type { State } from '../document.ts'
import { type Looks, legendHtml, nameHtml, plainName, type ShownGroup } from './group.ts'
import { type Incident, incidentsHtml } from './incidents.ts'
import { type States, secondHtml } from './words.ts'
import type { Words } from './words-en.ts'

/** A group with its models, the busiest first, and its incidents. */
export interface Described extends ShownGroup {
  readonly incidents: readonly Incident[]
}

export interface Frame {
  readonly siteName: string
  readonly language: Language
  readonly looks: Looks
  readonly shown: readonly Described[]
  readonly since: number
}

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

/** Each state has a shape, not a colour only: a tick, a triangle, a cross, a ring. */
const shapes: Readonly<Record<State, string>> = {
  operational: 'M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0zm-1 11.6L3.4 8l1.3-1.3L7 9l4.3-4.4 1.3 1.3z',
  degraded: 'M8 .5 16 15H0zM7.1 5.5v5h1.8v-5zm0 6v1.8h1.8v-1.8z',
  down: 'M4.7 0h6.6L16 4.7v6.6L11.3 16H4.7L0 11.3V4.7zM5.3 4 4 5.3 6.7 8 4 10.7 5.3 12 8 9.3l2.7 2.7 1.3-1.3L9.3 8 12 5.3 10.7 4 8 6.7z',
  no_data:
    'M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0zm0 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM4.5 7.1h7v1.8h-7z',
}
const signs = Object.entries(shapes)
  .map(([state, path]) => `.${state}{--i:path(evenodd,"${path}")}`)
  .join('')

/** Light and dark, one accent, the system's font. */
const style = `
:root{color-scheme:light dark;--bg:#fcfcfb;--fg:#1b1d20;--soft:#5c636b;--line:#e3e5e8;--ok:#1566c0;--mid:#9c5b00;--bad:#b3202b;--amber:#d98200;--none:#8d949c}
@media(prefers-color-scheme:dark){:root{--bg:#121416;--fg:#e9ebee;--soft:#9ba3ac;--line:#2b3036;--ok:#69adff;--mid:#f2b350;--bad:#ff7f86;--amber:#f2b350;--none:#6d7580}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:56rem;padding:2.5rem 1.5rem 4rem;background:var(--bg);color:var(--fg);font:1rem/1.5 system-ui,-apple-system,"Segoe UI","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
a{color:inherit;text-decoration-color:#8888;text-underline-offset:.2em}
a:hover{text-decoration-color:currentColor}
:focus-visible{outline:2px solid var(--ok);outline-offset:3px;border-radius:2px}
h1,h2,h3,p,dl,dd,figure,ul{margin:0;padding:0}
header>div{display:flex;justify-content:space-between;gap:1rem;color:var(--soft)}
header nav{display:flex;gap:.75rem;flex:none}
[aria-current]{color:var(--fg);text-decoration:none;font-weight:600}
h1{display:flex;gap:.75rem;align-items:baseline;margin:3rem 0 .5rem;font-size:clamp(1.6rem,5vw,2.25rem);line-height:1.2;font-weight:650;letter-spacing:-.015em;text-wrap:balance}
h1+p{font-size:1.0625rem}
h2{margin:3.5rem 0 0;font-size:1.1rem;font-weight:650}
h2+p{margin-top:.25rem}
p,ul,figcaption,dt,caption{color:var(--soft)}
svg{display:block}
.operational{color:var(--ok)}.degraded{color:var(--mid)}.down{color:var(--bad)}.no_data{color:var(--soft)}
.operational:before,.degraded:before,.down:before,.no_data:before{content:"";display:inline-block;flex:none;width:16px;height:16px;margin-right:.25em;vertical-align:-.15em;background:currentColor;clip-path:var(--i);transform:scale(.8)}
${signs}
h1:before{transform:translateY(12%)!important;zoom:1.6;margin:0!important}
h1 span{color:var(--fg)}
.l{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:1rem 0 0;list-style:none;font-size:.8125rem}
.l li{display:flex;align-items:center;gap:.45rem}
.l svg{width:6px;height:16px}
.g{padding:1.75rem 0;border-bottom:1px solid var(--line)}
h3{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1rem;font-size:1.0625rem;font-weight:650}
h3 span{white-space:nowrap;font-weight:500}
.g>p{font-size:.9375rem;margin-top:.15rem}
.c{display:grid;grid-template-columns:2fr 5fr;gap:1.25rem 2rem;margin-top:1.25rem}
figcaption{display:flex;justify-content:space-between;gap:1rem;margin-bottom:.45rem;font-size:.875rem}
figcaption b{color:var(--fg);font-weight:600}
.b{width:100%;height:36px;background:repeating-linear-gradient(135deg,var(--none) 0 .9px,#0000 1.1px 5.657px)}
figure p{display:flex;justify-content:space-between;margin-top:.3rem;font-size:.75rem}
.b path{fill:none;stroke-dasharray:3 1}
.b .a{stroke:var(--ok);stroke-width:24}
.b .s{stroke:var(--ok);stroke-width:21}
.b .m{stroke:var(--amber);stroke-width:14}
.b .d{stroke:var(--bad);stroke-width:8}
.b .t{stroke-width:24;opacity:.22}
.b .o{stroke:var(--bg);stroke-width:25;stroke-dasharray:none}
.b rect{width:4px;height:24px;fill:#0000}
.b rect:hover{fill:#8885}
dl{display:flex;flex-wrap:wrap;gap:.75rem 2.25rem;margin-top:1.25rem}
dt{font-size:.8125rem}
dd{font-weight:500}
dd small{font-size:.8125rem;font-weight:400;color:var(--soft)}
details{margin-top:1rem}
summary{width:max-content;max-width:100%;color:var(--soft);font-size:.9375rem;cursor:pointer}
summary:hover{color:var(--fg)}
details p{margin-top:.5rem;font-size:.875rem}
table{width:100%;margin-top:.75rem;border-collapse:collapse;font-size:.875rem}
th,td{padding:.4rem 0 .4rem 1rem;border-top:1px solid var(--line);text-align:right;font-weight:400;vertical-align:baseline}
td{white-space:nowrap}
th:first-child{padding-left:0;text-align:left}
td:nth-child(2){text-align:left}
tr:first-child>*{border:0;color:var(--soft);font-size:.8125rem;white-space:nowrap}
tr:first-child>:nth-child(2){text-align:left}
.e{display:grid;grid-template-columns:1fr auto;gap:.1rem 1.5rem;padding:.9rem 0;border-bottom:1px solid var(--line)}
.e+.e,.e:first-of-type{margin:0}
.e b{font-weight:600}
.e>:nth-child(even){text-align:right}
.e small{font-size:.875rem;color:var(--soft)}
footer{margin-top:3.5rem;font-size:.875rem}
footer p{margin-top:.6rem;max-width:44rem}
footer h2{margin:0}
footer nav{display:flex;flex-wrap:wrap;gap:.35rem 1.75rem;margin-top:1.5rem;color:var(--soft)}
@media(max-width:40rem){body{padding:1.25rem 1.1rem 3rem}h1{margin-top:2.25rem}.c{grid-template-columns:1fr}.w{display:none}.e{grid-template-columns:1fr}.e>:nth-child(even){text-align:left}dl{display:grid;grid-template-columns:1fr 1fr 1fr;gap:.75rem 1rem}dl .x{grid-column:span 3}}
@media(forced-colors:active){.b,.b path,:before{forced-color-adjust:none}}
`
  .trim()
  .replaceAll('\n', '')
