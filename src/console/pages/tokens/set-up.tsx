import { Button, Group, SegmentedControl, Stack, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import { baseAddress, type Client, clients, snippetsOf } from '../../../look/snippets.ts'
import { api, call, useMe } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { ChoiceInput } from '../../parts/choice-input.tsx'
import { ProofDialog } from '../../parts/fields.tsx'
import { Code, Copy, Hint, Labelled } from '../../parts/text.tsx'
import { tokenText } from './text.ts'

const placeholder = 'sk-…'

interface SetUpProps {
  readonly models: readonly string[]
  /** Which of them a snippet begins with. */
  readonly usual: string | undefined
  readonly keyShown: string | undefined
}

/** How a client is told of the gateway: the right base address, the key, a model. */
export function SetUp({ models, usual, keyShown }: SetUpProps) {
  const text = useText(tokenText)
  const [client, setClient] = useState<Client>('chat')
  const [chosen, setModel] = useState<string | null>(null)
  const { address, choice } = useAddress()
  const model = chosen !== null && models.includes(chosen) ? chosen : usual
  if (model === undefined) return <Text>{text.noModel}</Text>
  const snippets = snippetsOf(client, { address, model, key: keyShown ?? placeholder })
  return (
    <Stack>
      {keyShown === undefined && <Hint>{text.setUpHint}</Hint>}
      {choice}
      <ChoiceInput
        label={text.client}
        data={clients.map((name) => ({ value: name, label: text[name] }))}
        value={client}
        onChange={(name) => name !== null && setClient(name as Client)}
      />
      <ChoiceInput label={text.model} data={models} value={model} onChange={setModel} />
      <Group gap="xs">
        <Labelled label={text.base}>
          <span className="cut">{baseAddress(client, address)}</span>
        </Labelled>
        <Copy size="compact-xs" value={baseAddress(client, address)} label={text.copyBase} />
      </Group>
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
            <Code label={title} isProgram>
              {code}
            </Code>
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
      <ProofDialog
        {...{ text, label: text.reveal, title: text.revealTitle, submit: text.show }}
        look={{ variant: 'default', size: 'xs' }}
        send={async (proof) => show((await call(api.tokens({ id }).reveal.post(proof))).key)}
      />
    </Group>
  )
}
