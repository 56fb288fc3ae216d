import { createObservation, fail, noteForeign, type Observation } from '../canonical/observation.ts'
import { noteUsage } from '../canonical/raw-usage.ts'
import { readCount } from '../canonical/usage.ts'
import { arrayIn, isJsonObject, objectIn, parseJsonObject } from '../json.ts'
import { notAnObject } from '../plain-observer.ts'
import type { AnswerObserver, JsonObject } from '../protocol.ts'
import { isFailed } from './stream.ts'
import { chatReports, createChatCounts } from './usage.ts'

/** Watches an answer without text, of which only the usage counts: embeddings, images. */
export function createEmbeddingsObserver(): AnswerObserver {
  return createUsageObserver(() => false)
}

/**
 * Watches generated or edited images. Streams send partial images first; the last event,
 * `image_generation.completed` or `image_edit.completed`, carries the usage.
 */
export function createImagesObserver(): AnswerObserver {
  return createUsageObserver((event) => lastImageEvents.has(event.type), noteImages)
}

/**
 * Counts the images of an answer: there may be more than were asked for by a number (sets of them,
 * batches). Volcengine streams each by an event of its own, and tells in the end how many there were.
 */
function noteImages(seen: Observation, answer: JsonObject): void {
  if (answer.type === 'image_generation.partial_succeeded') seen.images++
  const told = readCount(objectIn(answer, 'usage')?.generated_images)
  seen.images = Math.max(seen.images, arrayIn(answer, 'data').length, told ?? 0)
}

const lastImageEvents = new Set<unknown>(['image_generation.completed', 'image_edit.completed'])

function createUsageObserver(
  isLast: (event: JsonObject) => boolean,
  note: (seen: Observation, answer: JsonObject) => void = () => {},
): AnswerObserver {
  const seen = createObservation()
  const counts = createChatCounts()

  function read(answer: JsonObject, last: boolean): void {
    noteUsage(seen, counts, answer.usage, chatReports)
    note(seen, answer)
    if (isFailed(seen, answer) || !last) return
    seen.phase = 'closed'
    seen.outcome ??= 'complete'
  }

  return {
    seen,
    push(data) {
      const event = parseJsonObject(data)
      if (event !== undefined) read(event, isLast(event))
      return 'pass'
    },
    pushBody(body) {
      if (!isJsonObject(body)) return fail(seen, notAnObject)
      read(body, true)
      noteForeign(seen, body, ['data', 'error'])
    },
  }
}
