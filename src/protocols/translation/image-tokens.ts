import type { ImagePart } from '../canonical/request.ts'
import { type ImageSize, imageSize } from './image-size.ts'

/** What an image costs as input, in LLM tokens. */
export type ImageTokens = (image: ImagePart) => number

/** Of an image that is told by its address, or whose header is not known. */
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
