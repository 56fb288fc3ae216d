import { Alert, Anchor, Badge, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { NodeItem, NodeList, ProcessItem } from '../../admin/nodes/routes.ts'
import { api, useCall } from '../lib/api.ts'
import { formatAgo, formatBytes } from '../lib/format.ts'
import { bilingual, formatCount, useLanguage, useText } from '../lib/language.ts'
import { Loaded, PageFrame } from '../parts/page.tsx'
import { useSorted } from '../parts/sorting.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { type Column, column, DataTable, figure, short, sorted } from '../parts/table.tsx'
import { LongText, SmallHint, Sums, Time } from '../parts/text.tsx'

/** Nodes send a heartbeat every five seconds. */
const refreshMs = 3_000

/** Who serves: the nodes of this gateway. */
export function Page() {
  const text = useText(texts)
  const query = useCall(['admin', 'nodes'], () => api.admin.nodes.get(), {
    refetchInterval: refreshMs,
  })
  return (
    <PageFrame title={text.nodes} description={text.description}>
      <Loaded query={query} waiting={<Skeleton height={160} aria-busy />}>
        {(list) => (
          <Stack>
            <Notices {...list} />
            <NodeTable {...list} />
            <Processes items={list.items} />
          </Stack>
        )}
      </Loaded>
    </PageFrame>
  )
}

/** What an operator should know of the nodes as a whole. */
function Notices({ database, is_shared, items }: NodeList) {
  const text = useText(texts)
  const alive = items.filter(({ is_alive }) => is_alive)
  const counting = (how: NodeItem['counting']) =>
    alive.filter((node) => node.counting === how).length
  const [apart, alone] = [counting('apart'), counting('alone')]
  const versions = new Set(alive.map(({ version }) => version))
  const notices = [
    [!is_shared, 'blue', text.oneFile, text.oneFileText(database)],
    [is_shared && alive.length === 1, 'blue', text.oneNode, text.oneNodeText(database)],
    [apart > 0, 'yellow', text.apartTitle, text.apartText(apart)],
    [alive.length > 1 && alone > 0, 'yellow', text.aloneTitle, text.aloneText(alone)],
    [versions.size > 1, 'blue', text.versionsTitle, text.versionsText],
  ] as const
  return notices.map(
    ([isShown, color, title, words]) =>
      isShown && (
        <Alert key={title} color={color} title={title}>
          <LongText>{words}</LongText>
          <Anchor href="/docs/several-machines" size="sm">
            {text.guide}
          </Anchor>
        </Alert>
      ),
  )
}

const none = '—'

interface NodeProps {
  readonly node: NodeItem
}

function NodeTable({ items, is_shared }: NodeList) {
  const text = useText(texts)
  const columns: readonly Column<NodeItem>[] = [
    sorted(
      'name',
      column(text.name, (node) => <Name node={node} />),
      ({ name }) => name,
    ),
    short(text.version, ({ version }) => version),
    short(text.state, (node) => <State node={node} />),
    sorted(
      'since',
      short(text.since, ({ started_at }) => <Time at={started_at} />),
      ({ started_at }) => started_at,
    ),
    sorted(
      'requests',
      figure(text.requests, (node) => <Requests node={node} />),
      ({ is_alive, requests }) => (is_alive ? requests : null),
    ),
    figure(text.perMinute, ({ is_alive, requests_per_minute }) =>
      countOf(is_alive ? requests_per_minute : null),
    ),
    sorted(
      'cpu',
      figure(text.cpu, ({ is_alive, cpu_percent }) =>
        is_alive && cpu_percent !== null ? `${cpu_percent}\u00a0%` : none,
      ),
      ({ is_alive, cpu_percent }) => (is_alive ? cpu_percent : null),
    ),
    sorted(
      'memory',
      figure(text.memory, ({ is_alive, memory_bytes }) =>
        is_alive && memory_bytes !== null ? formatBytes(memory_bytes) : none,
      ),
      ({ is_alive, memory_bytes }) => (is_alive ? memory_bytes : null),
    ),
    // A node that has the database for itself can only count alone.
    ...(is_shared
      ? [
          short<NodeItem>(text.limits, ({ is_alive, counting }) =>
            is_alive && counting !== null ? text[counting] : none,
          ),
        ]
      : []),
  ]
  return (
    <DataTable<NodeItem>
      {...useSorted(items, columns)}
      keyOf={(node) => `${node.name} ${node.started_at}`}
      caption={text.caption}
      verticalSpacing="xs"
      columns={columns}
    />
  )
}

/** Keeper and workers of each living node that has them. */
function Processes({ items }: { readonly items: readonly NodeItem[] }) {
  const text = useText(texts)
  const grouped = items.filter(({ is_alive, processes }) => is_alive && processes.length > 0)
  return grouped.map((node) => (
    <Stack key={`${node.name} ${node.started_at}`} gap="xs">
      <Title order={2} size="h4" className="cut">
        {grouped.length > 1 ? text.processesOf(node.name) : text.processes}
      </Title>
      <SmallHint>{text.processesHint}</SmallHint>
      <DataTable<ProcessItem>
        items={node.processes}
        keyOf={({ pid }) => pid}
        caption={text.processesOf(node.name)}
        verticalSpacing="xs"
        columns={[
          column(text.process, ({ worker }) =>
            worker === null ? text.keeper : text.worker(String(worker)),
          ),
          figure('PID', ({ pid }) => pid),
          figure(text.requests, (process) => <Running {...process} />),
          figure(text.perMinute, (process) => formatCount(process.requests_per_minute)),
          figure(text.cpu, ({ cpu_percent }) => `${cpu_percent}\u00a0%`),
          figure(text.memory, ({ memory_bytes }) => formatBytes(memory_bytes)),
        ]}
      />
    </Stack>
  ))
}

function Name({ node }: NodeProps) {
  const text = useText(texts)
  return (
    <Stack gap={4}>
      <span className="cut">{node.name}</span>
      {node.is_alive && (node.is_this || node.leads) && (
        <Group gap={4}>
          {node.is_this && (
            <Badge variant="default" fw={500}>
              {text.isThis}
            </Badge>
          )}
          {node.leads && (
            <Badge variant="default" fw={500} title={text.leadsHint}>
              {text.leads}
            </Badge>
          )}
        </Group>
      )}
    </Stack>
  )
}

function State({ node }: NodeProps) {
  const text = useText(texts)
  const { language } = useLanguage()
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge color={node.is_alive ? 'ok' : 'bad'}>
        {node.is_alive ? text.serves : text.dead}
      </StatusBadge>
      <SmallHint>{text.heard(formatAgo(node.silent_seconds, language))}</SmallHint>
      {!node.is_alive && node.reserved_requests > 0 && (
        <Text size="xs">
          <Sums in={(usd) => text.left(node.reserved_requests, usd)} usd={[node.reserved]} />
        </Text>
      )}
    </Stack>
  )
}

