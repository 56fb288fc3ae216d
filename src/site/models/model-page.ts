import type { AvailabilityFigures } from '../../catalog/availability.ts'
import { copiable } from '../../look/copy.ts'
import type { Language } from '../../look/language.ts'
import { leadOn } from '../../look/lead-on.ts'
import { modelPath } from '../../look/model-path.ts'
import { escapeHtml } from '../../look/text.ts'
import { frameWords } from '../../look/words.ts'
import { duration, percent, speedText } from '../figures.ts'
import { healthOf, type ModelHealth } from './availability.ts'
import { beginHtml } from './begin.ts'
import { endpointsOf } from './endpoints.ts'
import { extrasHtml } from './extras.ts'
import type { ShownModel } from './models.ts'
import { priceText } from './money.ts'
import {
  capital,
  cell,
  foldedTable,
  modalitiesText,
  numberCell,
  stateHtml,
  tokensHtml,
  tokensText,
  wordsOf,
} from './parts.ts'
import { pricesHtml } from './price-tables.ts'
import { chargedFor, savingIn } from './rates.ts'
import type { Words } from './words-en.ts'

export interface ModelParts {
  readonly model: ShownModel
  readonly language: Language
  readonly figures: AvailabilityFigures
  /** Main address of the gateway, without `/v1`. */
  readonly address: string
}

/** The inside of a model's page. */
export function modelHtml(parts: ModelParts): string {
  const { model, language, figures, address } = parts
  const words = wordsOf[language]
  const { name, vendor } = model
  const vendorLink = vendor
    ? ` / <a href="/models?vendor=${encodeURIComponent(vendor.id)}">${escapeHtml(vendor.name)}</a>`
    : ''
  return (
    `<div class="wrap"><nav class="crumbs" aria-label="${words.path}"><a href="/models">${words.allModels}</a>${vendorLink}</nav>` +
    `<div class="head">${copiable(`<h1>${escapeHtml(name)}</h1>`, frameWords[language])}` +
    `${stateHtml(healthOf(model, figures), words)}</div>` +
    `<p class="lead">${escapeHtml(leadText(model, words))}</p>${factsHtml(model, words)}` +
    `${tryHtml(model, words)}${pricesHtml(model, words)}${beginHtml(model, address, language)}` +
    `${extrasHtml(model, words)}${availabilityHtml(parts)}${endpointsHtml(model, words)}</div>`
  )
}

/** The console's playground has questions in text alone. */
function tryHtml({ name, kind }: ShownModel, words: Words): string {
  if (kind !== 'answers') return ''
  const href = `/console/playground?model=${encodeURIComponent(name)}`
  return `<div class="actions"><a class="button main" href="${href}">${words.tryIt}</a></div>`
}

/** The cheapest group's price in words, and how it compares with the list. */
export function leadText(model: ShownModel, words: Words): string {
  const price = priceLine(model, words)
  const [{ group }, ...others] = model.sales
  const lowest = price === words.free ? words.freeIn(group.name) : words.from(price)
  const line = others.length > 0 ? lowest : price
  const saving = savingIn(model, chargedFor(model.sales[0]))
  if (saving === null || price === words.free) return line
  const vendor = model.vendor?.name ?? words.theVendor
  const compared =
    saving > 0
      ? words.below(saving, vendor)
      : saving < 0
        ? words.above(-saving, vendor)
        : words.likeList(vendor)
  return `${line} · ${compared}`
}

/** `$1.25 input, $10.00 output per 1M tokens`, in the cheapest group. */
export function priceLine({ kind, sales: [sale] }: ShownModel, words: Words): string {
  const charged = chargedFor(sale)
  if (charged.unit === 'free') return words.free
  if (charged.unit === 'call') return words.callLine(priceText(charged.price))
  const { input, output } = charged.tiers[0].rates
  if (kind === 'embeddings') return words.inputLine(input ? priceText(input) : '–')
  return words.priceLine(input ? priceText(input) : '–', output ? priceText(output) : '–')
}

function factsHtml(model: ShownModel, words: Words): string {
  const { vendor, contextWindow, maxOutput, input, output } = model
  const facts: readonly (readonly [string, string | undefined])[] = [
    [words.columns.vendor, vendor && escapeHtml(vendor.name)],
    [
      words.contextWindow,
      contextWindow === null ? undefined : words.tokens(tokensHtml(contextWindow)),
    ],
    [words.maxOutput, maxOutput === null ? undefined : words.tokens(tokensText(maxOutput))],
    [words.inputKinds, capital(modalitiesText(input, words))],
    [words.outputKinds, capital(modalitiesText(output, words))],
  ]
  const items = facts.flatMap(([title, html]) =>
    html === undefined ? [] : [`<div><dt>${title}</dt><dd>${html}</dd></div>`],
  )
  return `<dl class="facts">${items.join('')}</dl>`
}

