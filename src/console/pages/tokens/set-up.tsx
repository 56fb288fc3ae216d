import { Button, Group, Modal, SegmentedControl, Select, Stack, Tabs, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { api, call, useMe } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { baseAddress, type Client, clients, snippetsOf } from '../../lib/snippets.ts'
import { Proof } from '../../parts/fields.tsx'
import { fieldsOf, SendForm } from '../../parts/form.tsx'
import { Code, Hint, Labelled } from '../../parts/text.tsx'
import { tokenText } from './text.ts'

/** What stands where the key belongs, until it is shown. */
const placeholder = 'sk-…'

interface SetUpProps {
  /** What the token can call. */
  readonly models: readonly string[]
  readonly keyShown: string | undefined
}

/** How a client is told of the gateway: the right base address, the key, a model. */
export function SetUp({ models, keyShown }: SetUpProps) {
  const text = useText(tokenText)
  const [client, setClient] = useState<Client>('chat')
  const [chosen, setModel] = useState<string | null>(null)
  const { address, choice } = useAddress()
  const model = chosen !== null && models.includes(chosen) ? chosen : models[0]
  if (model === undefined) return <Text>{text.noModel}</Text>
  const snippets = snippetsOf(client, { address, model, key: keyShown ?? placeholder })
  return (
    <Stack>
      {keyShown === undefined && <Hint>{text.setUpHint}</Hint>}
      {choice}
      <Select
        label={text.client}
        data={clients.map((name) => ({ value: name, label: text[name] }))}
        value={client}
        onChange={(name) => name !== null && setClient(name)}
        allowDeselect={false}
      />
      <Select
        label={text.model}
        data={models}
        value={model}
        onChange={setModel}
        allowDeselect={false}
        searchable={models.length > 8}
        limit={200}
      />
      <Labelled label={text.base}>
        <span className="cut">{baseAddress(client, address)}</span>
      </Labelled>
      <Tabs key={client} defaultValue={snippets[0]?.title ?? ''}>
        <Tabs.List>
          {snippets.map(({ title }) => (
            <Tabs.Tab key={title} value={title}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ title, code }) => (
          <Tabs.Panel key={title} value={title} pt="sm">
            <Code label={title}>{code}</Code>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  )
}

/** The address that clients use; without a configured one that of this page. */
function useAddress() {
  const text = useText(tokenText)
  const site = useMe().data?.site
  const [isOverseas, setIsOverseas] = useState(false)
  const main = site?.base_url ?? location.origin
  const overseas = site?.overseas_base_url ?? null
  const address = isOverseas && overseas !== null ? overseas : main
  const choice = overseas !== null && (
    <SegmentedControl
      aria-label={text.address}
      data={[
        { value: 'main', label: text.main },
        { value: 'overseas', label: text.overseas },
      ]}
      value={isOverseas ? 'overseas' : 'main'}
      onChange={(value) => setIsOverseas(value === 'overseas')}
    />
  )
  return { address, choice }
}

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
