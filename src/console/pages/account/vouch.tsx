import { Alert, Button, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import { api, call } from '../../lib/api.ts'
import { faultText } from '../../lib/fault-text.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { presentOf } from '../../parts/conflict.tsx'
import { accountText } from '../accounts/text.ts'

interface VouchProps {
  readonly account: AccountDetail
  /** Shows what became of it. */
  readonly show: (now: AccountDetail) => void
}

/** Says that an account registered itself, and lets an administrator vouch for its address. */
export function Vouch({ account: { id, email, revision }, show }: VouchProps) {
  const text = useText(accountText)
  const { language } = useLanguage()
  const vouch = useMutation({
    mutationFn: () => call(api.admin.accounts({ id }).patch({ revision, is_vouched: true })),
    onSuccess: (changed) => {
      show(changed)
      notifications.show({ message: text.vouched(email), color: 'green' })
    },
    onError: (error) => {
      const present = presentOf<AccountDetail>(error)
      if (present) show(present)
      notifications.show({ message: faultText(error, language), color: 'red' })
    },
  })
  async function ask(): Promise<void> {
    const isSure = await confirm({
      title: text.vouch,
      text: text.vouchAsk(email),
      confirm: text.vouch,
      cancel: text.cancel,
    })
    if (isSure) vouch.mutate()
  }
  return (
    <Alert color="yellow">
      <Stack align="start" gap="xs">
        <Text size="sm">{text.selfMade}</Text>
        <Button size="xs" variant="default" loading={vouch.isPending} onClick={() => void ask()}>
          {text.vouch}
        </Button>
      </Stack>
    </Alert>
  )
}