function availabilityHtml({ model, language, figures }: ModelParts): string {
  const words = wordsOf[language]
  // Those with figures first: the others tell nothing, and the last ones are folded.
  const healths = model.sales
    .map(({ group }) => ({ group, health: healthOf(model, figures, group.id) }))
    .toSorted((a, b) => requestsIn(b.health) - requestsIn(a.health))
  const parts = healths.map(({ group, health }) => {
    const cells = healthCells(health, words)
    return `<tbody><tr><th scope="row"><bdi>${escapeHtml(group.name)}</bdi></th>${cells}</tr></tbody>`
  })
  const titles = [words.lastDay, words.lastWeek, words.firstToken, words.speed]
  const head =
    `<th scope="col">${words.group}</th><th scope="col">${words.state}</th>` +
    titles.map((title) => `<th scope="col" class="num">${title}</th>`).join('')
  return (
    `<section class="part" aria-labelledby="availability"><h2 id="availability">${words.availability}</h2>` +
    `<p>${words.availabilityLead} ${leadOn('/status', words.statusPage)}</p>` +
    `${foldedTable({ head, parts, open: 3 }, words)}</section>`
  )
}

const requestsIn = ({ availability }: ModelHealth) => availability['7d'].requests

function healthCells(health: ModelHealth, words: Words): string {
  const { availability, first_byte_ms: firstByte, tokens_per_second: speed } = health
  const share = (window: '24h' | '7d') => percent(availability[window].ratio) ?? '–'
  return (
    cell(words.state, stateHtml(health, words), ['corner']) +
    numberCell(words.lastDay, share('24h')) +
    numberCell(words.lastWeek, share('7d')) +
    numberCell(words.firstToken, firstByte.p50 === null ? '–' : duration(firstByte.p50)) +
    numberCell(words.speed, speed === null ? '–' : words.perSecond(speedText(speed)))
  )
}

function endpointsHtml(model: ShownModel, words: Words): string {
  const rows = endpointsOf(model).map(
    ({ path, protocol, isNative }) =>
      `<tr><th scope="row"><code>POST ${escapeHtml(path)}</code></th>${cell(words.protocol, protocol)}` +
      `${cell(words.way, isNative ? words.native : words.translated)}</tr>`,
  )
  return (
    `<section class="part" aria-labelledby="endpoints"><h2 id="endpoints">${words.endpoints}</h2>` +
    `<p>${words.endpointsLead} ${leadOn('/docs/translation', words.translation)}</p>` +
    `<table class="prices cards"><thead><tr><th scope="col">${words.endpoint}</th><th scope="col">${words.protocol}</th>` +
    `<th scope="col">${words.way}</th></tr></thead><tbody>${rows.join('')}</tbody></table></section>`
  )
}

/** Facts for search engines, as schema.org has them. */
export function structuredData(
  model: ShownModel,
  description: string,
  origin: string | null,
): string {
  const charged = chargedFor(model.sales[0])
  const offer = (price: string, unit: string, value: number) => ({
    '@type': 'Offer',
    priceCurrency: 'USD',
    price,
    priceSpecification: {
      ...{ '@type': 'UnitPriceSpecification', price, priceCurrency: 'USD' },
      referenceQuantity: { '@type': 'QuantitativeValue', value, unitText: unit },
    },
  })
  const plain = (text: string) => text.replace(/[$,]/g, '')
  const rates = charged.unit === 'tokens' ? charged.tiers[0].rates : undefined
  const offers = [
    ...(rates?.input ? [offer(plain(priceText(rates.input)), 'input tokens', 1_000_000)] : []),
    ...(rates?.output ? [offer(plain(priceText(rates.output)), 'output tokens', 1_000_000)] : []),
    ...(charged.unit === 'call' ? [offer(plain(priceText(charged.price)), 'request', 1)] : []),
  ]
  const data = {
    ...{ '@context': 'https://schema.org', '@type': 'Product', name: model.name, description },
    category: 'AI model API',
    ...(model.vendor && { brand: { '@type': 'Brand', name: model.vendor.name } }),
    ...(origin && { url: origin + modelPath(model.name) }),
    ...(offers.length > 0 && { offers }),
  }
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return `<script type="application/ld+json">${json}</script>`
}
