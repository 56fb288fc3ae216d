import type { ImagePart } from '../canonical/request.ts'
import type { ProtocolName } from '../protocol.ts'

type ImageTokens = (image: ImagePart) => number

/** Size of an image with an address, or an unknown header. */
const unknownSize: ImageSize = { width: 1024, height: 1024 }

/** The same for every image (Gemini). */
export const whole =
  (tokens: number): ImageTokens =>
  () =>
    tokens

/** A base, plus each tile of 512 pixels. Source: OpenAI, "Images and vision". */
export const tiles =
  (cost: { readonly base: number; readonly perTile: number }): ImageTokens =>
  (image) => {
    if (image.detail === 'low') return cost.base
    const { width, height } = shrink(shrink(sizeOf(image), 2048, Math.max), 768, Math.min)
    return cost.base + cost.perTile * Math.ceil(width / 512) * Math.ceil(height / 512)
  }

/** Each patch of 32 pixels, at most 1536. Source: OpenAI, "Images and vision". */
export const patches =
  (cost: { readonly perPatch: number }): ImageTokens =>
  (image) => {
    const { width, height } = sizeOf(image)
    const count = Math.ceil(width / 32) * Math.ceil(height / 32)
    return cost.perPatch * Math.min(count, 1536)
  }

/** By area, after scaling to the limits. Source: Anthropic, "Vision". */
export const pixels =
  (cost: Readonly<Record<'perToken' | 'longestEdge' | 'most', number>>): ImageTokens =>
  (image) => {
    const { width, height } = shrink(sizeOf(image), cost.longestEdge, Math.max)
    return Math.min(cost.most, (width * height) / cost.perToken)
  }

const sizeOf = ({ source }: ImagePart): ImageSize =>
  (source.type === 'data' ? imageSize(source.data) : undefined) ?? unknownSize

function shrink(
  { width, height }: ImageSize,
  limit: number,
  side: (a: number, b: number) => number,
): ImageSize {
  const factor = Math.min(1, limit / side(width, height))
  return { width: width * factor, height: height * factor }
}

interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Base64 characters that are read: a JPEG's size follows its thumbnail and colour profile. */
const headLength = 262_144

