import { Alert, Button, Divider, Group, Stack, Text } from '@mantine/core'
import type { IssuedToken } from '../../../admin/tokens/schema.ts'
import { useMe } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { OperatorContact } from '../../parts/operator.tsx'
import { ButtonLink, Code, Colon, Sums } from '../../parts/text.tsx'
import { callableOf, useGroups } from './groups.ts'
import { SetUp } from './set-up.tsx'
import { tokensText } from './text.ts'

interface IssuedProps {
  readonly issued: IssuedToken
  readonly close: () => void
}

/** A long form may have been scrolled down: the key stands above that. */
const bringIntoView = (node: HTMLElement | null) => node?.scrollIntoView({ block: 'center' })

/** The key, once, and how clients use it: the snippets have it in them. */
export function Issued({ issued: { token, key }, close }: IssuedProps) {
  const text = useText(tokensText)
  const groups = useGroups().data?.items ?? []
  const group = groups.find(({ name }) => name === token.group)
  return (
    <Stack>
      <Text fw={600} role="status" ref={bringIntoView}>
        {text.made}
        <Colon />
        {token.name}
      </Text>
      <Text size="sm">{text.keyHint}</Text>
      <Code label={text.key}>{key}</Code>
      <NoBalance />
      <Divider label={text.setUp} labelPosition="left" />
      <SetUp {...callableOf(group, token.models)} keyShown={key} />
      <Group justify="flex-end">
        <ButtonLink variant="default" onClick={close} to={`/tokens/${token.id}`}>
          {text.toToken}
        </ButtonLink>
        <Button onClick={close}>{text.done}</Button>
      </Group>
    </Stack>
  )
}

/** A key alone is of no use to an account without money. */
function NoBalance() {
  const text = useText(tokensText)
  const me = useMe().data
  if (me === undefined || Number(me.balance) + Number(me.credit_limit) > 0) return null
  return (
    <Alert color="yellow">
      <Sums in={text.noBalance} usd={[me.balance]} />
      <OperatorContact />
    </Alert>
  )
}
