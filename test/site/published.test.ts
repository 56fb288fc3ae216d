import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { brotliOf, type Published, publish, respond } from '../../src/site/published.ts'

const at = (seconds: number) => Date.UTC(2026, 10, 21, 12) + seconds * 1000
const json = JSON.stringify({ text: 'price '.repeat(100) })
const document = await publish(json, undefined, at(0.7))
const { etag, gzipEtag, lastModified } = document
const { bytes: brotli, etag: brotliEtag } = await brotliOf(document)

const ask = (headers: Record<string, string>, method = 'GET', of: Published = document) =>
  respond(new Request('http://gateway/feed', { method, headers }), of)

describe('publish', () => {
  test('gives the previous version itself for the same bytes', async () => {
    expect(await publish(json, document, at(60))).toBe(document)
  })

  test('other bytes change the tags and the date; the same bytes later have the same tags', async () => {
    const other = await publish(`${json} `, document, at(60))
    const tags = [
      other.etag,
      other.gzipEtag,
      (await brotliOf(other)).etag,
      etag,
      gzipEtag,
      brotliEtag,
    ]
    expect(new Set(tags).size).toBe(6)
    expect(other.lastModified).toBe('Sat, 21 Nov 2026 12:01:00 GMT')
    const again = await publish(json, other, at(120))
    expect([again.etag, again.gzipEtag]).toEqual([etag, gzipEtag])
  })

  test('dates versions apart that follow within a second, also when the clock goes back', async () => {
    expect(lastModified).toBe('Sat, 21 Nov 2026 12:00:00 GMT')
    const second = await publish('2', document, at(0.9))
    expect(second.lastModified).toBe('Sat, 21 Nov 2026 12:00:01 GMT')
    const third = await publish('3', second, at(-3600))
    expect(third.lastModified).toBe('Sat, 21 Nov 2026 12:00:02 GMT')
  })

  test('compresses the same bytes', () => {
    expect(gunzipSync(document.gzip).toString()).toBe(json)
    expect(document.gzip.length).toBeLessThan(json.length / 4)
    expect(brotliDecompressSync(brotli).toString()).toBe(json)
    expect(brotli.length).toBeLessThan(document.gzip.length)
  })
})

describe('respond', () => {
  test('the whole document, to be asked for again each time, and for nobody else to read', async () => {
    const response = await ask({})
    expect(await response.text()).toBe(json)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual({
      etag,
      'last-modified': lastModified,
      'cache-control': 'no-cache',
      'content-type': 'application/json; charset=utf-8',
      vary: 'accept-encoding',
    })
  })

  const encodings: [string, 'br' | 'gzip' | null][] = [
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['deflate, gzip;q=0.5, br', 'br'],
    ['gzip, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip ; q=1.0', 'gzip'],
    ['*', 'br'],
    ['identity;q=0.5, gzip', 'gzip'],
    ['', null],
    ['identity', null],
    ['zstd', null],
    ['gzip;q=0', null],
    ['*;q=0', null],
    ['gzip;q=0.2, identity;q=0.8', null],
    ['gzipped', null],
  ]
  test.each(encodings)('accept-encoding %p: %p', async (accepted, coding) => {
    const response = await ask({ 'accept-encoding': accepted })
    expect(response.headers.get('content-encoding')).toBe(coding)
    const tag = coding === 'br' ? brotliEtag : coding === 'gzip' ? gzipEtag : etag
    expect(response.headers.get('etag')).toBe(tag)
    expect(response.headers.get('vary')).toBe('accept-encoding')
    const bytes = await response.bytes()
    const { gzip, body } = document
    expect(bytes).toEqual(
      new Uint8Array(coding === 'br' ? brotli : coding === 'gzip' ? gzip : body),
    )
  })

  const later = 'Sat, 21 Nov 2026 12:00:01 GMT'
  const earlier = 'Sat, 21 Nov 2026 11:59:59 GMT'
  const conditions: [Record<string, string>, number][] = [
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `W/${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': ' * ' }, 304],
    [{ 'if-none-match': `"a", W/"b,c" ,${etag}` }, 304],
    [{ 'if-none-match': `"a",W/${etag}, "b"` }, 304],
    [{ 'if-none-match': etag, 'if-modified-since': earlier }, 304],
    [{ 'if-none-match': '"other"' }, 200],
    [{ 'if-none-match': etag.slice(1, -1) }, 200],
    [{ 'if-none-match': `"x${etag.slice(1)}` }, 200],
    [{ 'if-none-match': '"other"', 'if-modified-since': lastModified }, 200],
    [{ 'if-none-match': '', 'if-modified-since': lastModified }, 200],
    [{ 'if-none-match': gzipEtag }, 200],
    [{ 'if-modified-since': lastModified }, 304],
    [{ 'if-modified-since': later }, 304],
    [{ 'if-modified-since': 'Saturday, 21-Nov-26 12:00:00 GMT' }, 304],
    [{ 'if-modified-since': 'Sat Nov 21 12:00:00 2026' }, 304],
    [{ 'if-modified-since': earlier }, 200],
    [{ 'if-modified-since': 'Sat Nov 21 11:59:59 2026' }, 200],
    [{ 'if-modified-since': 'yesterday' }, 200],
    [{ 'if-modified-since': '2027' }, 200],
    [{ 'if-modified-since': '' }, 200],
    [{ 'if-match': '"other"' }, 200],
  ]
  test.each(conditions)('%p: %p', async (headers, status) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await ask(headers, method)
      expect(response.status).toBe(status)
      expect(response.headers.get('etag')).toBe(etag)
      expect(response.headers.get('last-modified')).toBe(lastModified)
      if (status === 304) expect(await response.text()).toBe('')
    }
  })

  test('the tag of the compressed bytes holds for those, and not for the plain ones', async () => {
    const gzip = { 'accept-encoding': 'gzip' }
    expect((await ask({ ...gzip, 'if-none-match': gzipEtag })).status).toBe(304)
    expect((await ask({ ...gzip, 'if-none-match': etag })).status).toBe(200)
  })
})