const Requests = ({ node: { is_alive, requests, streams } }: NodeProps) =>
  is_alive ? <Running requests={requests} streams={streams} /> : none

function Running({ requests, streams }: Pick<NodeItem, 'requests' | 'streams'>) {
  const text = useText(texts)
  return (
    <Stack gap={4}>
      <span>{countOf(requests)}</span>
      {streams !== null && streams > 0 && <SmallHint>{text.streams(streams)}</SmallHint>}
    </Stack>
  )
}

const countOf = (value: number | null) => (value === null ? none : formatCount(value))

const texts = bilingual({
  description: ['The processes that serve, and their heartbeats.', '共同提供服务的进程及其状态。'],
  caption: ['Nodes', '节点列表'],
  name: ['Node', '节点'],
  isThis: ['Answers you now', '当前应答节点'],
  leads: ['Leads', '主节点'],
  leadsHint: ['Makes the price feed and public pages for all.', '生成公开价格和公开页面。'],
  version: ['Version', '版本'],
  serves: ['Serves', '服务中'],
  dead: ['Dead', '已失联'],
  heard: ['Last heartbeat {ago}', '最近心跳：{ago}'],
  left: [
    'Closing {requests} requests, {amount} reserved',
    '正在清理 {requests} 个请求，预留 {amount}',
  ],
  since: ['Serves since', '启动时间'],
  requests: ['Requests now', '进行中的请求'],
  perMinute: ['Requests a minute', '每分钟请求数'],
  cpu: ['CPU', 'CPU'],
  memory: ['Memory', '内存'],
  processes: ['Processes', '进程'],
  processesOf: ['Processes of {name}', '{name} 的进程'],
  processesHint: [
    'CPU: share of one core in the last minute. Workers near 100 % carry no more: give the gateway more of them (server.workers), or another machine. The memory of the program itself is counted with the keeper.',
    'CPU：最近一分钟内占单个核心的比例。工作进程接近 100 % 时已满载：请增加工作进程（server.workers）或机器。程序本身占用的内存计入保管进程。',
  ],
  process: ['Process', '进程'],
  keeper: ['Keeper', '保管进程'],
  worker: ['Worker {number}', '工作进程 {number}'],
  limits: ['Limits', '限额计数'],
  together: ['counted with all nodes', '与所有节点合计'],
  apart: ['its share: Valkey is away', '仅按份额：Valkey 不可用'],
  alone: ['counted alone', '单独计数'],
  oneFile: ['One node serves this gateway', '当前由一个节点提供服务'],
  oneFileText: [
    'Its database, {database}, is for one machine. When that is not enough, move to a PostgreSQL that all nodes share (“tollgate migrate” takes everything along), add a Valkey for what they count, and put a load balancer in front. Without that, nothing is missing here.',
    '数据库 {database} 只供一台机器使用。一台机器不够用时，可迁移到所有节点共用的 PostgreSQL（“tollgate migrate”会带上全部数据），再添加用于计数的 Valkey，并在前面放置负载均衡。如无此需要，保持现状即可。',
  ],
  oneNode: ['One node serves so far', '目前只有一个节点'],
  oneNodeText: [
    'Start the same program on another machine with the same configuration and the same TOLLGATE_SECRET: it serves from {database}, too, and comes into this list by itself.',
    '在另一台机器上用相同的配置和相同的 TOLLGATE_SECRET 启动同一程序，它同样使用 {database}，并会自动出现在此列表中。',
  ],
  apartTitle: ['Valkey is out of reach', '无法连接 Valkey'],
  apartText: [
    'Nodes without it: {count}. Each of them lets through its share of every limit, and counts with the others again as soon as Valkey is back. Balances and budgets are not touched by this.',
    '受影响的节点：{count} 个。它们各自只放行每项限额中自己的份额，Valkey 恢复后自动重新合计。余额和预算不受影响。',
  ],
  aloneTitle: ['Limits hold for each node by itself', '限额由各节点单独计数'],
  aloneText: [
    'Nodes without shared counters: {count}. What is limited to 60 a minute is let through 60 times a minute by each of them. Give every node the same “counters: redis://…” in tollgate.yaml.',
    '没有共享计数的节点：{count} 个。每分钟限 60 次的限额，会由每个节点各放行 60 次。请在所有节点的 tollgate.yaml 中设置相同的“counters: redis://…”。',
  ],
  guide: ['Several machines', '多台机器'],
  versionsTitle: ['Nodes of different versions serve', '不同版本的节点同时在服务'],
  versionsText: [
    'That is as it should be during an upgrade: bring the older ones up next.',
    '升级期间属于正常情况：请接着升级较旧的节点。',
  ],
})
