import type { BodyMemory } from '../memory/lease-memory.ts'
import type { MediaFetcher } from './fetch-media.ts'

/** The same for one request, which has its files in memory until it has ended. */
export const countMedia = (media: MediaFetcher, memory: BodyMemory | undefined): MediaFetcher => ({
  of(owner) {
    const fetchMedia = media.of(owner)
    return async (url, options) => {
      const file = await fetchMedia(url, options)
      await memory?.take(file.data.length)
      return file
    }
  },
})
