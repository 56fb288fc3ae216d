import { type Command, InvalidArgumentError, Option } from 'commander'
import { createFeedExporter, type FeedExporter, mirrorFeed } from '../app/feed.ts'
import { findConfig } from '../app/find-config.ts'
import type { Instance } from '../app/instance.ts'
import { openLog } from '../app/open-log.ts'
import { readSource } from '../app/prices/read-price-list.ts'
import { UserError } from '../app/user-error.ts'
import { createSingleFlight } from '../lib/concurrency.ts'
import { counted } from '../lib/format.ts'
import { printable } from '../lib/table.ts'
import { parseDuration, parseListen } from '../resources/values.ts'
import type { FeedDocument } from '../site/feed/schema.ts'
import { describeProblem, type FeedProblem, validateFeed } from '../site/feed/validate.ts'
import { type JsonOption, withConfig, withExamples } from './config-option.ts'
import { complain } from './errors.ts'
import { seeOut, surviveBugs, untilStopped } from './lifecycle.ts'
import { logOption } from './log-option.ts'
import { withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'

/** `tollgate feed …`: the public price feed, outside of the gateway that makes it. */
export function addFeedCommands(program: Command): void {
  const feed = program.command('feed').description('the price feed: export, mirror, validate')
  addFeedExport(feed)
  addFeedMirror(feed)
  addFeedValidate(feed)
  withExamples(feed, 'tollgate feed validate https://gateway.example.com/api/provider/pricing')
}

interface FeedExportOptions extends JsonOption {
  readonly watch?: boolean
}

function addFeedExport(feed: Command): void {
  const command = feed
    .command('export')
    .description('write the price feed as files that any static host can serve')
    .argument('<dir>', 'folder; the feed lies in it as in its addresses, with a .gz beside it')
    .option('--watch', 'stay, and write again whenever prices or groups change')
    .option('--json', 'say what was written as JSON, one line each time')
    .action((folder: string, options: FeedExportOptions) =>
      withStore(options, (instance) => exportFeed(folder, options, instance)),
    )
  withConfig(
    command,
    'tollgate feed export /var/www/prices',
    'tollgate feed export /var/www/prices --watch',
  )
}

async function exportFeed(folder: string, options: FeedExportOptions, instance: Instance) {
  const { config } = await findConfig(options.config)
  const exporter = await createFeedExporter(instance, config, folder)
  const report = (written: readonly string[]) => writeLines(describe(folder, written, options))
  await report(await exporter.write())
  if (options.watch) await watch(instance, exporter, report)
}

function describe(folder: string, written: readonly string[], { json }: FeedExportOptions) {
  if (json) return [JSON.stringify({ written })]
  if (written.length === 0) return [`The feed in ${folder} is up to date.`]
  return written.map((file) => `wrote ${file}`)
}

const pollMs = 500

async function watch(
  { store }: Instance,
  exporter: FeedExporter,
  report: (written: readonly string[]) => Promise<void>,
): Promise<void> {
  let outdated = true // a change may have come between the first export and this
  const follow = createSingleFlight(async () => {
    try {
      if (await store.changedElsewhere()) outdated = true
      if (!outdated) return
      const written = await exporter.write()
      outdated = false
      if (written.length > 0) await report(written)
    } catch (error) {
      complain(`not exported, trying again: ${String(error)}`)
    }
  })
  const timer = setInterval(follow, pollMs)
  await untilStopped({
    reload: async () => {
      outdated = true
    },
    async stop() {
      clearInterval(timer)
      await follow.idle()
      return []
    },
  })
}

interface FeedMirrorOptions {
  readonly listen: { readonly host: string; readonly port: number }
  readonly interval: number
  readonly dir: string
  readonly acceptSite?: string
  readonly log: 'pretty' | 'json'
}

function addFeedMirror(feed: Command): void {
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
    .addOption(logOption('of the log', ['pretty', 'json']))
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
  const { sink, log } = openLog(options.log)
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

function addFeedValidate(feed: Command): void {
  const command = feed
    .command('validate')
    .description('check a price feed, and say what is wrong with it and where')
    .argument('<source>', 'a file, or an address that begins with https:// or http://')
    .option('--json', 'as JSON')
    .action(validate)
  withExamples(
    command,
    'tollgate feed validate provider-pricing.json',
    'tollgate feed validate https://gateway.example.com/pricing/provider-pricing.json --json',
  )
}

const maxShown = 50

async function validate(source: string, { json }: { readonly json?: boolean }): Promise<void> {
  const report = validateFeed(await readSource(source))
  if (report.ok) {
    const facts = factsOf(report.document)
    if (json) return writeJson({ valid: true, problems: [], ...facts })
    const { entries, groups, updated_at } = facts
    const size = `${counted(entries, 'row')} in ${counted(groups, 'group')}`
    return writeLines([`Valid: ${size}, updated at ${updated_at}.`])
  }
  const { problems } = report
  if (json) await writeJson({ valid: false, problems })
  const count = counted(problems.length, 'problem')
  throw new UserError(
    [`${source} is no valid price feed: ${count}.`, ...listed(problems)].join('\n'),
  )
}

function listed(problems: readonly FeedProblem[]): readonly string[] {
  const lines = problems
    .slice(0, maxShown)
    .map((problem) => `  ${printable(describeProblem(problem))}`)
  const left = problems.length - lines.length
  return left === 0 ? lines : [...lines, `  and ${left} more; --json shows all`]
}

function factsOf({ data }: FeedDocument) {
  return {
    entries: data.models.length,
    groups: new Set(data.models.map((entry) => entry.group_name)).size,
    updated_at: data.updated_at,
    site_name: data.site_name,
    site_domain: data.site_domain,
  }
}