/** The size in the header of a PNG, JPEG, GIF or WebP; undefined for all else. */
export function imageSize(base64: string): ImageSize | undefined {
  const bytes = decodeHead(base64)
  if (bytes === undefined || bytes.byteLength < 30) return undefined
  const size = sizeIn(bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

function sizeIn(bytes: DataView): ImageSize | undefined {
  const mark = bytes.getUint32(0)
  if (mark === 0x89504e47) return { width: bytes.getUint32(16), height: bytes.getUint32(20) }
  if (mark === 0x47494638) {
    return { width: bytes.getUint16(6, true), height: bytes.getUint16(8, true) }
  }
  if (mark >>> 16 === 0xffd8) return jpegSize(bytes)
  return mark === 0x52494646 && bytes.getUint32(8) === 0x57454250 ? webpSize(bytes) : undefined
}

function decodeHead(base64: string): DataView | undefined {
  const head = base64.slice(0, headLength).replaceAll('-', '+').replaceAll('_', '/')
  try {
    const text = atob(head)
    return new DataView(Uint8Array.from(text, (char) => char.charCodeAt(0)).buffer)
  } catch {
    return undefined
  }
}

function jpegSize(bytes: DataView): ImageSize | undefined {
  let at = 2
  while (at + 9 <= bytes.byteLength && bytes.getUint8(at) === 0xff) {
    const marker = bytes.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.getUint16(at + 7), height: bytes.getUint16(at + 5) }
    at += marker === 0xff ? 1 : 2 + bytes.getUint16(at + 2)
  }
  return undefined
}

function webpSize(bytes: DataView): ImageSize | undefined {
  const kind = bytes.getUint8(15)
  if (kind === 0x20) {
    const [width, height] = [bytes.getUint16(26, true), bytes.getUint16(28, true)]
    return { width: width & 0x3fff, height: height & 0x3fff }
  }
  if (kind === 0x4c) {
    const bits = bytes.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
  }
  const uint24 = (at: number) => bytes.getUint16(at, true) | (bytes.getUint8(at + 2) << 16)
  return { width: uint24(24) + 1, height: uint24(27) + 1 }
}

/** How a vendor's models count a request, per o200k token of its text; measured unless a source is named. */
export interface TokenFamily {
  /** Vendor tokens per o200k token, in prose. */
  readonly text: number
  readonly turns: Readonly<Record<'request' | 'message' | 'call' | 'result', number>>
  readonly tools: {
    /** The vendor's instructions about tools, if there are any. */
    readonly any: number
    readonly forced: number
    readonly each: number
    /** A tool's schema, per token of its JSON; `types`: the model reads a TypeScript type instead. */
    readonly schema: number | 'types'
  }
  /** A response schema, and per token of its JSON. */
  readonly format: { readonly whole: number; readonly schema: number }
  readonly reasoning: number
  /** Hidden reasoning, by the length of its signature; undefined: by its text. */
  readonly hidden: { readonly freeCharacters: number; readonly perCharacter: number } | undefined
  readonly image: ImageTokens
  readonly page: number
}

/** Chat models on o200k, and unknown models. Measured on 69 requests, gpt-4o and 4.1. */
const openai: TokenFamily = {
  text: 1,
  turns: { request: 3, message: 4, call: 6, result: 6 },
  tools: { any: 9, forced: 12, each: 0, schema: 'types' },
  format: { whole: 10, schema: 0.77 },
  reasoning: 0,
  hidden: undefined,
  image: tiles({ base: 85, perTile: 170 }),
  page: 200,
}

/** Reasoning models: gpt-5, o1 and later. Measured on 60 requests. */
const openaiReasoning: TokenFamily = {
  ...openai,
  turns: { ...openai.turns, request: 2 },
  tools: { ...openai.tools, any: 14, forced: 14 },
  hidden: { freeCharacters: 1000, perCharacter: 0.2 },
  image: tiles({ base: 70, perTile: 140 }),
}

/** The same by chat completions: longer instructions about tools. Measured on 30 requests. */
const openaiReasoningChat: TokenFamily = {
  ...openaiReasoning,
  tools: { ...openai.tools, any: 95, forced: 95 },
}

/** OpenAI's open models: each request gets instructions about channels. Measured on 12 requests. */
const openWeights: TokenFamily = {
  ...openaiReasoning,
  turns: { ...openai.turns, request: 66 },
}

/** Claude Sonnet, Haiku and Opus 4.5 and 4.6. Measured on 88 requests, 54 of them with tools. */
const anthropic: TokenFamily = {
  text: 1.07,
  turns: { request: 3, message: 4, call: 24, result: 24 },
  tools: { any: 496, forced: 588, each: 15, schema: 1.45 },
  format: { whole: 140, schema: 1.05 },
  reasoning: 29,
  hidden: undefined,
  image: pixels({ perToken: 750, longestEdge: 1568, most: 1600 }),
  page: 2100,
}

/** Up to Claude 4.1. Source of the two counts: Anthropic, "Tool use"; 5 measured requests agree. */
const anthropicOlder: TokenFamily = {
  ...anthropic,
  tools: { ...anthropic.tools, any: 346, forced: 313 },
}

/** From Claude Opus 4.7 on: another tokenizer. Measured on 11 requests, one of them with tools. */
const anthropicNewer: TokenFamily = {
  ...anthropic,
  text: 1.4,
  turns: { ...anthropic.turns, request: 5, message: 2 },
  tools: { ...anthropic.tools, any: 270, forced: 362, schema: 1.9 },
  reasoning: 0,
}

/** Gemini 2.5. Measured on 47 requests. Response schemas are not counted. */
const google: TokenFamily = {
  text: 1.05,
  turns: { request: 1, message: 0, call: 12, result: 12 },
  tools: { any: 0, forced: 0, each: 8, schema: 1.1 },
  format: { whole: 0, schema: 0 },
  reasoning: 0,
  hidden: { freeCharacters: 0, perCharacter: 0 },
  image: whole(258),
  page: 258,
}

/** Gemini 3. Measured on 24 requests. Its hidden reasoning counts when it is sent back. */
const googleNewer: TokenFamily = {
  ...google,
  tools: { ...google.tools, each: 5 },
  hidden: { freeCharacters: 100, perCharacter: 0.2 },
  image: whole(1095),
  page: 540,
}

/** Gemini 1.5 and 2.0. Measured on 19 requests: little besides texts and names counts. */
const googleOlder: TokenFamily = {
  ...google,
  text: 1,
  turns: { request: 0, message: 0, call: 0, result: 0 },
  tools: { ...google.tools, each: 3, schema: 0.2 },
}

/** Gemini 2.5 and 3 on Vertex, which counts as little. Measured on 16 requests. */
const vertex: TokenFamily = {
  ...googleOlder,
  turns: { ...googleOlder.turns, call: 2, result: 3 },
  tools: { ...googleOlder.tools, each: 1 },
  image: googleNewer.image,
  page: googleNewer.page,
}

interface Rule {
  readonly model: RegExp
  readonly protocol?: ProtocolName
  readonly host?: string
  readonly family: TokenFamily
}

/** The first rule that matches a model's id, in any vendor's spelling (`anthropic/claude-sonnet-4.5`). */
const rules: readonly Rule[] = [
  {
    model: /claude.*\b(opus-4[-.][7-9]|(opus|sonnet|haiku|fable)-([5-9]|\d\d)\b)/,
    family: anthropicNewer,
  },
  { model: /claude.*-4[-.][56]/, family: anthropic },
  { model: /claude/, family: anthropicOlder },
  { model: /gemini-(1|2[-.]0)/, family: googleOlder },
  { model: /gemini/, host: 'aiplatform.googleapis.com', family: vertex },
  { model: /gemini-2/, family: google },
  { model: /gemini|gemma/, family: googleNewer },
  { model: /gpt-oss/, family: openWeights },
  { model: /\b(gpt-[5-9]|o\d)/, protocol: 'chat', family: openaiReasoningChat },
  { model: /\b(gpt-[5-9]|o\d)/, family: openaiReasoning },
]

/** Small models with other image costs. Source: OpenAI, "Images and vision"; measured: gpt-5-mini. */
const imageRules: readonly { readonly model: RegExp; readonly image: ImageTokens }[] = [
  { model: /gpt-4o-mini/, image: tiles({ base: 2833, perTile: 5667 }) },
  { model: /gpt-4\.1-(mini|nano)/, image: patches({ perPatch: 1.62 }) },
  { model: /gpt-[5-9].*(mini|nano)/, image: patches({ perPatch: 1.2 }) },
]

interface TokenCounter {
  readonly model: string
  readonly protocol: ProtocolName
  readonly url?: string | undefined
}

/** How an upstream's model counts; unknown vendors count like OpenAI. */
export function tokenFamily({ model, protocol, url = '' }: TokenCounter): TokenFamily {
  const id = model.toLowerCase()
  const rule = rules.find(
    (one) =>
      one.model.test(id) &&
      (one.protocol === undefined || one.protocol === protocol) &&
      (one.host === undefined || url.includes(one.host)),
  )
  const family = rule?.family ?? openai
  const image = imageRules.find((one) => one.model.test(id))?.image ?? family.image
  return { ...family, image }
}
