import { Button, Fieldset, Group, Stack, Text, Textarea } from '@mantine/core'
import type { Channel } from '../../admin/channels/schema.ts'
import { useText } from '../lib/language.tsx'
import type { ChannelForm } from './fields.tsx'
import { channelText } from './text.ts'

/** The keys of a new channel. */
export function NewKeys({ form }: { readonly form: ChannelForm }) {
  const text = useText(channelText)
  return (
    <Textarea
      label={text.keys}
      description={text.keysHint}
      placeholder="sk-…"
      autosize
      minRows={1}
      maxRows={10}
      required
      autoComplete="off"
      spellCheck={false}
      {...form.getInputProps('keys')}
    />
  )
}

interface KeysProps {
  readonly form: ChannelForm
  readonly keys: Channel['keys']
}

/** The keys that a channel has, by their ends, and a place for more. */
export function Keys({ form, keys }: KeysProps) {
  const text = useText(channelText)
  const { remove_keys } = form.values
  const toggle = (mark: string) =>
    form.setFieldValue(
      'remove_keys',
      remove_keys.includes(mark)
        ? remove_keys.filter((one) => one !== mark)
        : [...remove_keys, mark],
    )
  return (
    <Fieldset legend={text.keys}>
      <Stack gap="xs">
        {keys.map(({ mark, hint }) => {
          const goes = remove_keys.includes(mark)
          return (
            <Group key={mark} justify="space-between">
              <Text size="sm" ff="monospace" td={goes ? 'line-through' : undefined}>
                {hint}
              </Text>
              <Group gap="xs">
                {goes && (
                  <Text size="sm" c="red">
                    {text.willGo}
                  </Text>
                )}
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`${goes ? text.keep : text.remove} ${hint}`}
                  onClick={() => toggle(mark)}
                >
                  {goes ? text.keep : text.remove}
                </Button>
              </Group>
            </Group>
          )
        })}
        <Textarea
          label={text.addKeys}
          description={text.keysHint}
          autosize
          minRows={1}
          maxRows={10}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('keys')}
        />
      </Stack>
    </Fieldset>
  )
}
