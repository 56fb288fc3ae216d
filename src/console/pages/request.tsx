import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import { api, call } from '../lib/api.ts'
import { useText } from '../lib/language.tsx'
import { Loaded } from '../parts/notices.tsx'
import { PageFrame } from '../parts/page.tsx'
import { Code } from '../parts/text.tsx'
import { Why } from '../requests/diagnosis.tsx'
import { Attempts, BillCard, Facts } from '../requests/receipt.tsx'
import { receiptText } from '../requests/receipt-text.ts'

/** A request: why it failed, its bill, its attempts. Administrators see those of all accounts. */
export function Page() {
  const text = useText(receiptText)
  const { id = '' } = useParams({ strict: false })
  const isAll = useLocation().pathname.startsWith('/admin/')
  const query = useQuery({
    queryKey: ['request', isAll, id],
    queryFn: () =>
      isAll ? call(api.admin.requests({ id }).get()) : call(api.requests({ id }).get()),
  })
  return (
    <PageFrame title={text.title} description={text.description}>
      <Code label={text.id}>{id}</Code>
      <Loaded query={query} waiting={<Skeleton height={300} />}>
        {(receipt) => (
          <>
            <Facts receipt={receipt} />
            {receipt.cause !== null && <Why id={id} isAll={isAll} />}
            <BillCard receipt={receipt} />
            <Attempts attempts={receipt.attempts} />
            {receipt.usage_raw !== null && (
              <details>
                <summary>{text.usageRaw}</summary>
                <Code label={text.usageRaw}>{JSON.stringify(receipt.usage_raw, null, 2)}</Code>
              </details>
            )}
          </>
        )}
      </Loaded>
    </PageFrame>
  )
}
