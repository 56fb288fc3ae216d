import { mkdirSync } from 'node:fs'
import type { Bench, BenchCase } from './bench.ts'
import { prepareFullDatabase } from './full-database.ts'
import { measureRequests } from './measure.ts'
import { chatPath, requests } from './requests.ts'
import { measureInRounds } from './rounds.ts'
import { type Subject, startTollgate, subjectOf, tollgateConfig } from './subjects.ts'
import { summarise } from './summary.ts'
import { writeScript } from './wrk.ts'

const connections = 64

interface Sizes {
  /** Where its database lies; default a fresh one. */
  readonly cwd?: string
  readonly models?: readonly string[]
  readonly groups?: readonly string[]
}

/** Tollgate before the constant upstream, with a database or a catalog of some size. */
export async function startSized(
  { place, upstreams }: Bench,
  name: string,
  { cwd, models, groups }: Sizes,
): Promise<Subject> {
  const { folder, core } = place
  const config = (listen: string) =>
    tollgateConfig({
      ...{ listen, upstream: upstreams.constant, speaks: 'chat' },
      ...(models && { models }),
      ...(groups && { groups }),
    })
  const options = { cwd: cwd ?? folder.join(name), core, log: folder.join(`${name}.log`), config }
  return subjectOf(name, await startTollgate(options))
}

/** A cost that must not grow with the size of a table or of the catalog. */
function costCase(
  name: string,
  {
    title,
    start,
  }: { title: (bench: Bench) => string; start: (bench: Bench) => Promise<Subject[]> },
): BenchCase {
  return {
    name,
    async run(bench) {
      await using stack = new AsyncDisposableStack()
      const subjects = await start(bench)
      for (const subject of subjects) stack.use(subject)
      const measured = await measureInRounds(bench, subjects, (subject, seconds) => {
        const script = bench.place.folder.join(`${subject.name}-${name}.lua`)
        writeScript(script, { headers: subject.headers, body: requests.small })
        const options = { connections, seconds, script, path: chatPath, bodyBytes: 0 }
        return measureRequests(bench.client, subject, options)
      })
      const comparison = {
        figure: 'cpuUs',
        with: subjects.slice(0, 1).map((one) => one.name),
      } as const
      return summarise({ title: title(bench), counts: 'requests', comparison }, measured)
    },
  }
}

const modelNames = (count: number) => [
  'test-model',
  ...Array.from({ length: count - 1 }, (_, at) => `model-${at + 1}`),
]
const groupNames = (count: number) =>
  Array.from({ length: count - 1 }, (_, at) => `group-${at + 1}`)

/** Tollgate with so much in its database, and with so much in its catalog. */
export const sizeNames = {
  ...{ few: 'empty-database', full: 'full-database' },
  ...{ small: 'small-catalog', large: 'large-catalog' },
} as const

export const sizeCases: readonly BenchCase[] = [
  costCase('full-database', {
    title: ({ options: { tokens, requests: count } }) =>
      `small JSON, 64 connections: an empty database, and ${tokens} tokens with ${count} requests`,
    start: async (bench) => [
      await startSized(bench, sizeNames.few, {}),
      await startSized(bench, sizeNames.full, { cwd: await prepareFullDatabase(bench) }),
    ],
  }),
  costCase('large-catalog', {
    title: ({ options: { models, groups } }) =>
      `small JSON, 64 connections: 10 models in 1 group, and ${models} in ${groups}`,
    start: async (bench) => [
      await startSized(bench, sizeNames.small, { models: modelNames(10) }),
      await startSized(bench, sizeNames.large, {
        models: modelNames(bench.options.models),
        groups: groupNames(bench.options.groups),
      }),
    ],
  }),
]

const feedPath = '/pricing/provider-pricing.json'
const feedModels = 100
const feedGroups = 3

/** The price feed, beside the same document served as a file; both are compressed beforehand. */
export const feedCase: BenchCase = {
  name: 'price-feed',
  async run(bench) {
    const { place } = bench
    await using tollgate = await startSized(bench, 'tollgate', {
      cwd: place.folder.join('feed'),
      models: modelNames(feedModels),
      groups: groupNames(feedGroups),
    })
    const feed = new Uint8Array(
      await (await fetch(tollgate.url + feedPath, { proxy: false })).arrayBuffer(),
    )
    mkdirSync(place.files, { recursive: true })
    await Bun.write(`${place.files}/feed.json`, feed)
    await Bun.write(`${place.files}/feed.json.gz`, Bun.gzipSync(feed))
    const nginx = await bench.subject('nginx', 'constant')
    const subjects = nginx === undefined ? [tollgate] : [nginx, tollgate]
    const measured = await measureInRounds(bench, subjects, (subject, seconds) => {
      const script = place.folder.join(`${subject.name}-feed.lua`)
      writeScript(script, { headers: { 'accept-encoding': 'gzip' } })
      const path = subject === tollgate ? feedPath : '/files/feed.json'
      return measureRequests(bench.client, subject, {
        ...{ connections, seconds, script, path, bodyBytes: 0 },
      })
    })
    return summarise(
      {
        title: `price feed of ${feedModels} models in ${feedGroups} groups, ${feed.length} bytes, gzip, 64 connections`,
        counts: 'requests',
        comparison: { figure: 'perSecond', with: ['nginx'] },
      },
      measured,
    )
  },
}
