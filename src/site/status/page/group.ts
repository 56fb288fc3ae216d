import { type Bar, bucketStart } from '../../../catalog/availability.ts'
import type { Group } from '../../../catalog/catalog.ts'
import { barHeights, type Level, levelOf, type State } from '../../../look/states.ts'
import { escapeHtml } from '../../../look/text.ts'
import { type BucketSize, bucketMs } from '../../../store/ports/availability.ts'
import { duration, percent, speedText } from '../../figures.ts'
import type { StatusGroup, StatusModel } from '../schema.ts'
import { freeText, percentOf } from './words.ts'
import type { Words } from './words-en.ts'

/** Code points shown of a name, and of a description. */
export const longestName = 60
const longestDescription = 160

/** A group's figures, and its models that are shown. */
export interface ShownGroup {
  readonly group: Group
  readonly about: Omit<StatusGroup, 'models'>
  readonly models: readonly StatusModel[]
}

export interface Looks {
  readonly words: Words
  readonly nowMs: number
}

export const nameHtml = (name: string) => freeText(name, longestName)

/** A state as a word; the style puts a coloured shape before it. */
const stateHtml = (state: State, words: Words) =>
  `<span class="${state}">${words.states[state]}</span>`

const stateCell = (state: State, words: Words) => `<td class="${state}">${words.states[state]}`

/** A group with its bars, figures and models. `hasTitles`: each bar has a text of its own. */
export function cardHtml(shown: ShownGroup, looks: Looks, hasTitles: boolean): string {
  const { group, about } = shown
  const { words } = looks
  const { description } = group
  return (
    `<section class="g" id="g${about.id}"><h3>${nameHtml(about.name)}${stateHtml(about.state, words)}</h3>` +
    `${description === '' ? '' : `<p>${freeText(description, longestDescription)}</p>`}` +
    `${about.availability['90d'].requests === 0 ? `<p>${words.never90}</p>` : measuredHtml(about, looks, hasTitles)}` +
    `${modelsHtml(shown, words)}</section>`
  )
}

const measuredHtml = (about: ShownGroup['about'], looks: Looks, hasTitles: boolean) =>
  `<div class="c">${chartHtml('hours', about, looks, hasTitles)}` +
  `${chartHtml('days', about, looks, hasTitles)}</div>${figuresHtml(about, looks.words)}`

export function rowHtml({ id, name, state, availability }: ShownGroup['about'], words: Words) {
  const ratios = [availability['24h'], availability['90d']].map(
    ({ ratio }) => `<td>${percent(ratio) ?? '–'}`,
  )
  return `<tr id="g${id}"><th scope="row">${nameHtml(name)}${stateCell(state, words)}${ratios.join('')}`
}

function chartHtml(
  size: 'hours' | 'days',
  about: ShownGroup['about'],
  { words, nowMs }: Looks,
  hasTitles: boolean,
): string {
  const bars = about[size]
  const { ratio, requests } = about.availability[size === 'hours' ? '24h' : '90d']
  const label = summaryOf(bars, words.chart[size], words)
  const title = titles(size, bars.length, words, nowMs)
  return (
    `<figure><figcaption><span>${words[size]}</span>` +
    `<b title="${words.requests(requests)}">${percent(ratio) ?? words.noData}</b></figcaption>` +
    `${barsHtml(bars, label, hasTitles ? title : undefined)}` +
    `<p><span>${words.oldest[size]}</span><span>${words.latest[size]}</span></p></figure>`
  )
}

function titles(size: 'hours' | 'days', bars: number, words: Words, nowMs: number) {
  const bucket: BucketSize = size === 'hours' ? 'hour' : 'day'
  const first = bucketStart(bucket, nowMs) - (bars - 1) * bucketMs[bucket]
  return (bar: Bar, place: number): string => {
    const date = new Date(first + place * bucketMs[bucket])
    const time = size === 'hours' ? `${date.toISOString().slice(11, 16)} UTC` : words.day(date)
    return `${time}: ${percentOf(bar)} · ${words.failures(bar.failed, bar.requests)}`
  }
}

function figuresHtml(about: ShownGroup['about'], words: Words): string {
  const { availability, first_byte_ms: first, tokens_per_second: speed } = about
  const ratioOf = (window: '1h' | '7d') => percent(availability[window].ratio) ?? words.noData
  const began =
    first.p50 === null || first.p95 === null
      ? words.noData
      : words.began(duration(first.p50), duration(first.p95))
  const pace = speed === null ? words.noData : words.perSecond(speedText(speed))
  const figure = (name: string, value: string, wide = '') =>
    `<div${wide}><dt>${name}</dt><dd>${value}</dd></div>`
  return (
    `<dl>${figure(words.lastHour, ratioOf('1h'))}${figure(words.sevenDays, ratioOf('7d'))}` +
    `${figure(words.speed, pace)}${figure(words.firstToken, began, ' class="x"')}</dl>`
  )
}

