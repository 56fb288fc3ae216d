import type { AnswerEvent } from './event.ts'
import type { Citation, TokenLogprob } from './request.ts'
import type { AnswerPart, CanonicalResponse, Choice, Finish } from './response.ts'

/** Collects the events of a stream into the answer that it amounts to so far. */
export interface Folder {
  push(event: AnswerEvent): void
  /** As it stands; a block that is still open counts with what has come of it. */
  response(): CanonicalResponse
}

interface OpenBlock {
  readonly choice: number
  /** Place among the answer's parts. */
  readonly at: number
  text: string
  logprobs: TokenLogprob[] | undefined
}

/** A folder that has seen nothing. */
export function createFolder(): Folder {
  const choices = new Map<number, AnswerPart[]>()
  const finishes = new Map<number, Finish>()
  const open = new Map<string, OpenBlock>()
  let head: Omit<CanonicalResponse, 'choices'> = {}

  const partsOf = (choice: number): AnswerPart[] => {
    const parts = choices.get(choice) ?? []
    choices.set(choice, parts)
    return parts
  }
  const begin = (id: string, choice: number, part: AnswerPart) => {
    const parts = partsOf(choice)
    open.set(id, { choice, at: parts.length, text: '', logprobs: undefined })
    parts.push(part)
  }
  const change = (id: string, edit: (part: AnswerPart, block: OpenBlock) => AnswerPart) => {
    const block = open.get(id)
    const parts = block && partsOf(block.choice)
    const part = block && parts?.[block.at]
    if (block && parts && part) parts[block.at] = edit(part, block)
  }

  return {
    push(event) {
      switch (event.type) {
        case 'start': {
          const { id, model, createdAt, usage } = event
          head = { ...head, id, model, createdAt, usage }
          break
        }
        case 'text-start':
          begin(event.id, event.choice, { type: 'text', text: '' })
          break
        case 'reasoning-start':
          begin(event.id, event.choice, { type: 'reasoning', text: '' })
          break
        case 'refusal-start':
          begin(event.id, event.choice, { type: 'refusal', text: '' })
          break
        case 'tool-call-start': {
          const { callId, name, kind } = event
          begin(event.id, event.choice, { type: 'tool-call', callId, name, kind, input: '' })
          break
        }
        case 'text-delta':
        case 'reasoning-delta':
        case 'refusal-delta':
        case 'tool-call-delta': {
          const block = open.get(event.id)
          if (block === undefined) break
          block.text += event.text
          if (event.type === 'text-delta' && event.logprobs) {
            block.logprobs ??= []
            block.logprobs.push(...event.logprobs)
          }
          break
        }
        case 'text-end':
        case 'refusal-end':
        case 'tool-call-end':
          change(event.id, (part, block) => withText(part, block, citationsIn(event)))
          open.delete(event.id)
          break
        case 'reasoning-end': {
          const { signature, isRedacted, itemId, callId } = event
          change(event.id, (part, { text }) =>
            part.type === 'reasoning'
              ? { ...part, text, signature, isRedacted, id: itemId, callId }
              : part,
          )
          open.delete(event.id)
          break
        }
        case 'search-start':
          begin(event.id, event.choice, { type: 'search', queries: [], results: [] })
          break
        case 'search-end':
          change(event.id, () => event.search)
          open.delete(event.id)
          break
        case 'image':
          partsOf(event.choice).push(event.image)
          break
        case 'finish': {
          const { reason, stopSequence } = event
          partsOf(event.choice)
          finishes.set(event.choice, { reason, stopSequence })
          break
        }
        case 'end': {
          const { usage, serviceTier } = event
          head = { ...head, usage: usage ?? head.usage, serviceTier }
          break
        }
        case 'error':
          head = { ...head, error: event.error }
          break
      }
    },
    response() {
      for (const id of open.keys()) {
        change(id, (part, block) => withText(part, block, undefined))
      }
      const list = [...choices].map(([index, parts]): Choice => {
        return { index, parts: [...parts], finish: finishes.get(index) ?? { reason: 'other' } }
      })
      return { ...head, choices: list.sort((a, b) => a.index - b.index) }
    },
  }
}

const citationsIn = (event: AnswerEvent) =>
  event.type === 'text-end' ? event.citations : undefined

function withText(
  part: AnswerPart,
  { text, logprobs }: OpenBlock,
  citations: readonly Citation[] | undefined,
): AnswerPart {
  if (part.type === 'tool-call') return { ...part, input: text }
  if (part.type === 'text') return { ...part, text, citations, logprobs }
  return part.type === 'image' || part.type === 'search' ? part : { ...part, text }
}

/** The answer that all of these events amount to. */
export function foldEvents(events: readonly AnswerEvent[]): CanonicalResponse {
  const folder = createFolder()
  for (const event of events) folder.push(event)
  return folder.response()
}

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
