import { Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import type { AuditItem } from '../../../admin/audit/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { Empty } from '../../parts/empty.tsx'
import { type Column, List } from '../../parts/list.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Changes } from './changes.tsx'
import { AuditFilters, filterNames } from './filters.tsx'
import { describeAction, texts } from './text.ts'

/** Who changed what. */
export function Page() {
  const text = useText(texts)
  const { language } = useLanguage()
  const search = useSearch({ strict: false })
  const filter = Object.fromEntries(
    filterNames.flatMap((name) => (search[name] ? [[name, String(search[name])]] : [])),
  )
  const columns: readonly Column<AuditItem>[] = [
    { label: text.time, render: ({ created_at }) => <Time at={created_at} /> },
    { label: text.actor, render: ({ actor }) => <Name>{actor}</Name> },
    {
      label: text.action,
      render: ({ action }) => <span title={action}>{describeAction(action, language)}</span>,
    },
    { label: text.subject, render: ({ subject }) => <Name>{subject}</Name> },
    { label: text.changes, render: ({ changes }) => <Changes changes={changes} /> },
  ]
  const isFiltered = Object.keys(filter).length > 0
  return (
    <PageFrame title={text.title} description={text.description}>
      <AuditFilters key={JSON.stringify(filter)} given={filter} />
      <List
        queryKey={['admin', 'audit', filter]}
        load={(cursor) =>
          call(api.admin.audit.get({ query: { ...filter, ...(cursor && { cursor }) } }))
        }
        columns={columns}
        keyOf={({ id }) => id}
        caption={text.title}
        empty={
          isFiltered ? (
            <Text c="dimmed">{text.emptyFilter}</Text>
          ) : (
            <Empty title={text.empty} hint={text.emptyHint} />
          )
        }
      />
    </PageFrame>
  )
}

/** Whole where there is room; only very long ones are broken. */
const Name = ({ children }: { readonly children: string }) => (
  <span style={{ display: 'inline-block', maxWidth: 240, overflowWrap: 'break-word' }}>
    {children}
  </span>
)
