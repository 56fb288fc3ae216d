import { isJsonObject, membersOf, wordSet } from './json.ts'
import {
  argumentMembers,
  isKnownFile,
  isKnownPicture,
  isTextKind,
  memberKind,
} from './known-parts.ts'
import type { BodyTexts, JsonObject, MediaSize } from './protocol.ts'

const deepestText = 64

const notText = wordSet(`
  type id role tool_call_id tool_use_id call_id cache_control media_type mimeType mime_type detail
  signature thoughtSignature thought_signature encrypted_content image_url file_url file_data
  file_id input_audio b64_json data inlineData inline_data fileData url
`)

/** A request's text, for a rough token count. `uncounted`: characters of the body that are not in it. */
export function requestText(
  body: JsonObject,
  prompts: readonly unknown[],
  schemas: readonly unknown[] = [],
) {
  return {
    text: () =>
      piecesOf(prompts, schemas)
        .map(({ text }) => text)
        .join('\n'),
    uncounted: () =>
      piecesOf(prompts, schemas).reduce(
        (rest, piece) => rest - writtenLength(piece),
        lengthOf(body),
      ),
  }
}

function piecesOf(prompts: readonly unknown[], schemas: readonly unknown[]): readonly Piece[] {
  const found: Piece[] = []
  for (const prompt of prompts) collect(prompt, found, 0)
  for (const schema of schemas) addJson(schema, found)
  return found
}

interface Piece {
  readonly text: string
  readonly isJson: boolean
}

function collect(value: unknown, pieces: Piece[], depth: number): void {
  if (typeof value === 'string') {
    if (value !== '' && !isDataUrl(value)) pieces.push({ text: value, isJson: false })
  } else if (typeof value === 'number' || typeof value === 'boolean') {
    pieces.push({ text: `${value}`, isJson: false })
  } else if (depth >= deepestText) {
    // Recursion must end; no genuine text nests this deep.
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, pieces, depth + 1)
  } else if (isJsonObject(value)) {
    if (value.type === 'image_generation_call') return // its result is an image
    for (const key in value) {
      const member = value[key]
      if (argumentMembers.has(key) && typeof member === 'object') addJson(member, pieces)
      // A plain text document holds its text where others hold base64.
      else if ((key === 'data' && value.type === 'text') || !notText.has(key))
        collect(member, pieces, depth + 1)
    }
  }
}

function addJson(value: unknown, pieces: Piece[]): void {
  if (value === undefined || value === null) return
  try {
    pieces.push({ text: JSON.stringify(value), isJson: true })
  } catch {
    // Nested too deep to be written: not worth an exact count.
  }
}

function isDataUrl(value: string): boolean {
  return value.startsWith('data:') && value.slice(0, 200).includes(';base64,')
}

const writtenLength = ({ text, isJson }: Piece) =>
  isJson ? text.length : JSON.stringify(text).length - 2

