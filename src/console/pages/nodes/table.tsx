import { Badge, Group, Stack, Table, Text, Tooltip } from '@mantine/core'
import type { NodeItem } from '../../../admin/nodes/schema.ts'
import { formatAgo, formatCount, formatUsd } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from './text.ts'

/** Stands where a node has nothing to tell. */
const none = '–'

interface NodeProps {
  readonly node: NodeItem
}

/** The nodes: a table where there is room, cards on a phone. */
export function NodeTable({ items }: { readonly items: readonly NodeItem[] }) {
  const text = useText(texts)
  const columns = [text.name, text.version, text.state, text.since, text.requests, text.perMinute]
  return (
    <Table className="list" verticalSpacing="xs">
      <Table.Caption className="visually-hidden">{text.caption}</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          {[...columns, text.limits].map((label) => (
            <Table.Th key={label}>{label}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((node) => (
          <Table.Tr key={`${node.name} ${node.started_at}`}>
            <Table.Td data-label={text.name}>
              <Name node={node} />
            </Table.Td>
            <Table.Td data-label={text.version}>{node.version}</Table.Td>
            <Table.Td data-label={text.state}>
              <State node={node} />
            </Table.Td>
            <Table.Td data-label={text.since}>
              <Time at={node.started_at} />
            </Table.Td>
            <Table.Td data-label={text.requests}>
              <Requests node={node} />
            </Table.Td>
            <Table.Td data-label={text.perMinute}>
              <Count value={node.is_alive ? node.requests_per_minute : null} />
            </Table.Td>
            <Table.Td data-label={text.limits}>
              {node.is_alive && node.counting !== null ? text[node.counting] : none}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Name({ node }: NodeProps) {
  const text = useText(texts)
  return (
    <Stack gap={4}>
      <span className="cut">{node.name}</span>
      {node.is_alive && (node.is_this || node.leads) && (
        <Group gap={4}>
          {node.is_this && (
            <Badge variant="default" tt="none" fw={500}>
              {text.isThis}
            </Badge>
          )}
          {node.leads && (
            <Tooltip label={text.leadsHint}>
              <Badge variant="default" tt="none" fw={500}>
                {text.leads}
              </Badge>
            </Tooltip>
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
      <Badge variant="dot" tt="none" fw={500} color={node.is_alive ? 'green' : 'red'}>
        {node.is_alive ? text.serves : text.dead}
      </Badge>
      <Text size="xs" c="dimmed">
        {text.heard(formatAgo(node.silent_seconds, language))}
      </Text>
      {!node.is_alive && node.reserved_requests > 0 && (
        <Text size="xs">
          {text.left(formatCount(node.reserved_requests, language), formatUsd(node.reserved))}
        </Text>
      )}
    </Stack>
  )
}

function Requests({ node: { is_alive, requests, streams } }: NodeProps) {
  const text = useText(texts)
  const { language } = useLanguage()
  return (
    <Stack gap={4}>
      <Count value={is_alive ? requests : null} />
      {is_alive && streams !== null && streams > 0 && (
        <Text size="xs" c="dimmed">
          {text.streams(formatCount(streams, language))}
        </Text>
      )}
    </Stack>
  )
}

function Count({ value }: { readonly value: number | null }) {
  const { language } = useLanguage()
  return <span>{value === null ? none : formatCount(value, language)}</span>
}
