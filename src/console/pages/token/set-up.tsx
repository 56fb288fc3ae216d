import { SegmentedControl, Select, Stack, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import { useText } from '../../lib/language.tsx'
import { useMe } from '../../lib/site.ts'
import { baseAddress, type Client, clients, snippetsOf } from '../../lib/snippets.ts'
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
