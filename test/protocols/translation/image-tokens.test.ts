import { describe, expect, test } from 'bun:test'
import type { ImagePart } from '../../../src/protocols/canonical/request.ts'
import { patches, pixels, tiles, whole } from '../../../src/protocols/translation/token-families.ts'

function gif(width: number, height: number, detail?: ImagePart['detail']): ImagePart {
  const header = Buffer.alloc(40)
  header.write('GIF89a')
  header.writeUInt16LE(width, 6)
  header.writeUInt16LE(height, 8)
  const data = header.toString('base64')
  return { type: 'image', source: { type: 'data', mediaType: 'image/gif', data }, detail }
}
const address: ImagePart = { type: 'image', source: { type: 'url', url: 'https://example.com/a' } }

describe('an image costs', () => {
  // The vendor's own examples: OpenAI, "Images and vision".
  const tiled = tiles({ base: 85, perTile: 170 })
  test.each([
    [1024, 1024, 'high', 765],
    [2048, 4096, 'high', 1105],
    [4096, 8192, 'low', 85],
    [100, 100, 'auto', 255],
  ] as const)('%d × %d in %s detail by its tiles', (width, height, detail, tokens) => {
    expect(tiled(gif(width, height, detail))).toBe(tokens)
  })

  test('by its patches, up to a limit', () => {
    const patched = patches({ perPatch: 1.2 })
    expect(patched(gif(597, 566))).toBeCloseTo(19 * 18 * 1.2)
    expect(patched(gif(8000, 8000))).toBeCloseTo(1536 * 1.2)
  })

  test('by its area, after it was made to fit', () => {
    const areal = pixels({ perToken: 750, longestEdge: 1568, most: 1600 })
    expect(areal(gif(300, 250))).toBe(100)
    expect(areal(gif(3136, 500))).toBeCloseTo((1568 * 250) / 750)
    expect(areal(gif(5000, 5000))).toBe(1600)
  })

  test('as much as one of 1024 × 1024 where the size is not known', () => {
    expect(tiled(address)).toBe(765)
  })

  test('the same whatever its size', () => {
    expect(whole(258)(gif(10, 10))).toBe(whole(258)(gif(4000, 4000)))
  })
})
