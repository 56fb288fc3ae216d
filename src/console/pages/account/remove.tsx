import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { accountText } from '../accounts/text.ts'

/** Removes an account, for who types its e-mail. */
export function Remove({ account }: { readonly account: AccountDetail }) {
  const text = useText(accountText)
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="subtle" color="red" onClick={open}>
        {text.remove}
      </Button>
      <Modal opened={isOpen} onClose={close} title={text.removeTitle}>
        <Confirmation account={account} close={close} />
      </Modal>
    </>
  )
}

interface ConfirmationProps {
  readonly account: AccountDetail
  readonly close: () => void
}

function Confirmation({ account: { id, email, revision }, close }: ConfirmationProps) {
  const text = useText(accountText)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const remove = useMutation({
    mutationFn: () => call(api.admin.accounts({ id }).delete({ email: typed.trim(), revision })),
    onSuccess: async () => {
      notifications.show({ message: text.removed(email), color: 'green' })
      await navigate({ to: '/admin/accounts' })
      queries.removeQueries({ queryKey: ['account', id] })
      await queries.invalidateQueries({ queryKey: ['accounts'] })
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        remove.mutate()
      }}
    >
      <Stack>
        <Text size="sm">{text.removeText}</Text>
        <TextInput
          label={text.typeEmail(email)}
          value={typed}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {remove.error && <ErrorNotice error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {text.cancel}
          </Button>
          <Button
            type="submit"
            color="red"
            disabled={typed.trim() !== email}
            loading={remove.isPending}
          >
            {text.remove}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
