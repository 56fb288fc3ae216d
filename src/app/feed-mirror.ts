import { Elysia } from 'elysia'
import { pageNotFound } from '../gateway/errors.ts'
import { systemClock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { openMirrorFolder } from '../site/feed/files.ts'
import { createMirror } from '../site/feed/mirror.ts'
import { feedRoutes } from '../site/feed/routes.ts'
import type { Config } from './config/config.ts'
import { createEnding } from './ending.ts'
import { UserError } from './instance.ts'
import { listen } from './listen.ts'

export interface FeedMirrorParts {
  /** Address of the feed to be copied. */
  readonly origin: string
  readonly listen: Pick<Config['server'], 'host' | 'port'>
  readonly intervalMs: number
  readonly folder: string
  readonly acceptSite?: string | undefined
  readonly log: Logger
}

/** A mirror that is up. */
export interface FeedMirroring {
  readonly url: string
  /** Asks for news now; never rejects. */
  reload(): Promise<void>
  /** Gives what could not be ended in time. */
  stop(): Promise<readonly string[]>
}

/** Serves the copy of another instance's feed, and asks that instance for news every interval. */
export async function mirrorFeed(parts: FeedMirrorParts): Promise<FeedMirroring> {
  const { log } = parts
  const mirror = await openMirror(parts)
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onError(({ code, error }) => {
      if (code === 'NOT_FOUND') return pageNotFound()
      log.error('unhandled error', { code: String(code), error: String(error) })
      return new Response('500 internal error', { status: 500 })
    })
    .use(feedRoutes(mirror))
  const listening = listen(app, parts.listen, '--listen')
  const timer = setInterval(() => void mirror.refresh(), parts.intervalMs)
  void mirror.refresh() // awaited by `stop`
  return {
    url: listening.url,
    reload: mirror.refresh,
    async stop() {
      clearInterval(timer)
      const closed = listening.close()
      const ending = createEnding(log)
      await ending.step('the copy of the feed', mirror.stop, stopMs)
      await Promise.race([closed, Bun.sleep(stopMs)])
      listening.drop()
      return ending.left
    },
  }
}

/** How long a reader under way, or a copy, has to finish when the mirror stops. */
const stopMs = 2_000

async function openMirror({ origin, folder, acceptSite, log }: FeedMirrorParts) {
  const copies = openMirrorFolder(folder, origin)
  try {
    const parts = { origin, folder: copies, acceptSite, fetch, clock: systemClock, log }
    return await createMirror(parts)
  } catch (cause) {
    throw new UserError(`The copy in ${folder} can't be read: ${cause}. Name another --dir.`, {
      cause,
    })
  }
}
