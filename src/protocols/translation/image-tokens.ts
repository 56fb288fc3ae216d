import type { ImagePart } from '../canonical/request.ts'

/** What an image costs as input, in LLM tokens. */
export type ImageTokens = (image: ImagePart) => number

/** Of an image that is given by its address, or whose header is not known. */
const unknownSize: ImageSize = { width: 1024, height: 1024 }

/** The same for every image (Gemini). */
export const whole =
  (tokens: number): ImageTokens =>
  () =>
    tokens

/**
 * A base and so much for each tile of 512 pixels, after the image was made to fit 2048 and its short
 * side 768; in low detail the base alone. Source: OpenAI, "Images and vision".
 */
export const tiles =
  (cost: { readonly base: number; readonly perTile: number }): ImageTokens =>
  (image) => {
    if (image.detail === 'low') return cost.base
    const { width, height } = shrink(shrink(sizeOf(image), 2048, Math.max), 768, Math.min)
    return cost.base + cost.perTile * Math.ceil(width / 512) * Math.ceil(height / 512)
  }

/** So much for each patch of 32 pixels, 1536 at most. Source: OpenAI, "Images and vision". */
export const patches =
  (cost: { readonly perPatch: number }): ImageTokens =>
  (image) => {
    const { width, height } = sizeOf(image)
    const count = Math.ceil(width / 32) * Math.ceil(height / 32)
    return cost.perPatch * Math.min(count, 1536)
  }

/** By the area, after the image was made to fit. Source: Anthropic, "Vision". */
export const pixels =
  (cost: {
    readonly perToken: number
    readonly longestEdge: number
    readonly most: number
  }): ImageTokens =>
  (image) => {
    const { width, height } = shrink(sizeOf(image), cost.longestEdge, Math.max)
    return Math.min(cost.most, (width * height) / cost.perToken)
  }

const sizeOf = ({ source }: ImagePart): ImageSize =>
  (source.type === 'data' ? imageSize(source.data) : undefined) ?? unknownSize

/** Scales down until the longer (or the shorter) side is `limit`. */
function shrink(
  { width, height }: ImageSize,
  limit: number,
  side: (a: number, b: number) => number,
): ImageSize {
  const factor = Math.min(1, limit / side(width, height))
  return { width: width * factor, height: height * factor }
}

/** Width and height in pixels. */
interface ImageSize {
  readonly width: number
  readonly height: number
}

/** So much of the base64 is looked at: a JPEG's size stands behind its thumbnail and colour profile. */
const headLength = 262_144

/** The size that the header of a PNG, JPEG, GIF or WebP states; undefined for all else. */
export function imageSize(base64: string): ImageSize | undefined {
  const bytes = decodeHead(base64)
  if (bytes === undefined || bytes.byteLength < 30) return undefined
  const size =
    bytes.getUint32(0) === 0x89504e47
      ? { width: bytes.getUint32(16), height: bytes.getUint32(20) }
      : bytes.getUint32(0) === 0x47494638
        ? { width: bytes.getUint16(6, true), height: bytes.getUint16(8, true) }
        : bytes.getUint16(0) === 0xffd8
          ? jpegSize(bytes)
          : bytes.getUint32(0) === 0x52494646 && bytes.getUint32(8) === 0x57454250
            ? webpSize(bytes)
            : undefined
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

function decodeHead(base64: string): DataView | undefined {
  const head = base64.slice(0, headLength).replaceAll('-', '+').replaceAll('_', '/')
  try {
    const text = atob(head)
    return new DataView(Uint8Array.from(text, (char) => char.charCodeAt(0)).buffer)
  } catch {
    // No base64: the vendor will say so.
    return undefined
  }
}

/** Walks from marker to marker up to the frame's header. */
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

/** The three kinds of WebP: lossy, lossless, extended. */
function webpSize(bytes: DataView): ImageSize | undefined {
  const kind = bytes.getUint8(15)
  if (kind === 0x20) {
    return {
      width: bytes.getUint16(26, true) & 0x3fff,
      height: bytes.getUint16(28, true) & 0x3fff,
    }
  }
  if (kind === 0x4c) {
    const bits = bytes.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
  }
  const uint24 = (at: number) => bytes.getUint16(at, true) | (bytes.getUint8(at + 2) << 16)
  return { width: uint24(24) + 1, height: uint24(27) + 1 }
}
