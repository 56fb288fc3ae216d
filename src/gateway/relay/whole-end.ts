import type { Observation } from '../../protocols/canonical/observation.ts'
import type { GatewayError } from '../errors.ts'
import type { Concluded } from '../exchange.ts'
import { answeredEnd, type End } from '../money/record.ts'
import type { Refusal, UndeliverableAnswer } from '../upstream/answer.ts'
import { shownError } from '../upstream/hide-secrets.ts'
import { disconnectTexts } from './disconnect.ts'

/** The end of a whole answer. */
export function bodyEnd(exchange: Concluded, seen: Observation): End {
  const left = 'client_left'
  if (exchange.interruption === left) return answeredEnd(left, left, disconnectTexts.whole)
  if (seen.outcome !== 'failed') return answeredEnd(seen.outcome ?? 'complete')
  const text = shownError(exchange, seen) ?? 'The upstream reported an error in its answer.'
  return answeredEnd('failed', 'upstream_error', text)
}

/** The end of an answer that is not passed on; `record`: what may be kept of its error. */
export function undeliverableEnd(
  exchange: Concluded,
  { isUsageUnknown: isLost, memoryError }: UndeliverableAnswer,
  error: GatewayError,
  record = error.message,
): End {
  const isDisconnected = exchange.interruption === 'client_left'
  const why = memoryError ? 'noMemory' : isLost ? 'lost' : 'charged'
  return {
    ending: isDisconnected ? 'client_left' : 'failed',
    status: error.status,
    cause: isDisconnected ? 'client_left' : error.word,
    causeText: `${record} ${undeliverableTexts[why]}`,
    isLost,
  }
}

const undeliverableTexts = {
  charged:
    'The answer was generated, though: its reported usage is charged, or else what was received.',
  noMemory: 'The answer was generated, though: the amount reserved for the request is charged.',
  lost: 'It was too long to read, so the amount reserved for the request is charged.',
} as const

/** The end of a refused request, with its shortened message for the caller's record. */
export function refusalEnd({ status, bytes }: Refusal): End {
  const text = new TextDecoder().decode(bytes)
  const message = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
  const causeText = (message ? String(JSON.parse(message)) : text).slice(0, 500)
  return { ending: 'refused', status, cause: 'upstream_refused', causeText }
}
