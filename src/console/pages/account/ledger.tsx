import { Anchor, SegmentedControl, Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { useFilters } from '../../lib/use-filters.ts'
import { Empty } from '../../parts/empty.tsx'
import { List } from '../../parts/list.tsx'
import { Money } from '../../parts/money.tsx'
import { Time } from '../../parts/time.tsx'
import { accountText } from '../accounts/text.ts'

/** The ledger of an account: at first without the charges of its requests, which are many. */
export function Ledger({ id }: { readonly id: number }) {
  const text = useText(accountText)
  const [filters, setFilters] = useFilters()
  const kind = filters.kind === 'all' ? 'all' : 'by_hand'
  return (
    <Stack>
      <SegmentedControl
        aria-label={text.kind}
        w="fit-content"
        value={kind}
        data={[
          { value: 'by_hand', label: text.byHand },
          { value: 'all', label: text.all },
        ]}
        onChange={(value) => setFilters({ kind: value === 'all' ? 'all' : null })}
      />
      <List
        queryKey={['account-ledger', id, kind]}
        load={(cursor) =>
          call(
            api.admin.accounts({ id }).ledger.get({ query: { kind, ...(cursor && { cursor }) } }),
          )
        }
        keyOf={(entry) => entry.id}
        caption={text.ledgerCaption}
        columns={[
          { label: text.time, render: ({ created_at }) => <Time at={created_at} /> },
          { label: text.kind, render: (entry) => text.kinds[entry.kind] },
          { label: text.amount, isFigure: true, render: ({ amount }) => <Money usd={amount} /> },
          {
            label: text.after,
            isFigure: true,
            render: ({ balance_after }) => <Money usd={balance_after} />,
          },
          {
            label: text.what,
            render: ({ request_id, reason }) =>
              request_id === null ? (
                <span className="cut">{reason}</span>
              ) : (
                <Anchor component={Link} to={`/admin/requests/${request_id}`} className="cut">
                  {request_id}
                </Anchor>
              ),
          },
        ]}
        empty={<Empty title={text.noEntries} />}
      />
    </Stack>
  )
}
