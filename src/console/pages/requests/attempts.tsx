import { Button, Group } from '@mantine/core'
import type { Static } from '@sinclair/typebox'
import type { AttemptItem } from '../../../admin/attempts/routes.ts'
import { api, call } from '../../lib/api.ts'
import { useListFilter } from '../../lib/filters.ts'
import { formatDuration } from '../../lib/format.ts'
import { choicesOf, useText } from '../../lib/language.ts'
import { useChannelNames } from '../../lib/names.ts'
import { Choice, half, TextFilter } from '../../parts/filters.tsx'
import { List } from '../../parts/list.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { type Column, column, figure, inCard, sorted } from '../../parts/table.tsx'
import { Time } from '../../parts/text.tsx'
import { causeChoices } from './causes.ts'
import { Cut, RequestLink, Result } from './columns.tsx'
import { outcomes } from './filters.tsx'
import { requestsText } from './text.ts'
import { TimeChoice } from './time-choice.tsx'

/** Attempts at channels, newest first. */
export function Page() {
  const text = useText(requestsText)
  const { filter, showAll } = useListFilter({
    ...{ channel: null, cause: null, since: null, outcome: outcomes },
  })
  return (
    <PageFrame title={text.attempts} description={text.attemptsDescription}>
      <Group component="search" align="flex-end" gap="sm">
        <TextFilter name="channel" label={text.channel} known={useChannelNames()} w={half} />
        <Choice name="cause" label={text.cause} data={causeChoices('attempt')} w={half} />
        <Choice name="outcome" label={text.outcome} data={choicesOf(outcomes, text)} w={half} />
        <TimeChoice w={half} />
        {showAll && (
          <Button variant="default" onClick={showAll}>
            {text.clear}
          </Button>
        )}
      </Group>
      <List
        queryKey={['attempts', filter]}
        load={(page) => call(api.admin.attempts.get({ query: { ...filter, ...page } }))}
        columns={useColumns()}
        usual="-started_at"
        keyOf={(item) => `${item.request_id} ${item.position}`}
        caption={text.attempts}
        empty={
          <Empty
            text={{
              ...{ empty: text.noAttempts, emptyHint: text.noAttemptsHint },
              ...{ noneFound: text.noAttemptsFound, noneFoundHint: text.noneFoundHint },
            }}
            showAll={showAll}
          />
        }
      />
    </PageFrame>
  )
}

type Item = Static<typeof AttemptItem>

function useColumns(): readonly Column<Item, 'started_at'>[] {
  const text = useText(requestsText)
  return [
    sorted(
      'started_at',
      inCard(
        'name',
        column(text.time, ({ started_at, request_id }) => (
          <RequestLink id={request_id} isAll>
            <span className="roomy">
              <Time at={started_at} />
            </span>
          </RequestLink>
        )),
      ),
    ),
    inCard(
      'beside',
      column(text.channel, ({ channel }) => <Cut>{channel}</Cut>),
    ),
    column(text.model, ({ model }) => <Cut>{model ?? text.noModel}</Cut>),
    inCard(
      'none',
      column(text.account, ({ account }) => <Cut room={19}>{account}</Cut>),
    ),
    figure(text.firstByte, ({ first_byte_ms }) => <Span ms={first_byte_ms} />),
    figure(text.duration, ({ duration_ms }) => <Span ms={duration_ms} />),
    column(text.result, ({ status, cause }) => (
      <Result status={status} cause={cause} of="attempt" />
    )),
  ]
}

const Span = ({ ms }: { readonly ms: number | null }) => (
  <span className="figure">{ms === null ? '—' : formatDuration(ms)}</span>
)
