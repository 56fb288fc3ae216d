import type { Bar } from '../../../catalog/availability.ts'
import { barState } from '../figures.ts'
import { escapeHtml } from './text.ts'
import type { Words } from './words.ts'

/** What a bar shows: all well, a few failures, degraded, down, nothing measured. */
export type Level = 'good' | 'some' | 'degraded' | 'down' | 'empty'

export function levelOf(bar: Bar): Level {
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
 * bars are one line with gaps, so that 90 bars are a few hundred bytes. `titleOf` gives what was
 * measured a text of its own, shown to a pointer.
 */
export function barsHtml(
  bars: readonly Bar[],
  label: string,
  titleOf?: (bar: Bar, place: number) => string,
): string {
  const runs = runsOf(bars.map(levelOf))
  const titles = bars.map((bar, place) =>
    titleOf && bar.requests > 0 ? titleHtml(titleOf(bar, place), place) : '',
  )
  return (
    `<svg class="b" role="img" viewBox="0 0 ${bars.length * step - 1} ${fullHeight}" ` +
    `preserveAspectRatio="none" aria-label="${escapeHtml(label)}">` +
    `${runs.map(runHtml).join('')}${titles.join('')}</svg>`
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
    const drawing = runHtml({ level, from: 0, bars: 1 })
    const svg = `<svg class="b" viewBox="0 0 3 24" preserveAspectRatio="none" aria-hidden="true">`
    return `<li>${svg}${drawing}</svg>${word}</li>`
  })
  return `<ul class="l">${items.join('')}</ul>`
}

interface Run {
  readonly level: Level
  readonly from: number
  readonly bars: number
}

function runsOf(levels: readonly Level[]): readonly Run[] {
  const runs: Run[] = []
  for (const [place, level] of levels.entries()) {
    const last = runs.at(-1)
    if (last?.level !== level) runs.push({ level, from: place, bars: 1 })
    else runs.splice(-1, 1, { ...last, bars: last.bars + 1 })
  }
  return runs
}

function runHtml({ level, from, bars }: Run): string {
  const [x, width] = [from * step, bars * step - 1]
  // The ground is hatched: what was measured is laid over it.
  if (level === 'empty') return ''
  const ground = `<path class="o" d="M${x} ${fullHeight / 2}h${width + 1}"/>`
  const { name, height } = looks[level]
  const path = `<path class="${name}" d="M${x} ${fullHeight - height / 2}h${width}"/>`
  // What is missing to a full bar is there, but faint: else a low bar would look like none.
  const rest = `<path class="${name} t" d="M${x} ${fullHeight / 2}h${width}"/>`
  return ground + (level === 'good' || level === 'some' ? '' : rest) + path
}
