import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { Empty } from '../../parts/empty.tsx'
import { List } from '../../parts/list.tsx'
import { Money } from '../../parts/money.tsx'
import { accountText } from '../accounts/text.ts'

/** The tokens of an account. */
export function Tokens({ id }: { readonly id: number }) {
  const text = useText(accountText)
  return (
    <List
      queryKey={['account-tokens', id]}
      load={(cursor) =>
        call(api.admin.accounts({ id }).tokens.get({ query: cursor ? { cursor } : {} }))
      }
      keyOf={(token) => token.id}
      caption={text.tokenCaption}
      columns={[
        { label: text.name, render: ({ name }) => <span className="cut">{name}</span> },
        { label: text.key, render: ({ key_hint }) => <code>{key_hint}</code> },
        { label: text.group, render: ({ group }) => <span className="cut">{group}</span> },
        { label: text.status, render: ({ status }) => text.statuses[status] },
        {
          label: text.spent,
          isFigure: true,
          render: ({ spent }) => <Money usd={spent.total} />,
        },
        { label: text.lastUsed, render: ({ last_used_day }) => last_used_day ?? text.never },
      ]}
      empty={<Empty title={text.noTokens} />}
    />
  )
}
