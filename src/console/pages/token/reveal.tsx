import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { Proof } from '../../parts/fields.tsx'
import { fieldsOf, SendForm } from '../../parts/form.tsx'
import { Code } from '../../parts/text.tsx'
import { tokenText } from './text.ts'

interface RevealProps {
  readonly id: number
  readonly hint: string
  readonly value: string | undefined
  readonly show: (key: string | undefined) => void
}

/** The key of a token: its hint, or for the password the whole of it. */
export function Reveal({ id, hint, value, show }: RevealProps) {
  const text = useText(tokenText)
  const [isOpen, { open, close }] = useDisclosure()
  if (value !== undefined) {
    return (
      <Stack gap="xs">
        <Code label={text.key}>{value}</Code>
        <Button variant="default" size="xs" w="fit-content" onClick={() => show(undefined)}>
          {text.hide}
        </Button>
      </Stack>
    )
  }
  return (
    <Group>
      <Text ff="monospace">{hint}</Text>
      <Button variant="default" size="xs" onClick={open}>
        {text.reveal}
      </Button>
      <Modal opened={isOpen} onClose={close} title={text.revealTitle}>
        <Ask
          id={id}
          close={close}
          found={(key) => {
            show(key)
            close()
          }}
        />
      </Modal>
    </Group>
  )
}

interface AskProps {
  readonly id: number
  readonly found: (key: string) => void
  readonly close: () => void
}

function Ask({ id, found, close }: AskProps) {
  const text = useText(tokenText)
  const form = useForm({ initialValues: { password: '' } })
  return (
    <SendForm
      form={form}
      send={async ({ password }) => {
        const asked = { password: password || null }
        found((await call(api.tokens({ id }).reveal.post(asked))).key)
      }}
      submit={text.show}
      cancel={close}
    >
      <Proof {...fieldsOf(form, text)('password')} />
    </SendForm>
  )
}
