import type { JsonObject } from '../../../../src/protocols/protocol.ts'
import type { Piece, Reply } from '../conversation.ts'
import { type Frames, words } from './vendor.ts'

/** Bytes in the standard base64. */
export const signature = (number: number): string =>
  Buffer.from(`gemini ${number} ${'ûÿ>?~ÿ'.repeat(200)}`, 'latin1').toString('base64')

/** The signature of an answer stands on its first call, or else on its text. */
export function partsOf(pieces: readonly Piece[]): readonly JsonObject[] {
  const thought = pieces.find((piece) => piece.type === 'reasoning')
  const first = pieces.find(({ type }) => type === 'call')
  return pieces.map((piece) => {
    if (piece.type === 'reasoning') return { text: piece.text, thought: true }
    const isSigned = piece === first || (first === undefined && thought !== undefined)
    const signed = isSigned ? { thoughtSignature: thought?.signature ?? signature(50) } : {}
    if (piece.type !== 'call') return { text: piece.text, ...signed }
    const { id, name, input } = piece
    return { functionCall: { name, args: input, id }, ...signed }
  })
}

const ends = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  calls: 'STOP',
  refusal: 'PROHIBITED_CONTENT',
} as const

const usageMetadata = {
  promptTokenCount: 32,
  candidatesTokenCount: 5,
  totalTokenCount: 41,
  cachedContentTokenCount: 12,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 32 }],
  thoughtsTokenCount: 4,
}

/** An answer with these parts, or a chunk of one. */
export function contentOf(parts: readonly JsonObject[], finish?: Reply['finish']): JsonObject {
  const content = parts.length === 0 ? {} : { content: { parts, role: 'model' } }
  const end = finish === undefined ? {} : { finishReason: ends[finish] }
  return {
    candidates: [{ ...content, ...end, index: 0 }],
    usageMetadata,
    modelVersion: 'gemini-3-pro-preview',
    responseId: 'WKNOarSwGpjhz7IP99bVwQU',
  }
}

/** Texts in pieces, calls whole; the signature of a text comes by itself behind it. */
export function stream({ pieces, finish }: Reply): Frames {
  const parts = partsOf(pieces).flatMap((part): readonly JsonObject[] => {
    const { text, thought, thoughtSignature } = part
    if (typeof text !== 'string') return [part]
    const marks = thought === true ? { thought } : {}
    const told = words(text).map((piece) => ({ text: piece, ...marks }))
    return thoughtSignature === undefined ? told : [...told, { text: '', thoughtSignature }]
  })
  const last = contentOf(parts.length === 0 ? [] : [{ text: '' }], finish)
  const chunks = [...parts.map((part) => contentOf([part])), last]
  const frames = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`)
  return { frames, tail: 1 }
}
