import { bilingual } from '../../lib/texts.ts'

/** Words of the list of nodes. */
export const texts = bilingual({
  title: ['Nodes', '节点'],
  description: [
    'The processes that serve this gateway together, each as it was last heard of.',
    '共同提供服务的进程，以及各自最近一次上报的状态。',
  ],
  caption: ['Nodes', '节点列表'],
  name: ['Node', '节点'],
  isThis: ['answers you now', '当前应答节点'],
  leads: ['leads', '主节点'],
  leadsHint: [
    'Builds the price feed and the public pages that all nodes serve.',
    '负责生成所有节点共同提供的价格数据和公开页面。',
  ],
  version: ['Version', '版本'],
  state: ['State', '状态'],
  serves: ['serves', '服务中'],
  dead: ['dead', '已失联'],
  heard: [(ago: string) => `Heard of ${ago}`, (ago) => `最近心跳：${ago}`],
  left: [
    (requests: string, amount: string) =>
      `Being closed: ${requests} under way, ${amount} set aside`,
    (requests, amount) => `正在清理：${requests} 个请求，预留 ${amount}`,
  ],
  since: ['Serves since', '启动时间'],
  requests: ['Under way', '进行中'],
  streams: [(count: string) => `${count} of them streams`, (count) => `其中流式 ${count} 个`],
  perMinute: ['In the last minute', '最近一分钟'],
  limits: ['Limits', '限额计数'],
  together: ['counted with all nodes', '与所有节点合计'],
  apart: ['its share: Valkey is away', '仅按份额：Valkey 不可用'],
  alone: ['counted alone', '单独计数'],
  oneFile: ['One node serves this gateway', '当前由一个节点提供服务'],
  oneFileText: [
    (database: string) =>
      `Its database, ${database}, is for one process. When one machine is not enough, move to a PostgreSQL that all nodes share (“tollgate migrate” takes everything along), add a Valkey for what they count, and put a load balancer in front. Without that, nothing is missing here.`,
    (database) =>
      `数据库 ${database} 只供一个进程使用。一台机器不够用时，可迁移到所有节点共用的 PostgreSQL（“tollgate migrate”会带上全部数据），再添加用于计数的 Valkey，并在前面放置负载均衡。如无此需要，保持现状即可。`,
  ],
  oneNode: ['One node serves so far', '目前只有一个节点'],
  oneNodeText: [
    (database: string) =>
      `Start the same program on another machine with the same configuration and the same TOLLGATE_SECRET: it serves from ${database}, too, and comes into this list by itself.`,
    (database) =>
      `在另一台机器上用相同的配置和相同的 TOLLGATE_SECRET 启动同一程序，它同样使用 ${database}，并会自动出现在此列表中。`,
  ],
  apartTitle: ['Valkey is out of reach', '无法连接 Valkey'],
  apartText: [
    (count: string) =>
      `Nodes without it: ${count}. Each of them lets through its share of every limit, and counts with the others again as soon as Valkey is back. Balances and budgets are not touched by this.`,
    (count) =>
      `受影响的节点：${count} 个。它们各自只放行每项限额中自己的份额，Valkey 恢复后自动重新合计。余额和预算不受影响。`,
  ],
  aloneTitle: ['Limits hold for each node by itself', '限额由各节点单独计数'],
  aloneText: [
    (count: string) =>
      `Nodes without shared counters: ${count}. What is limited to 60 a minute is let through 60 times a minute by each of them. Give every node the same “counters: redis://…” in tollgate.yaml.`,
    (count) =>
      `没有共享计数的节点：${count} 个。每分钟限 60 次的限额，会由每个节点各放行 60 次。请在所有节点的 tollgate.yaml 中设置相同的“counters: redis://…”。`,
  ],
  versionsTitle: ['Nodes of different versions serve', '不同版本的节点同时在服务'],
  versionsText: [
    'That is as it should be during an upgrade: bring the older ones up next.',
    '升级期间属于正常情况：请接着升级较旧的节点。',
  ],
})
