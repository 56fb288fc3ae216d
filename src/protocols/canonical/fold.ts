import type { AnswerEvent, AnswerPart, CanonicalResponse, Choice, Finish } from './answer.ts'
import { kindOf } from './block-order.ts'
import type { TokenLogprob } from './request.ts'

interface OpenBlock {
  readonly parts: AnswerPart[]
  readonly at: number
  text: string
  logprobs: TokenLogprob[] | undefined
}

/** Folds events into an answer. */
export function createFolder() {
  const choices = new Map<number, AnswerPart[]>()
  const finishes = new Map<number, Finish>()
  const open = new Map<string, OpenBlock>()
  let head: Omit<CanonicalResponse, 'choices'> = {}

  const partsOf = (choice: number) => choices.getOrInsertComputed(choice, () => [])
  const begin = (id: string, choice: number, part: AnswerPart) => {
    const parts = partsOf(choice)
    open.set(id, { parts, at: parts.length, text: '', logprobs: undefined })
    parts.push(part)
  }
  const fill = (id: string, end?: BlockEnd) => {
    const block = open.get(id)
    const part = block?.parts[block.at]
    if (block && part) block.parts[block.at] = filled(part, block, end)
  }

  function push(event: AnswerEvent) {
    switch (event.type) {
      case 'start': {
        const { id, model, createdAt, usage } = event
        head = { ...head, id, model, createdAt, usage }
        break
      }
      case 'text-start':
      case 'reasoning-start':
      case 'refusal-start':
        return begin(event.id, event.choice, { type: kindOf(event.type), text: '' })
      case 'tool-call-start': {
        const { callId, name, kind } = event
        return begin(event.id, event.choice, { type: 'tool-call', callId, name, kind, input: '' })
      }
      case 'search-start':
        return begin(event.id, event.choice, { type: 'search', queries: [], results: [] })
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
      case 'reasoning-end':
      case 'refusal-end':
      case 'tool-call-end':
      case 'search-end':
        fill(event.id, event)
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
    }
  }

  return {
    push,
    response() {
      for (const id of open.keys()) fill(id)
      const list = [...choices].map(([index, parts]): Choice => {
        return { index, parts: [...parts], finish: finishes.get(index) ?? { reason: 'other' } }
      })
      return { ...head, choices: list.sort((a, b) => a.index - b.index) }
    },
  }
}

type BlockEnd = Extract<AnswerEvent, { readonly type: `${string}-end` }>

function filled(part: AnswerPart, { text, logprobs }: OpenBlock, end?: BlockEnd): AnswerPart {
  switch (part.type) {
    case 'text':
      return {
        ...part,
        text,
        logprobs,
        citations: end?.type === 'text-end' ? end.citations : undefined,
      }
    case 'reasoning': {
      if (end?.type !== 'reasoning-end') return { ...part, text }
      const { signature, isRedacted, itemId, callId } = end
      return { ...part, text, signature, isRedacted, id: itemId, callId }
    }
    case 'refusal':
      return { ...part, text }
    case 'tool-call':
      return { ...part, input: text }
    default:
      return end?.type === 'search-end' ? end.search : part
  }
}

/** The answer that these events amount to. */
export function foldEvents(events: readonly AnswerEvent[]): CanonicalResponse {
  const folder = createFolder()
  for (const event of events) folder.push(event)
  return folder.response()
}

/** An answer as events: the inverse of `foldEvents`. */
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
