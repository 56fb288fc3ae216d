import type { Bar } from '../../../catalog/availability.ts'
import { barState } from '../figures.ts'
import { escapeHtml } from './text.ts'
import type { Words } from './words.ts'

/** What a bar shows: all well, a few failures, degraded, down, nothing measured. */
type Level = 'good' | 'some' | 'degraded' | 'down' | 'empty'

function levelOf(bar: Bar): Level {
  switch (barState(bar)) {
    case 'no_data':
      return 'empty'
    case 'operational':
      return bar.failed === 0 ? 'good' : 'some'
    case 'degraded':
      return 'degraded'
    case 'down':
      return 'down'
  }
}

/** Class and height of a level: worse is lower, so that it is seen without colours, too. */
const looks = {
  good: { name: 'a', height: 24 },
  some: { name: 's', height: 21 },
  degraded: { name: 'm', height: 14 },
  down: { name: 'd', height: 8 },
} as const satisfies Record<Exclude<Level, 'empty'>, unknown>

/** Units of the drawing: a bar of 3, a gap of 1. */
const step = 4
const fullHeight = 24

/**
 * A row of bars, oldest first, as a drawing with a text for those who do not see it. Runs of equal
 * bars are one line with gaps, so that 90 bars are a few hundred bytes, and 2 KB at worst.
 * `titleOf` gives what was measured a text of its own, shown to a pointer.
 */
export function barsHtml(
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

/** How many bars show what, in words. */
export function summaryOf(bars: readonly Bar[], title: string, words: Words): string {
  const levels = { good: 0, some: 0, degraded: 0, down: 0, empty: 0 }
  for (const bar of bars) levels[levelOf(bar)]++
  return `${title}: ${words.chart.summary(levels)}`
}

/** Each level with its word: the key to the drawings. */
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

/** The bars alone: one path for each level, and the ground on which they stand. */
function drawingHtml(levels: readonly Level[]): string {
  // The ground is hatched: what was measured is laid over it.
  const ground = pathHtml(
    'o',
    levels.map((level) => level !== 'empty'),
    fullHeight,
  )
  const drawn = Object.entries(looks).map(([level, { name, height }]) => {
    const places = levels.map((one) => one === level)
    const bars = pathHtml(name, places, height)
    // What is missing to a full bar is there, but faint: else a low bar would look like none.
    return height > fullHeight / 1.5 ? bars : pathHtml(`${name} t`, places, fullHeight) + bars
  })
  return ground + drawn.join('')
}

/** A path through all the places that are its own: a line for each run of them. */
function pathHtml(name: string, places: readonly boolean[], height: number): string {
  const lines = places.flatMap((isOwn, place) => {
    if (!isOwn || places[place - 1]) return []
    const end = places.indexOf(false, place)
    const bars = (end < 0 ? places.length : end) - place
    return [`M${place * step} ${fullHeight - height / 2}h${bars * step - 1}`]
  })
  return lines.length === 0 ? '' : `<path class="${name}" d="${lines.join('')}"/>`
}