function modelsHtml({ about, models }: ShownGroup, words: Words): string {
  const left = about.models_total - models.length
  if (about.models_total === 0) return ''
  const rows = models.map((model) => modelHtml(model, words))
  const head =
    `<tr><th scope="col">${words.model}<th scope="col">${words.now}<th scope="col">` +
    `${words.shortHours}<th scope="col" class="w">${words.shortDays}<th scope="col">` +
    `${words.firstToken}<th scope="col" class="w">${words.speed}`
  const link = `/api/v1/status?group=${encodeURIComponent(about.name.toWellFormed())}`
  const more =
    left === 0
      ? ''
      : `<p>${words.moreModels(left)} <a href="${escapeHtml(link)}">${words.asJson}</a></p>`
  const table = models.length === 0 ? '' : `<table>${head}${rows.join('')}</table>`
  return `<details><summary>${words.models(about.models_total)}</summary>${table}${more}</details>`
}

function modelHtml(model: StatusModel, words: Words): string {
  const { name, state, availability, first_byte_ms: first, tokens_per_second: speed } = model
  return (
    `<tr><th scope="row">${freeText(name, longestName)}${stateCell(state, words)}` +
    `<td>${percent(availability['24h'].ratio) ?? '–'}` +
    `<td class="w">${percent(availability['90d'].ratio) ?? '–'}` +
    `<td>${first.p50 === null ? '–' : duration(first.p50)}` +
    `<td class="w">${speed === null ? '–' : words.perSecond(speedText(speed))}`
  )
}

/** The class of a level. */
const classes = { good: 'a', some: 's', degraded: 'm', down: 'd' } as const

const step = 4
const fullHeight = barHeights.good

/**
 * Bars as a drawing with a text, oldest first. Equal bars share a line, so that 90 need a few hundred
 * bytes. `titleOf` describes one for a pointer.
 */
function barsHtml(
  bars: readonly Bar[],
  label: string,
  titleOf?: (bar: Bar, place: number) => string,
): string {
  const titles = bars.map((bar, place) =>
    titleOf && bar.requests > 0 ? titleHtml(titleOf(bar, place), place) : '',
  )
  return (
    `<svg class="b" role="img" viewBox="0 0 ${bars.length * step - 1} ${fullHeight}" ` +
    `preserveAspectRatio="none" aria-label="${escapeHtml(label)}">` +
    `${drawingHtml(bars.map(levelOf))}${titles.join('')}</svg>`
  )
}

const titleHtml = (title: string, place: number) =>
  `<rect x="${place * step}"><title>${escapeHtml(title)}</title></rect>`

function summaryOf(bars: readonly Bar[], title: string, words: Words): string {
  const levels = { good: 0, some: 0, degraded: 0, down: 0, empty: 0 }
  for (const bar of bars) levels[levelOf(bar)]++
  return `${title}: ${words.chart.summary(levels)}`
}

/** The key to the drawings. */
export function legendHtml({ bars, states }: Words): string {
  const entries: readonly (readonly [Level, string])[] = [
    ['good', bars.all],
    ['some', bars.some],
    ['degraded', states.degraded],
    ['down', states.down],
    ['empty', states.no_data],
  ]
  const items = entries.map(([level, word]) => {
    const svg = `<svg class="b" viewBox="0 0 3 24" preserveAspectRatio="none" aria-hidden="true">`
    return `<li>${svg}${drawingHtml([level])}</svg>${word}</li>`
  })
  return `<ul class="l">${items.join('')}</ul>`
}

const levelsDrawn = ['good', 'some', 'degraded', 'down'] as const

function drawingHtml(levels: readonly Level[]): string {
  // The ground is hatched, under what was measured.
  const ground = pathHtml(
    'o',
    levels.map((level) => level !== 'empty'),
    fullHeight,
  )
  const drawn = levelsDrawn.map((level) => {
    const [name, height] = [classes[level], barHeights[level]]
    const places = levels.map((one) => one === level)
    const bars = pathHtml(name, places, height)
    // Fills low bars up faintly: they would look like none.
    return height > fullHeight / 1.5 ? bars : pathHtml(`${name} t`, places, fullHeight) + bars
  })
  return ground + drawn.join('')
}

function pathHtml(name: string, places: readonly boolean[], height: number): string {
  const lines = places.flatMap((isOwn, place) => {
    if (!isOwn || places[place - 1]) return []
    const end = places.indexOf(false, place)
    const bars = (end < 0 ? places.length : end) - place
    return [`M${place * step} ${fullHeight - height / 2}h${bars * step - 1}`]
  })
  return lines.length === 0 ? '' : `<path class="${name}" d="${lines.join('')}"/>`
}
