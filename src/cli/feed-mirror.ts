import { type Command, InvalidArgumentError, Option } from 'commander'
import { mirrorFeed } from '../app/feed.ts'
import { systemClock } from '../lib/clock.ts'
import { createLogger } from '../lib/log.ts'
import { parseDuration, parseListen } from '../resources/values.ts'
import { seeOut, surviveBugs, untilStopped } from './lifecycle.ts'
import { createLineSink, withoutColors } from './log-sink.ts'
import { withExamples } from './open.ts'

interface FeedMirrorOptions {
  readonly listen: { readonly host: string; readonly port: number }
  readonly interval: number
  readonly dir: string
  readonly acceptSite?: string
  readonly log: 'pretty' | 'json'
}

/** `tollgate feed mirror`: a backup address of another instance's feed, on a machine of its own. */
export function addFeedMirror(feed: Command): void {
  const command = feed
    .command('mirror')
    .description("keep a copy of another gateway's price feed and serve it at both its paths")
    .argument('<url>', 'address of the feed', parseWebAddress)
    .addOption(
      new Option('--listen <address>', 'host:port to serve it on')
        .argParser(parseAddress)
        .default({ host: '127.0.0.1', port: 8788 }, '127.0.0.1:8788'),
    )
    .addOption(
      new Option('--interval <duration>', 'how often the origin is asked')
        .argParser(parseInterval)
        .default(120_000, '120s'),
    )
    .option('--dir <folder>', 'where the last good copy is kept', 'feed-mirror')
    .option(
      '--accept-site <name>',
      'take documents of this site (name or domain) only, also over a copy of another site',
    )
    .addOption(
      new Option('--log <form>', 'of the log')
        .choices(['pretty', 'json'])
        .default(process.stdout.isTTY ? 'pretty' : 'json', 'pretty on a terminal, else json'),
    )
    .action(runMirror)
  withExamples(
    command,
    'tollgate feed mirror https://gateway.example.com/pricing/provider-pricing.json',
    'tollgate feed mirror https://gateway.example.com/api/provider/pricing --listen 0.0.0.0:80',
    'kill -HUP PID     ask the origin now',
  )
}

async function runMirror(origin: string, options: FeedMirrorOptions): Promise<void> {
  const { listen, interval, dir, acceptSite } = options
  const sink = createLineSink(process.stdout)
  const pretty = options.log === 'pretty'
  const log = createLogger({
    sink: pretty ? withoutColors(sink.write, process.stdout) : sink.write,
    ...{ pretty, clock: systemClock, level: 'info' },
  })
  surviveBugs(log)
  await seeOut(sink, async () => {
    const parts = { origin, listen, intervalMs: interval, folder: dir, acceptSite, log }
    const mirroring = await mirrorFeed(parts)
    const stopped = untilStopped(mirroring)
    log.info('listening', { url: mirroring.url, origin, folder: dir })
    const left = await stopped
    log.info('stopped')
    return left
  })
}

function parseWebAddress(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InvalidArgumentError('Write a web address that begins with https:// or http://.')
  if (url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('Leave the user name and password out: a price feed is public.')
  return url.href
}

function parseAddress(text: string) {
  const address = parseListen(text)
  if (!address) throw new InvalidArgumentError('Write host:port, such as 127.0.0.1:8788.')
  return address
}

function parseInterval(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError('Write a number and a unit: 30s, 2m, 1h.')
  return ms
}
