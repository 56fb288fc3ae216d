import type { Observation } from '../../protocols/canonical/observation.ts'
import type { GatewayError } from '../errors.ts'
import type { Concluded } from '../exchange.ts'
import type { End } from '../money/record.ts'
import type { Refusal, UndeliverableAnswer } from '../upstream/answer.ts'
import { shownError } from '../upstream/hide-secrets.ts'
import { disconnectTexts } from './disconnect.ts'

/** The end of a whole answer. */
export function bodyEnd(exchange: Concluded, seen: Observation): End {
  if (exchange.interruption === 'client_left') {
    return {
      ending: 'client_left',
      status: 200,
      cause: 'client_left',
      causeText: disconnectTexts.whole,
    }
  }
  if (seen.outcome !== 'failed') {
    return { ending: seen.outcome ?? 'complete', status: 200, cause: null, causeText: null }
  }
  return {
    ending: 'failed',
    status: 200,
    cause: 'upstream_error',
    causeText: shownError(exchange, seen) ?? 'The upstream reported an error in its answer.',
  }
}

/** The end of an answer that is not passed on; `record`: what may be kept of its error. */
export function undeliverableEnd(
  exchange: Concluded,
  { isUsageUnknown: isLost, memoryError }: UndeliverableAnswer,
  error: GatewayError,
  record = error.message,
): End {
  const isDisconnected = exchange.interruption === 'client_left'
  const why = memoryError
    ? undeliverableTexts.noMemory
    : isLost
      ? undeliverableTexts.lost
      : undeliverableTexts.charged
  return {
    ending: isDisconnected ? 'client_left' : 'failed',
    status: error.status,
    cause: isDisconnected ? 'client_left' : error.word,
    causeText: `${record} ${why}`,
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