function lengthOf(body: JsonObject): number {
  try {
    return JSON.stringify(body).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const deepestPart = 16

/** The cost of an image with today's vendors, within a half; the minimum for other media. */
const imageTokens = 1_000

/** Bytes of base64 per token for other media; the first match counts. */
const bytesPerToken: readonly (readonly [kind: RegExp, bytes: number])[] = [
  [/\btext\/|json|xml|csv/, 4],
  // A second is about 20 KB of audio for 10 to 30 tokens, and 150 KB of video for 260.
  [/audio|video/, 400],
]
/** A document contains its pages' text and images. */
const bytesPerDocumentToken = 50

const imageTypes = wordSet('image_url input_image image image_generation_call computer_screenshot')
const mediaTypes = new Set([...imageTypes, 'input_audio', 'document', 'input_file', 'file'])

/** Members that refer to something outside the body, unless by a `data:` address. */
const addresses = ['file_id', 'file_url', 'fileUri', 'file_uri', 'url', 'video_url', 'audio_url']
const textOrSound = /^(text\/|audio\/|application\/json)/

const mediaMembers = ['inlineData', 'inline_data', 'fileData', 'file_data']

/** Counts images, documents and audio of a request, to estimate their input. Unknown media are unseen. */
export function requestMedia(
  prompts: readonly unknown[],
  texts: BodyTexts = wholeTexts,
): MediaSize {
  const sum = { tokens: 0, bytes: 0, images: { count: 0, bytes: 0 }, isUnseen: false, texts }
  for (const prompt of prompts) addMedia(prompt, sum, 0)
  const { tokens, bytes, images, isUnseen } = sum
  return { tokens, bytes, images, isUnseen }
}

/** Counts the pictures of an image request: every field that is no setting is one. */
export function requestPictures(
  body: JsonObject,
  settings: ReadonlySet<string>,
  texts: BodyTexts = wholeTexts,
): MediaSize {
  const sum = { images: { count: 0, bytes: 0 }, isUnseen: false, texts }
  for (const name in body) if (!settings.has(name)) addPictures(body[name], sum)
  const { images, isUnseen } = sum
  return { tokens: images.count * imageTokens, bytes: images.bytes, images, isUnseen }
}

function addPictures(value: unknown, sum: Omit<MediaSum, 'tokens' | 'bytes'>, depth = 0): void {
  if (Array.isArray(value) && depth < deepestPart) {
    for (const item of value) addPictures(item, sum, depth + 1)
  } else if (typeof value === 'string' || (typeof value === 'object' && value !== null)) {
    sum.images.count++
    sum.images.bytes += longestText(value, sum.texts, 0).length
    sum.isUnseen ||= typeof value === 'object' && !(isJsonObject(value) && isKnownPicture(value))
  }
}

/** For a request without media. */
export const noMedia: MediaSize = {
  tokens: 0,
  bytes: 0,
  images: { count: 0, bytes: 0 },
  isUnseen: false,
}

const wholeTexts: BodyTexts = { whole: (text) => text, lengthOf: (text) => text.length }

interface MediaSum {
  tokens: number
  bytes: number
  readonly images: { count: number; bytes: number }
  isUnseen: boolean
  readonly texts: BodyTexts
}

function addMedia(value: unknown, sum: MediaSum, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth >= deepestPart) {
    sum.isUnseen = true // nested deeper than is read
  } else if (Array.isArray(value)) {
    for (const item of value) addMedia(item, sum, depth + 1)
  } else if (isJsonObject(value)) {
    if (isMedia(value)) {
      const { text, length } = longestText(value, sum.texts, 0)
      sum.bytes += length
      sum.tokens += tokensOf(kindOf(value, text, sum.texts), length)
      if (isImage(value, text, sum.texts)) {
        sum.images.count++
        sum.images.bytes += length
        sum.isUnseen ||= !isKnownPicture(value)
      } else sum.isUnseen ||= !isKnownFile(value) || !isTextOrSound(value, text, sum.texts)
    } else {
      sum.isUnseen ||= !isTextKind(value.type)
      for (const name in value) {
        const member = value[name]
        const kind = memberKind(name, member)
        if (kind === 'unknown') sum.isUnseen = true
        if (kind !== 'json') addMedia(member, sum, depth + 1)
      }
    }
  }
}

function isMedia(value: JsonObject): boolean {
  if (mediaMembers.some((member) => isJsonObject(value[member]))) return true
  if (typeof value.type !== 'string' || !mediaTypes.has(value.type)) return false
  // A plain text document is text, and one of parts is read part by part.
  const source = isJsonObject(value.source) ? value.source.type : undefined
  return source !== 'text' && source !== 'content'
}

function isImage(value: JsonObject, text: string, texts: BodyTexts): boolean {
  const members = inMembers(value, texts)
  if (members.length > 0) return members.every((kind) => kind.startsWith('image/'))
  if (imageTypes.has(String(value.type))) return true
  return text.startsWith('data:image/') && !namesAddress(value, 0)
}

/** Inline media have at most as many tokens as bytes. */
function isTextOrSound(value: JsonObject, text: string, texts: BodyTexts): boolean {
  const { source } = value
  if (namesAddress(value, 0)) return false
  const members = inMembers(value, texts)
  if (members.length > 0) return members.every((kind) => textOrSound.test(kind))
  if (isJsonObject(value.input_audio)) return true
  if (isJsonObject(source))
    return source.type === 'base64' && textOrSound.test(texts.whole(`${source.media_type}`))
  return text.startsWith('data:') && textOrSound.test(text.slice('data:'.length))
}

function namesAddress(value: unknown, depth: number): boolean {
  if (!isJsonObject(value) || depth >= deepestPart) return false
  return Object.entries(value).some(([name, member]) =>
    typeof member === 'string'
      ? addresses.includes(name) && !member.startsWith('data:')
      : namesAddress(member, depth + 1),
  )
}

/** The media types of a Gemini part; an address has no known one. */
function inMembers(value: JsonObject, { whole }: BodyTexts): readonly string[] {
  return mediaMembers.flatMap((member) => {
    const held = value[member]
    if (!isJsonObject(held)) return []
    const kinds = [held.mimeType, held.mime_type].filter((kind) => typeof kind === 'string')
    return member.startsWith('file') || kinds.length === 0 ? [''] : kinds.map(whole)
  })
}

function tokensOf(kind: string, bytes: number): number {
  if (/image|screenshot/.test(kind)) return imageTokens
  const [, perToken] = bytesPerToken.find(([named]) => named.test(kind)) ?? []
  return Math.max(imageTokens, Math.round(bytes / (perToken ?? bytesPerDocumentToken)))
}

/** The media type of a part: a field, or a prefix of the data (`data:…;base64,`). */
function kindOf(value: JsonObject, data: string, { whole }: BodyTexts): string {
  const holders = [value, value.source, ...mediaMembers.map((member) => value[member])]
  const kinds = holders
    .filter(isJsonObject)
    .flatMap((holder) => [holder.type, holder.media_type, holder.mimeType, holder.mime_type])
  const inFront = /^data:([^;,]{1,100})/.exec(data)?.[1]
  const named = [...kinds, inFront].filter((kind) => typeof kind === 'string')
  return named.map(whole).join(' ')
}

function longestText(value: unknown, texts: BodyTexts, depth: number): MeasuredText {
  if (typeof value === 'string') return { text: value, length: texts.lengthOf(value) }
  let longest: MeasuredText = { text: '', length: 0 }
  if (depth >= deepestPart || typeof value !== 'object' || value === null) return longest
  for (const member of membersOf(value)) {
    const found = longestText(member, texts, depth + 1)
    if (found.length > longest.length) longest = found
  }
  return longest
}

interface MeasuredText {
  readonly text: string
  readonly length: number
}
