import { Flex, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AnyRequestItem, RequestItem } from '../../../admin/requests/schema.ts'
import { formatDuration } from '../../lib/format.ts'
import { formatCount, useText } from '../../lib/language.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { type Column, column, figure, inCard, sorted } from '../../parts/table.tsx'
import {
  AnchorLink,
  LongText,
  Money,
  nameClass,
  SmallHint,
  TextLink,
  Time,
} from '../../parts/text.tsx'
import { causeText } from './causes.ts'
import { requestsText } from './text.ts'

/** Administrators are sent more than a request's own account. */
export type ShownRequest = RequestItem & Partial<AnyRequestItem>

/** The columns of a list of requests; `isAll`: for administrators. */
export function useColumns(isAll: boolean): readonly Column<ShownRequest, 'created_at'>[] {
  const text = useText(requestsText)
  const tokens: Column<ShownRequest, never> = {
    ...figure(text.tokens, (item: ShownRequest) => (
      <span>
        <span className="figure">{formatCount(contextOf(item))} /</span>{' '}
        <span className="figure">{formatCount(item.output_tokens)}</span>
      </span>
    )),
    head: <span className="roomy">{text.tokens}</span>,
  }
  return [
    sorted(
      'created_at',
      inCard(
        'name',
        column(text.time, ({ created_at, request_id }) => (
          <RequestLink id={request_id} isAll={isAll}>
            {/* Where nothing else is shown, there is room for a time in one line. */}
            <span className={isAll ? 'roomy' : 'line'}>
              <Time at={created_at} />
            </span>
          </RequestLink>
        )),
      ),
    ),
    ...(isAll
      ? [
          inCard(
            'beside',
            column(text.account, ({ account }: ShownRequest) => <Cut room={19}>{account}</Cut>),
          ),
        ]
      : []),
    column(text.model, ({ model, group, token }) => (
      <Stack gap={0}>
        <Cut>{model ?? text.noModel}</Cut>
        <SmallHint className="cut">
          {group} · {token}
        </SmallHint>
      </Stack>
    )),
    ...(isAll
      ? [
          inCard(
            'none',
            column(text.channel, ({ channel }: ShownRequest) => (
              <Cut room={10}>{channel ?? '—'}</Cut>
            )),
          ),
        ]
      : []),
    inCard('none', tokens),
    figure(text.amount, ({ amount }) => <Money usd={amount} />),
    figure(text.duration, ({ duration_ms }) => (
      <span style={{ whiteSpace: 'nowrap' }}>{formatDuration(duration_ms)}</span>
    )),
    column(text.result, ({ request_id, status, cause }) => (
      <Result status={status} cause={cause}>
        {cause !== null && (
          <TextLink className="whole" to={receiptPath(isAll)} params={{ id: request_id }}>
            {text.why}
          </TextLink>
        )}
      </Result>
    )),
  ]
}

/** All that was read: cached tokens, too. */
const contextOf = (item: RequestItem): number =>
  item.input_tokens + item.cache_read_tokens + item.cache_write_tokens + item.cache_write_1h_tokens

/** Names of strangers may be of any length. */
export const Cut = ({ children, room = 14 }: { children: string; room?: number }) => (
  <LongText
    lineClamp={2}
    title={children}
    className={nameClass(children)}
    miw={`${Math.min(Math.max(children.length + 1, 5), room)}ch`}
  >
    {children}
  </LongText>
)

interface RequestLinkProps {
  readonly id: string
  /** For administrators, who see those of all accounts. */
  readonly isAll: boolean
  readonly children: ReactNode
}

const receiptPath = (isAll: boolean) => (isAll ? '/admin/requests/$id' : '/requests/$id')

/** Leads to a request's receipt. */
export const RequestLink = ({ id, isAll, children }: RequestLinkProps) => (
  <AnchorLink inherit to={receiptPath(isAll)} params={{ id }}>
    {children}
  </AnchorLink>
)

interface ResultProps {
  readonly status: number | null
  readonly cause: string | null
  readonly of?: 'request' | 'attempt'
  /** By itself, and not at the end of a row. */
  readonly isAlone?: boolean
  /** What stands behind the sentence. */
  readonly children?: ReactNode
}

/** How it ended: the status, and what went wrong in a sentence. */
export function Result({ status, cause, of = 'request', isAlone, children }: ResultProps) {
  const text = useText(requestsText)
  const meaning = cause === null ? undefined : (causeText(cause, of) ?? cause)
  return (
    <Flex
      gap={isAlone ? 'xs' : 4}
      direction={isAlone ? 'row' : 'column'}
      align={isAlone ? 'center' : 'flex-start'}
    >
      <StatusBadge color={cause === null ? 'ok' : 'bad'}>
        {status ?? '—'} {cause === null ? text.ok : ''}
      </StatusBadge>
      {meaning && (
        <Text
          size={isAlone ? 'sm' : 'xs'}
          className="cut"
          {...(!isAlone && { miw: '8rem', maw: '26rem' })}
        >
          {meaning} {children}
        </Text>
      )}
    </Flex>
  )
}
