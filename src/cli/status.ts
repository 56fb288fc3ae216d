import type { Command } from 'commander'
import { findStore } from '../app/find-config.ts'
import { describeStore, isOnServer } from '../app/store-place.ts'
import { overdrawnNano, usd } from '../billing/money.ts'
import { counted, humanBytes, humanTime, isoTime } from '../lib/format.ts'
import { type Column, printable } from '../lib/table.ts'
import type { Overdrawn } from '../store/ports/admin.ts'
import type { HeldAnswer } from '../store/ports/answers.ts'
import type { Counting, NodeView } from '../store/ports/nodes.ts'
import { isServed } from '../store/sqlite/file.ts'
import { type JsonOption, withConfig } from './config-option.ts'
import { warnOfSpool, withStore } from './open.ts'
import { writeJson, writeLines, writeList } from './output.ts'

/** `tollgate status`: the nodes that serve from the database. */
export function addStatus(program: Command): void {
  const command = program
    .command('status')
    .description(
      'show who serves from the database: of a PostgreSQL all nodes, with what they do; and which accounts are overdrawn',
    )
    .option('--json', 'as JSON')
    .action(showStatus)
  withConfig(command, 'tollgate status', 'tollgate status --json')
}

async function showStatus(options: JsonOption): Promise<void> {
  const place = await findStore(options.config)
  await warnOfSpool(options)
  await withStore(options, async ({ store }) => {
    const nodes = (await store.nodes.list()).map(nodeReport)
    const served = isOnServer(place) ? nodes.some(({ alive }) => alive) : isServed(place.path)
    const background = backgroundReport(await store.answers.allPending())
    const overdrawn = overdrawnReport(await store.admin.overdrawn({ atMost: mostOverdrawn }))
    if (options.json)
      return writeJson({ database: describeStore(place), served, nodes, background, overdrawn })
    const what = served ? 'A process serves' : 'No process serves'
    await writeList(nodes.flatMap(rowsOf), columns, {
      none: `${what} from ${describeStore(place)}.`,
    })
    // Of a file only its lock is known.
    if (served && nodes.length === 0) await writeLines([whereLoadIs])
    if (background.answers > 0) await writeLines([describeBackground(background)])
    if (overdrawn.count > 0) await writeLines(describeOverdrawn(overdrawn))
  })
}

const whereLoadIs =
  'The console (Nodes) and /metrics (server.metrics) show what it does, by process.'

const backgroundReport = (held: readonly HeldAnswer[]) => ({
  answers: held.length,
  reserved_nano: held.reduce((sum, { amountNano }) => sum + amountNano, 0),
  oldest_at: held[0] === undefined ? null : isoTime(held[0].createdAt),
})

const describeBackground = ({ answers, reserved_nano, oldest_at }: BackgroundReport) =>
  `${counted(answers, 'answer')} ${answers === 1 ? 'is' : 'are'} made in the background, the oldest ` +
  `since ${humanTime(oldest_at ?? '')}: ${usd(reserved_nano)} reserved until they end.`

type BackgroundReport = ReturnType<typeof backgroundReport>

const mostOverdrawn = 20

const overdrawnReport = ({ count, accounts }: Overdrawn) => ({
  count,
  accounts: accounts.map((account) => ({
    email: account.email,
    balance_nano: account.balanceNano,
    credit_limit_nano: account.creditLimitNano,
    overdrawn_nano: overdrawnNano(account),
    request_id: account.requestId,
  })),
})

function describeOverdrawn({ count, accounts }: ReturnType<typeof overdrawnReport>) {
  const more = count - accounts.length
  return [
    `${counted(count, 'account')} ${count === 1 ? 'is' : 'are'} overdrawn:`,
    ...accounts.map(({ email, overdrawn_nano, request_id }) =>
      printable(
        `  ${email} by ${usd(overdrawn_nano)}${request_id ? `, since request ${request_id}` : ''}`,
      ),
    ),
    ...(more > 0 ? [`  … and ${counted(more, 'account')} more.`] : []),
  ]
}

const nodeReport = ({ id, name, version, startedAt, seenAt, isAlive, load }: NodeView) => ({
  ...{ id, name, version, alive: isAlive },
  ...{ started_at: isoTime(startedAt), seen_at: isoTime(seenAt) },
  load: {
    ...{ requests: load.requests, streams: load.streams },
    ...{ requests_per_minute: load.requestsPerMinute, leads: load.leads, counting: load.counting },
    ...{ memory_bytes: load.memoryBytes, cpu_percent: load.cpuPercent },
  },
  processes: (load.processes ?? []).map((one) => ({
    ...{ worker: one.worker, pid: one.pid, requests: one.requests, streams: one.streams },
    requests_per_minute: one.requestsPerMinute,
    ...{ memory_bytes: one.memoryBytes, cpu_percent: one.cpuPercent },
  })),
})

type Report = ReturnType<typeof nodeReport>

/** A line of the table: a node, or below it one of its processes. */
interface Row {
  readonly name: string
  readonly version: string
  readonly state: string
  readonly started: string
  readonly seen: string
  readonly load: Report['load']
  readonly counting: string
}

function rowsOf({ alive, load, ...node }: Report): readonly Row[] {
  const none = { version: '', started: '', seen: '', counting: '' }
  return [
    {
      ...{ name: node.name, version: node.version, state: stateOf(alive, load.leads), load },
      ...{ started: humanTime(node.started_at), seen: humanTime(node.seen_at) },
      counting: alive && load.counting ? countings[load.counting] : '',
    },
    ...(alive ? node.processes : []).map(({ worker, pid, ...own }) => ({
      name: worker === null ? '  keeper' : `  worker ${worker}`,
      ...{ ...none, state: `pid ${pid}` },
      load: { ...own, leads: undefined, counting: undefined },
    })),
  ]
}

const columns: readonly Column<Row>[] = [
  { title: 'NODE', text: ({ name }) => name },
  { title: 'VERSION', text: ({ version }) => version },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'STARTED', text: ({ started }) => started },
  { title: 'HEARD OF', text: ({ seen }) => seen },
  { title: 'LOAD', text: ({ load }) => describeLoad(load) },
  { title: 'COUNTS LIMITS', text: ({ counting }) => counting },
]

/** What a node of a former version does not report is left out. */
const describeLoad = (load: Report['load']): string =>
  [
    load.requests === undefined ? [] : `${load.requests} requests`,
    load.requests_per_minute === undefined ? [] : `${load.requests_per_minute} a minute`,
    load.cpu_percent === undefined ? [] : `CPU ${load.cpu_percent} %`,
    load.memory_bytes === undefined ? [] : humanBytes(load.memory_bytes),
  ]
    .flat()
    .join(', ')

const countings: Readonly<Record<Counting, string>> = {
  together: 'with all nodes',
  apart: 'its share: Valkey is away',
  alone: 'alone: no counters:',
}

function stateOf(alive: boolean, leads: boolean | undefined): string {
  if (!alive) return 'dead'
  return leads ? 'serves, leads' : 'serves'
}
