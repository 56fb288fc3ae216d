import { Stack, Text } from '@mantine/core'
import type { RequestItem } from '../../admin/requests/schema.ts'
import { formatCount, formatDuration } from '../lib/format.ts'
import { useLanguage, useText } from '../lib/language.tsx'
import type { Column } from '../parts/list.tsx'
import { Money } from '../parts/money.tsx'
import { Time } from '../parts/time.tsx'
import { RequestLink } from './request-link.tsx'
import { Result } from './result.tsx'
import { requestsText } from './text.ts'

/** The columns of a list of requests; `isAll`: for administrators. */
export function useColumns(isAll: boolean): readonly Column<RequestItem>[] {
  const text = useText(requestsText)
  const { language } = useLanguage()
  return [
    {
      label: text.time,
      render: ({ created_at, request_id }) => (
        <RequestLink id={request_id} isAll={isAll}>
          <Time at={created_at} />
        </RequestLink>
      ),
    },
    ...(isAll
      ? [
          {
            label: text.account,
            render: ({ account }: RequestItem) => <Cut room={19}>{account}</Cut>,
          },
        ]
      : []),
    {
      label: text.model,
      render: ({ model, group, token }) => (
        <Stack gap={0}>
          <Cut>{model ?? text.noModel}</Cut>
          <Text size="xs" c="dimmed" className="cut">
            {group} · {token}
          </Text>
        </Stack>
      ),
    },
    ...(isAll
      ? [
          {
            label: text.channel,
            render: ({ channel }: RequestItem) => <Cut room={10}>{channel ?? '—'}</Cut>,
          },
        ]
      : []),
    {
      label: text.tokens,
      isFigure: true,
      render: (item) => (
        <span>
          <span className="figure">{formatCount(contextOf(item), language)} /</span>{' '}
          <span className="figure">{formatCount(item.output_tokens, language)}</span>
        </span>
      ),
    },
    { label: text.amount, isFigure: true, render: ({ amount }) => <Money usd={amount} /> },
    {
      label: text.duration,
      isFigure: true,
      render: ({ duration_ms }) => (
        <span style={{ whiteSpace: 'nowrap' }}>{formatDuration(duration_ms)}</span>
      ),
    },
    {
      label: text.result,
      isFigure: true,
      render: ({ status, cause }) => <Result status={status} cause={cause} />,
    },
  ]
}

/** All that was read: cached tokens, too. */
const contextOf = (item: RequestItem): number =>
  item.input_tokens + item.cache_read_tokens + item.cache_write_tokens + item.cache_write_1h_tokens

interface CutProps {
  readonly children: string
  /** Characters that stand in one line, however narrow the table. */
  readonly room?: number
}

/** Names of strangers may be of any length. */
export const Cut = ({ children, room = 14 }: CutProps) => (
  <Text
    size="sm"
    className="cut"
    lineClamp={2}
    title={children}
    miw={`${Math.min(Math.max(children.length + 1, 5), room)}ch`}
  >
    {children}
  </Text>
)
