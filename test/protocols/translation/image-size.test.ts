import { describe, expect, test } from 'bun:test'
import { imageSize } from '../../../src/protocols/translation/token-families.ts'

const base64 = (...bytes: readonly number[]) =>
  Buffer.from([...bytes, ...new Array(40).fill(0)]).toString('base64')
const ascii = (text: string) => [...text].map((char) => char.charCodeAt(0))

const png = base64(
  0x89,
  ...ascii('PNG\r\n'),
  0x1a,
  0x0a,
  0,
  0,
  0,
  13,
  ...ascii('IHDR'),
  0,
  0,
  2,
  88,
  0,
  0,
  1,
  44,
)
const gif = base64(...ascii('GIF89a'), 88, 2, 44, 1)
const frame = [0xff, 0xc0, 0, 17, 8, 1, 44, 2, 88]
const thumbnail = [0xff, 0xe1, 0x40, 0x02, ...new Array(0x4000).fill(0xff)]
const riff = [...ascii('RIFF'), 0, 0, 0, 0, ...ascii('WEBP')]

describe('the size of an image', () => {
  const cases: readonly (readonly [name: string, data: string])[] = [
    ['PNG', png],
    ['GIF', gif],
    ['JPEG', base64(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, ...frame)],
    ['progressive JPEG', base64(0xff, 0xd8, 0xff, 0xc4, 0, 4, 0, 0, 0xff, 0xc2, ...frame.slice(2))],
    ['JPEG behind a thumbnail and fill bytes', base64(0xff, 0xd8, ...thumbnail, 0xff, ...frame)],
    ['lossy WebP', base64(...riff, ...ascii('VP8 '), ...new Array(10).fill(0), 88, 2, 44, 1)],
    // 599 in 14 bits, 299 in the next 14
    ['lossless WebP', base64(...riff, ...ascii('VP8L'), 0, 0, 0, 0, 0x2f, 0x57, 0xc2, 0x4a, 0)],
    [
      'extended WebP',
      base64(...riff, ...ascii('VP8X'), ...new Array(8).fill(0), 87, 2, 0, 43, 1, 0),
    ],
  ]
  test.each(cases)('is read from a %s', (_name, data) => {
    expect(imageSize(data)).toEqual({ width: 600, height: 300 })
  })

  test('is read from the URL alphabet of base64 too', () => {
    const data = base64(0xff, 0xd8, 0xff, 0xe0, 0, 6, 0xfb, 0xef, 0xbe, 0xff, ...frame)
    const other = data.replaceAll('+', '-').replaceAll('/', '_')
    expect(other).not.toBe(data)
    expect(imageSize(other)).toEqual({ width: 600, height: 300 })
  })

  test.each([
    ['nothing', ''],
    ['no base64', '…'],
    ['another format', base64(...ascii('BM'), 1, 2, 3)],
    ['a JPEG without a frame', base64(0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff)],
    ['a JPEG that is cut off', base64(0xff, 0xd8, 0xff, 0xff).slice(0, 8)],
    ['a size of zero', base64(...ascii('GIF89a'), 0, 0, 44, 1)],
  ])('is unknown for %s', (_name, data) => {
    expect(imageSize(data)).toBeUndefined()
  })

  test('is found without reading all of a large image', () => {
    expect(imageSize(png + 'A'.repeat(20_000_000))).toBeUndefined()
    expect(imageSize(png.replaceAll('=', 'A') + 'A'.repeat(20_000_000))).toEqual({
      width: 600,
      height: 300,
    })
  })
})
