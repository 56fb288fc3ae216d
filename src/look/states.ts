import type { Language } from './language.ts'

/** How well a group, or a model, answers. */
export type State = 'operational' | 'degraded' | 'down' | 'no_data'

export const stateWords: Readonly<Record<Language, Readonly<Record<State, string>>>> = {
  en: { operational: 'Working', degraded: 'Degraded', down: 'Down', no_data: 'No data' },
  zh: { operational: '正常', degraded: '部分异常', down: '不可用', no_data: '无数据' },
}

const operationalFrom = 0.95
const downBelow = 0.5

/** The state by the part of requests that succeeded; null: there were none. */
export function stateOf(ratio: number | null): State {
  if (ratio === null) return 'no_data'
  if (ratio < downBelow) return 'down'
  return ratio < operationalFrom ? 'degraded' : 'operational'
}

/** What was measured in an hour, or a day. */
interface Bar {
  readonly requests: number
  readonly failed: number
}

/** The state of an hour or a day, by the same measure as the present one. */
export const barState = ({ requests, failed }: Bar): State =>
  stateOf(requests === 0 ? null : (requests - failed) / requests)

/** What a bar shows: its state, and of a good one whether some requests failed. */
export type Level = 'good' | 'some' | 'degraded' | 'down' | 'empty'

export function levelOf(bar: Bar): Level {
  const state = barState(bar)
  if (state === 'operational') return bar.failed === 0 ? 'good' : 'some'
  return state === 'no_data' ? 'empty' : state
}

/** How high bars are, whole ones 24: a worse one is lower, to be seen without colours too. */
export const barHeights = { good: 24, some: 21, degraded: 14, down: 8 } as const

/** Each state has a shape, not a colour only: a tick, a triangle, a cross, a ring. */
const shapes: Readonly<Record<State, string>> = {
  operational: 'M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0zm-1 11.6L3.4 8l1.3-1.3L7 9l4.3-4.4 1.3 1.3z',
  degraded: 'M8 .5 16 15H0zM7.1 5.5v5h1.8v-5zm0 6v1.8h1.8v-1.8z',
  down: 'M4.7 0h6.6L16 4.7v6.6L11.3 16H4.7L0 11.3V4.7zM5.3 4 4 5.3 6.7 8 4 10.7 5.3 12 8 9.3l2.7 2.7 1.3-1.3L9.3 8 12 5.3 10.7 4 8 6.7z',
  no_data:
    'M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0zm0 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM4.5 7.1h7v1.8h-7z',
}

/**
 * The style of elements whose class is a state: its colour, and its shape before the word. With `quiet` beside it,
 * the word of a state that asks for nothing is soft: for tables of many.
 */
export const statesCss =
  '.operational{--c:var(--ok)}.degraded{--c:var(--mid)}.down{--c:var(--bad)}.no_data{--c:var(--soft)}' +
  '.operational,.degraded,.down,.no_data{color:var(--c)}.quiet.operational{color:var(--soft)}' +
  '.operational:before,.degraded:before,.down:before,.no_data:before{content:"";display:inline-block;' +
  'flex:none;width:16px;height:16px;margin-right:.25em;vertical-align:-.15em;background:var(--c);' +
  'clip-path:var(--i);transform:scale(.8)}' +
  Object.entries(shapes)
    .map(([state, path]) => `.${state}{--i:path(evenodd,"${path}")}`)
    .join('') +
  '@media(forced-colors:active){:before{forced-color-adjust:none}}'
