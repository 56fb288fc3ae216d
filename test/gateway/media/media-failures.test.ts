import { expect, test } from 'bun:test'
import type { FetchMedia } from '../../../src/gateway/media/fetch-media.ts'
import { rememberFailures } from '../../../src/gateway/media/inline-media.ts'
import { MediaError } from '../../../src/gateway/media/media-address.ts'

const { signal } = new AbortController()

function counting(fetchMedia: FetchMedia) {
  const asked: string[] = []
  const media = {
    of:
      (owner: string): FetchMedia =>
      (url, options) => {
        asked.push(`${owner} ${url}`)
        return fetchMedia(url, options)
      },
  }
  return { asked, fetcher: rememberFailures(media) }
}

test('what could not be had is not tried again for the next channel', async () => {
  const failure = new MediaError('The host of the file answered with status 404.')
  const { asked, fetcher } = counting(() => Promise.reject(failure))
  for (let channel = 0; channel < 3; channel++) {
    await expect(fetcher.of('1')('https://a.example/x.png', { signal })).rejects.toBe(failure)
  }
  await expect(fetcher.of('1')('https://b.example/x.png', { signal })).rejects.toBe(failure)
  expect(asked).toEqual(['1 https://a.example/x.png', '1 https://b.example/x.png'])
})

test('what could be had is had again, and what was ended can be tried again', async () => {
  const outcomes = [() => Promise.reject(new DOMException('left', 'AbortError'))]
  const found = { mediaType: 'image/png', data: 'AA==' }
  const { asked, fetcher } = counting(() => outcomes.shift()?.() ?? Promise.resolve(found))
  const fetchMedia = fetcher.of('1')
  await expect(fetchMedia('https://a.example/x.png', { signal })).rejects.toThrow('left')
  expect(await fetchMedia('https://a.example/x.png', { signal })).toBe(found)
  expect(await fetchMedia('https://a.example/x.png', { signal })).toBe(found)
  expect(asked.length).toBe(3)
})
