import { describe, expect, test } from 'bun:test'
import { bareType, mediaTypeOf } from '../../../src/gateway/media/media-address.ts'
import { samples } from './media-samples.ts'

const byBytes: readonly (readonly [keyof typeof samples, string])[] = [
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['gif87', 'image/gif'],
  ['gif89', 'image/gif'],
  ['webp', 'image/webp'],
  ['heic', 'image/heic'],
  ['heix', 'image/heic'],
  ['heif', 'image/heif'],
  ['pdf', 'application/pdf'],
]
const headers = [
  null,
  '',
  'image/jpeg',
  'application/octet-stream',
  'text/html; charset=utf-8',
  'x',
]

describe('images and documents', () => {
  test.each(byBytes)('X1: a %s is known by its bytes, whatever the header says', (name, type) => {
    for (const header of headers) expect(mediaTypeOf(samples[name], header)).toBe(type)
  })

  const notImages = ['svg', 'html', 'empty', 'avif', 'avifAsHeif', 'mp4', 'wav'] as const
  test.each(notImages)('X1: a header makes no image and no PDF of a file: %s', (name) => {
    for (const header of ['image/png', 'image/svg+xml', 'application/pdf', 'text/html', null]) {
      expect(mediaTypeOf(samples[name], header)).toBeUndefined()
    }
  })

  test('what is no more than the beginning of a known beginning is unknown', () => {
    for (const [name] of byBytes) {
      expect(mediaTypeOf(samples[name].subarray(0, 3), 'image/png')).toBe(
        name === 'jpeg' ? 'image/jpeg' : undefined,
      )
    }
  })

  test('a PDF may have white space before its head, but not in the middle of another file', () => {
    const latin = (text: string) => new TextEncoder().encode(text)
    expect(mediaTypeOf(latin('\r\n %PDF-1.4'), null)).toBe('application/pdf')
    expect(mediaTypeOf(latin('<p>%PDF-1.4'), null)).toBeUndefined()
  })
})

describe('sounds and films', () => {
  const named: readonly (readonly [string, string])[] = [
    ['audio/mpeg', 'audio/mpeg'],
    ['audio/mp3', 'audio/mpeg'],
    ['Audio/X-WAV', 'audio/wav'],
    ['audio/x-m4a', 'audio/mp4'],
    ['audio/ogg; codecs=opus', 'audio/ogg'],
    ['video/mp4', 'video/mp4'],
    ['video/quicktime ;x=y', 'video/quicktime'],
    ['video/x-msvideo', 'video/avi'],
  ]
  test.each(named)('%s is %s', (header, type) => {
    for (const bytes of [samples.mp4, samples.wav, samples.mp3]) {
      expect(mediaTypeOf(bytes, header)).toBe(type)
    }
  })

  test('an image under their name is an image', () => {
    expect(mediaTypeOf(samples.png, 'video/mp4')).toBe('image/png')
  })

  const unknown = [
    'audio/midi',
    'video/x-unknown',
    'audio/',
    'toString',
    '__proto__',
    'constructor',
  ]
  test.each(unknown)('%s is of no known kind', (header) => {
    expect(mediaTypeOf(samples.mp3, header)).toBeUndefined()
  })
})

test('a bare type has no parameters, no blanks and no capitals', () => {
  expect(bareType(' Text/HTML ; charset=utf-8')).toBe('text/html')
  expect(bareType(null)).toBe('')
})
