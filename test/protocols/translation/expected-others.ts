import type {
  DocumentPart,
  ImagePart,
  Part,
  RefusalPart,
  TextPart,
  Turn,
} from '../../../src/protocols/canonical/request.ts'
import { asObject, changed, isNotType, isType, plainSource, type ResultItem } from './turn-tools.ts'

export function messagesTurn(turn: Turn): Turn {
  const { role, parts } = changed(turn, messagesPart)
  // "The final block in an assistant message cannot be `thinking`", says the vendor.
  const end = role === 'assistant' ? parts.findLastIndex(isNotType('reasoning')) + 1 : parts.length
  return { role, parts: parts.slice(0, end) }
}

function messagesPart(part: Part): Part | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal': {
      // Row "Refusals in earlier turns". The vendor refuses blank text.
      return part.text.trim() === '' ? undefined : asPlain(part)
    }
    case 'image':
      return { ...part, source: plainSource(part.source), detail: plainDetail(part.detail) }
    case 'document': {
      const { source } = part
      const type = { mediaType: 'application/pdf' }
      return { ...part, source: source.type === 'url' ? { ...source, ...type } : asText(source) }
    }
    case 'reasoning': {
      const { text, signature, isRedacted } = part
      return { type: 'reasoning', text, signature, isRedacted }
    }
    case 'tool-call':
      return functionCall({ ...part, callId: part.callId.replace(/[^\w-]/g, '_') })
    case 'tool-result':
      return {
        ...part,
        kind: 'function',
        callId: part.callId.replace(/[^\w-]/g, '_'),
        parts: part.parts.flatMap((item) => (messagesPart(item) as ResultItem | undefined) ?? []),
      }
    default:
      return part
  }
}

/** A text of which `fit` has left no citations has none. */
function asPlain(part: TextPart | RefusalPart): TextPart {
  const { citations, ...rest }: TextPart = { ...part, type: 'text' }
  return citations?.length ? { ...rest, citations } : rest
}

/** Row "Custom tools": a function with one text. */
function functionCall(part: Part & { readonly type: 'tool-call' }): Part {
  const { kind, input } = part
  return {
    ...part,
    kind: 'function',
    input: kind === 'custom' ? JSON.stringify({ input }) : asObject(input),
  }
}

/**
 * A signature alone, right before the first call, is that call's: its id was lost on the way. One
 * that has text or a file before it is that part's.
 */
export function geminiTurn(turn: Turn): Turn {
  const { role, parts } = changed(turn, geminiPart)
  const first = parts.findIndex(isType('tool-call'))
  const call = parts[first]
  const before = parts[first - 1]
  const carrier = parts[first - 2]
  const isCarried = carrier !== undefined && carrier.type !== 'reasoning'
  const isLoose =
    before?.type === 'reasoning' && before.text === '' && call?.type === 'tool-call' && !isCarried
  if (!isLoose) return { role, parts }
  return { role, parts: parts.with(first - 1, { ...before, callId: call.callId }) }
}

function geminiPart(part: Part): Part | readonly Part[] | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      // Row "Refusals in earlier turns".
      return part.text === '' ? undefined : asPlain(part)
    case 'image':
      return { ...part, detail: plainDetail(part.detail) }
    case 'document': {
      // A name has no place beside the bytes: it is text before them.
      const { title, ...rest } = part
      const bytes: Part = { ...rest, source: asText(part.source) }
      return title === undefined ? bytes : [{ type: 'text', text: title }, bytes]
    }
    case 'reasoning': {
      const { text, signature, callId } = part
      return { type: 'reasoning', text, signature, callId }
    }
    case 'tool-call':
      return functionCall(part)
    case 'tool-result':
      return { ...part, kind: 'function', parts: geminiResult(part.parts) }
    default:
      return part
  }
}

/** A response is one object: its texts are joined, files come behind them and have no names. */
function geminiResult(items: readonly ResultItem[]): readonly ResultItem[] {
  const text = items.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n')
  const files = items.flatMap((item): readonly ResultItem[] => {
    if (item.type === 'text') return []
    return item.type === 'image'
      ? [{ ...item, detail: plainDetail(item.detail) }]
      : [{ ...item, title: undefined, source: asText(item.source) }]
  })
  return text === '' ? files : [{ type: 'text', text }, ...files]
}

/** Row "Detail of an image": automatic is the default. */
const plainDetail = (detail: ImagePart['detail']) => (detail === 'auto' ? undefined : detail)

/** Plain text is told as such: only PDFs are bytes there. */
function asText(source: DocumentPart['source']): DocumentPart['source'] {
  if (source.type !== 'data' || !source.mediaType.startsWith('text/')) return source
  return { type: 'text', text: Buffer.from(source.data, 'base64').toString() }
}
