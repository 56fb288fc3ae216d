import type { Usage } from '../../src/protocols/canonical/usage.ts'
import type { Charge } from '../clients/gateway.ts'
import type { Played } from './play.ts'
import type { Work } from './work.ts'

/** What is to be said of a session. */
export interface Verdict {
  /** Figures, for a table. */
  readonly line: string
  readonly faults: readonly string[]
  /** Its bill in nano-USD. */
  readonly billed: number
}

/** So much of a turn's input is read from the cache in the next turn. */
const leastRead = 0.9
/** So much more than on its own protocol an agent's session may cost. */
const mostMore = 1.15

/** Holds a session against what a native user has; without `native` it is that of its own protocol. */
export function judge(played: Played, work: Work, native: Verdict | undefined): Verdict {
  const { code, turns, seen, charges, inputs, isMended, due } = played
  const expected = work.deeds.length + 1
  const billed = charges.reduce((sum, { amount_nano }) => sum + amount_nano, 0)
  const charged = charges.filter(({ amount_nano }) => amount_nano > 0).length
  const refused = [
    ...played.answers.filter(({ status }) => status >= 400),
    // What was refused in a WebSocket has no status of its own there.
    ...charges.filter(({ status }) => status >= 400).map((each) => ({ text: inWords(each) })),
  ]
  const others = refused.filter(({ text }) => !text.includes('thread_unsupported_request'))
  const reads = inputs.slice(1).map((usage, at) => usage.cacheReadTokens / wholeOf(inputs[at]))
  const worst = Math.min(1, ...reads)
  const ratio = native ? billed / native.billed : 1
  const faults = [
    code !== 0 && `exit ${code}`,
    !isMended && 'files are not as they should be',
    turns !== expected && `${turns} turns, not ${expected}`,
    !isTold(played.conversation, work.told) && 'the tests were not run, or not heard of',
    charged !== seen.requests && `${charged} charges for ${seen.requests} requests`,
    billed !== due && `${billed} charged for what costs ${due}`,
    others.length > 0 && `refused: ${others.map(({ text }) => text).join('\n')}`,
    worst < leastRead && `read from the cache: ${reads.map(percent).join(' ')}`,
    ratio > mostMore && `${ratio.toFixed(2)} of the native price`,
  ].filter((fault) => typeof fault === 'string')
  const input = inputs.reduce((sum, usage) => sum + wholeOf(usage), 0)
  const line = [
    `exit ${code}  ${isMended ? 'mended' : 'NOT MENDED'}  ${turns} turns  ${seen.requests} requests`,
    `${played.answers.length} answers  ${refused.length} refused  ${input} in  least read ${percent(worst)}`,
    `$${(billed / 1e9).toFixed(4)}  ${ratio.toFixed(2)} of native`,
  ].join('  ')
  return { line, faults, billed }
}

const inWords = ({ status, cause_text }: Charge) => `${status} ${cause_text}`

/** Whether the words are in the text, in their order. */
function isTold(text: string, words: readonly string[]): boolean {
  let from = 0
  return words.every((word) => {
    from = text.indexOf(word, from) + 1
    return from > 0
  })
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`

const wholeOf = (usage: Usage | undefined): number =>
  usage ? usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens : 0
