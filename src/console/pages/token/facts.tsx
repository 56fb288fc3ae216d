import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { TokenDetails } from '../../../admin/tokens/schema.ts'
import { useText } from '../../lib/language.tsx'
import { Time } from '../../parts/time.tsx'
import { Spent, State } from '../tokens/columns.tsx'
import { tokensText } from '../tokens/text.ts'
import { tokenText } from './text.ts'

/** How a token is, and what it has spent. */
export function Facts({ token }: { readonly token: TokenDetails }) {
  const text = useText(tokenText)
  const list = useText(tokensText)
  const { expires_at, created_at, last_used_day } = token
  return (
    <Group component="dl" gap="xl" align="flex-start" my={0}>
      <Fact name={list.status}>
        <State token={token} />
      </Fact>
      <Fact name={list.today}>
        <Spent token={token} part="day" />
      </Fact>
      <Fact name={list.month}>
        <Spent token={token} part="month" />
      </Fact>
      <Fact name={list.inAll}>
        <Spent token={token} part="total" />
      </Fact>
      <Fact name={list.lastUsed}>{last_used_day ?? list.never}</Fact>
      <Fact name={text.expires}>{expires_at === null ? text.never : <Time at={expires_at} />}</Fact>
      <Fact name={text.created}>
        <Time at={created_at} />
      </Fact>
    </Group>
  )
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <Stack gap={2}>
    <Text component="dt" size="sm" c="dimmed">
      {name}
    </Text>
    <Text component="dd" m={0}>
      {children}
    </Text>
  </Stack>
)
