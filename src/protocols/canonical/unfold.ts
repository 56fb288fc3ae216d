import type { AnswerEvent } from './event.ts'
import type { AnswerPart, CanonicalResponse } from './response.ts'

/** A whole answer as the events that `foldEvents` makes it of. */
export function unfoldResponse(response: CanonicalResponse): readonly AnswerEvent[] {
  const { id, model, createdAt, choices, usage, serviceTier, error } = response
  const events: AnswerEvent[] = [{ type: 'start', id, model, createdAt }]
  for (const { index, parts } of choices) {
    for (const [at, part] of parts.entries())
      events.push(...unfoldPart(part, `${index}/${at}`, index))
  }
  for (const { index, finish } of choices) events.push({ type: 'finish', choice: index, ...finish })
  if (error !== undefined) events.push({ type: 'error', error })
  events.push({ type: 'end', usage, serviceTier })
  return events
}

/** A part of an answer as the events of its block. */
export function unfoldPart(part: AnswerPart, id: string, choice: number): readonly AnswerEvent[] {
  switch (part.type) {
    case 'text': {
      const { text, logprobs, citations } = part
      return [
        { type: 'text-start', id, choice },
        { type: 'text-delta', id, text, logprobs },
        { type: 'text-end', id, citations },
      ]
    }
    case 'reasoning': {
      const { text, signature, isRedacted, id: itemId, callId } = part
      return [
        { type: 'reasoning-start', id, choice },
        { type: 'reasoning-delta', id, text },
        { type: 'reasoning-end', id, signature, isRedacted, itemId, callId },
      ]
    }
    case 'refusal':
      return [
        { type: 'refusal-start', id, choice },
        { type: 'refusal-delta', id, text: part.text },
        { type: 'refusal-end', id },
      ]
    case 'tool-call': {
      const { callId, name, kind, input } = part
      return [
        { type: 'tool-call-start', id, choice, callId, name, kind },
        { type: 'tool-call-delta', id, text: input },
        { type: 'tool-call-end', id },
      ]
    }
    case 'search':
      return [
        { type: 'search-start', id, choice },
        { type: 'search-end', id, search: part },
      ]
    case 'image':
      return [{ type: 'image', choice, image: part }]
  }
}
