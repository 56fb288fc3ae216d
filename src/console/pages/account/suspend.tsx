import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import { api, call } from '../../lib/api.ts'
import { faultText } from '../../lib/fault-text.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { presentOf } from '../../parts/conflict.tsx'
import { accountText } from '../accounts/text.ts'

interface SuspendProps {
  readonly account: AccountDetail
  /** Shows what became of it. */
  readonly show: (now: AccountDetail) => void
}

/** Suspends an account, or lets it in again. */
export function Suspend({ account, show }: SuspendProps) {
  const text = useText(accountText)
  const { language } = useLanguage()
  const { id, email, status, revision } = account
  const isActive = status === 'active'
  const change = useMutation({
    mutationFn: () =>
      call(
        api.admin.accounts({ id }).patch({ revision, status: isActive ? 'disabled' : 'active' }),
      ),
    onSuccess: (changed) => {
      show(changed)
      const message = isActive ? text.isSuspended(email) : text.isResumed(email)
      notifications.show({ message, color: 'green' })
    },
    onError: (error) => {
      // What another person has changed is shown first: then it can be decided again.
      const present = presentOf<AccountDetail>(error)
      if (present) show(present)
      notifications.show({ message: faultText(error, language), color: 'red' })
    },
  })
  async function ask(): Promise<void> {
    const isSure =
      !isActive ||
      (await confirm({
        title: text.suspend,
        text: text.suspendAsk,
        confirm: text.suspend,
        cancel: text.cancel,
        isDangerous: true,
      }))
    if (isSure) change.mutate()
  }
  return (
    <Button variant="default" loading={change.isPending} onClick={() => void ask()}>
      {isActive ? text.suspend : text.resume}
    </Button>
  )
}
