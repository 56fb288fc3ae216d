import type { Texts } from '../../lib/language.tsx'

const en = {
  title: 'Nodes',
  description: 'The processes that serve this gateway together, each as it was last heard of.',
  caption: 'Nodes',
  name: 'Node',
  isThis: 'answers you now',
  leads: 'leads',
  leadsHint: 'Builds the price feed and the public pages that all nodes serve.',
  version: 'Version',
  state: 'State',
  serves: 'serves',
  dead: 'dead',
  heard: (ago: string) => `Heard of ${ago}`,
  left: (requests: string, amount: string) =>
    `Being closed: ${requests} under way, ${amount} set aside`,
  since: 'Serves since',
  requests: 'Under way',
  streams: (count: string) => `${count} of them streams`,
  perMinute: 'In the last minute',
  limits: 'Limits',
  together: 'counted with all nodes',
  apart: 'its share: Valkey is away',
  alone: 'counted alone',
  oneFile: 'One node serves this gateway',
  oneFileText: (database: string) =>
    `Its database, ${database}, is for one process. When one machine is not enough, move to a PostgreSQL that all nodes share (“tollgate migrate” takes everything along), add a Valkey for what they count, and put a load balancer in front. Without that, nothing is missing here.`,
  oneNode: 'One node serves so far',
  oneNodeText: (database: string) =>
    `Start the same program on another machine with the same configuration and the same TOLLGATE_SECRET: it serves from ${database}, too, and comes into this list by itself.`,
  apartTitle: 'Valkey is out of reach',
  apartText: (count: string) =>
    `Nodes without it: ${count}. Each of them lets through its share of every limit, and counts with the others again as soon as Valkey is back. Balances and budgets are not touched by this.`,
  aloneTitle: 'Limits hold for each node by itself',
  aloneText: (count: string) =>
    `Nodes without shared counters: ${count}. What is limited to 60 a minute is let through 60 times a minute by each of them. Give every node the same “counters: redis://…” in tollgate.yaml.`,
  versionsTitle: 'Nodes of different versions serve',
  versionsText: 'That is as it should be during an upgrade: bring the older ones up next.',
}

/** Words of the list of nodes. */
export const texts: Texts<typeof en> = {
  en,
  zh: {
    title: '节点',
    description: '共同提供服务的进程，以及各自最近一次上报的状态。',
    caption: '节点列表',
    name: '节点',
    isThis: '当前应答节点',
    leads: '主节点',
    leadsHint: '负责生成所有节点共同提供的价格数据和公开页面。',
    version: '版本',
    state: '状态',
    serves: '服务中',
    dead: '已失联',
    heard: (ago) => `最近心跳：${ago}`,
    left: (requests, amount) => `正在清理：${requests} 个请求，预留 ${amount}`,
    since: '启动时间',
    requests: '进行中',
    streams: (count) => `其中流式 ${count} 个`,
    perMinute: '最近一分钟',
    limits: '限额计数',
    together: '与所有节点合计',
    apart: '仅按份额：Valkey 不可用',
    alone: '单独计数',
    oneFile: '当前由一个节点提供服务',
    oneFileText: (database) =>
      `数据库 ${database} 只供一个进程使用。一台机器不够用时，可迁移到所有节点共用的 PostgreSQL（“tollgate migrate”会带上全部数据），再添加用于计数的 Valkey，并在前面放置负载均衡。如无此需要，保持现状即可。`,
    oneNode: '目前只有一个节点',
    oneNodeText: (database) =>
      `在另一台机器上用相同的配置和相同的 TOLLGATE_SECRET 启动同一程序，它同样使用 ${database}，并会自动出现在此列表中。`,
    apartTitle: '无法连接 Valkey',
    apartText: (count) =>
      `受影响的节点：${count} 个。它们各自只放行每项限额中自己的份额，Valkey 恢复后自动重新合计。余额和预算不受影响。`,
    aloneTitle: '限额由各节点单独计数',
    aloneText: (count) =>
      `没有共享计数的节点：${count} 个。每分钟限 60 次的限额，会由每个节点各放行 60 次。请在所有节点的 tollgate.yaml 中设置相同的“counters: redis://…”。`,
    versionsTitle: '不同版本的节点同时在服务',
    versionsText: '升级期间属于正常情况：请接着升级较旧的节点。',
  },
}
