import type { MediaFetcher } from './fetch-media.ts'
import { MediaError } from './media-error.ts'

/** A fetcher for one request: what could not be had is not tried again for its next channel. */
export function rememberFailures(media: MediaFetcher): MediaFetcher {
  const failed = new Map<string, MediaError>()
  return {
    of(owner) {
      const fetchMedia = media.of(owner)
      return async (url, options) => {
        const failure = failed.get(url)
        if (failure !== undefined) throw failure
        try {
          return await fetchMedia(url, options)
        } catch (error) {
          if (error instanceof MediaError) failed.set(url, error)
          throw error
        }
      }
    },
  }
}
