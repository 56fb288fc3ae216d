import type { ChannelReport } from '../app/report/resources.ts'
import { humanDuration, listed } from '../lib/format.ts'
import { type Column, formatPairs } from '../lib/table.ts'
import { channelFields } from '../resources/channel.ts'
import { fieldColumns, fieldLines } from './field-options.ts'

/** A channel's models; `id=upstream` where the upstream's name differs. */
export const modelNames = ({ models }: ChannelReport): readonly string[] =>
  models.map(({ id, upstream }) => (id === upstream ? id : `${id}=${upstream}`))

export const channelColumns: readonly Column<ChannelReport>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'SPEAKS', text: ({ speaks }) => Object.keys(speaks).join(', ') },
  { title: 'MODELS', text: (row) => modelNames(row).join(', ') },
  ...fieldColumns(channelFields),
  { title: 'GROUPS', text: ({ groups }) => listed(groups, 'none') },
]

/** A channel for people; shows only the ends of its keys, and whether it has a proxy. */
export function describeChannel(
  report: ChannelReport & { readonly key_hints: readonly string[] },
): readonly string[] {
  return formatPairs([
    ['Name', report.name],
    ['Status', report.status],
    ...Object.entries(report.speaks).map(([name, url]) => [`Speaks ${name}`, url] as const),
    ['Keys', report.key_hints.join(', ')],
    ['Models', modelNames(report).join(', ')],
    ['Groups', listed(report.groups, 'none: it is not callable')],
    ...fieldLines(channelFields, report),
    ['Proxy', report.proxy ?? 'none'],
    ['Probe', describeProbe(report)],
  ])
}

function describeProbe({ probe, models }: ChannelReport): string {
  if (probe === null) return 'none'
  return `${probe.model ?? models[0]?.id ?? ''} every ${humanDuration(probe.every_ms)}`
}
