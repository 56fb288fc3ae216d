import type { ChannelRow } from '../../store/ports/catalog.ts'
import type { EditableCatalog } from '../../store/ports/edits.ts'
import type { ChannelItem, ChannelQuery } from './schema.ts'

type Row = Pick<ChannelRow, 'name' | 'speaks' | 'models'>

/** The hosts of a channel's addresses: by them people know the vendor. */
export const hostsOf = ({ speaks }: Pick<Row, 'speaks'>): readonly string[] =>
  Object.values(speaks).flatMap((base) => URL.parse(base)?.host ?? [])

/** Whether a channel is one of those that are looked for, by all but its state. */
export function isWanted(
  row: Row,
  { search, protocol, host, group, model }: ChannelQuery,
  { groups }: Pick<EditableCatalog, 'groups'>,
): boolean {
  const inGroups = groups.filter(({ channels }) => channels.includes(row.name))
  const names = row.models.flatMap(({ id, upstream }) => [id, upstream])
  const sought = search?.trim().toLowerCase() ?? ''
  const texts = [row.name, ...hostsOf(row), ...names, ...inGroups.map(({ name }) => name)]
  return (
    texts.some((text) => text.toLowerCase().includes(sought)) &&
    (protocol === undefined || Object.hasOwn(row.speaks, protocol)) &&
    (host === undefined || hostsOf(row).includes(host)) &&
    (group === undefined || inGroups.some(({ name }) => name === group)) &&
    (model === undefined || names.includes(model))
  )
}

/** The state that lists show: what is asked and only fails does not work, even while nothing cools. */
export function shownWord({
  state: { word },
  recent: { attempts, failed },
}: Pick<ChannelItem, 'state' | 'recent'>): ChannelItem['state']['word'] | 'failing' {
  return word === 'works' && attempts > 0 && attempts === failed ? 'failing' : word
}
