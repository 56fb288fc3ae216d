import {
  Autocomplete,
  Button,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useSearch } from '@tanstack/react-router'
import { useId } from 'react'
import type { OpenGroups } from '../../../admin/open-groups/routes.ts'
import type { ListedToken } from '../../../admin/tokens/schema.ts'
import { api, useCall } from '../../lib/api.ts'
import { choicesOf, useText } from '../../lib/language.ts'
import { fieldsOf, inputsOf } from '../../parts/form.tsx'
import { Empty, ErrorNotice, PageFrame } from '../../parts/page.tsx'
import { ButtonLink } from '../../parts/text.tsx'
import { type ProtocolName, protocols } from '../channels/channel-fields.ts'
import { callableOf, useGroups } from '../tokens/token-form.tsx'
import { Answer, RawExchange } from './answer.tsx'
import { type Question, useAsk } from './exchange.ts'
import { texts } from './text.ts'

/** Asks a model as a client does, and shows what came and what it cost. */
export function Page() {
  const text = useText(texts)
  const tokens = useCall(['tokens', 'playground'], () =>
    api.tokens.get({ query: { page_size: 100 } }),
  )
  const groups = useGroups()
  const { exchange, ask, stop } = useAsk()
  const error = tokens.error ?? groups.error
  const retry = () => void Promise.all([tokens.refetch(), groups.refetch()])
  return (
    <PageFrame title={text.playground} description={text.description}>
      {error && <ErrorNotice error={error} retry={retry} />}
      {!tokens.data || !groups.data ? (
        !error && <Skeleton height={320} />
      ) : tokens.data.items.length === 0 ? (
        <Empty
          text={{ empty: text.noTokenTitle, emptyHint: text.noToken }}
          action={<ButtonLink to="/tokens">{text.makeToken}</ButtonLink>}
        />
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <QuestionForm
            tokens={tokens.data.items}
            groups={groups.data.items}
            isAsking={exchange?.phase === 'asking'}
            onAsk={(question) => void ask(question)}
            onStop={stop}
          />
          <Stack miw={0}>
            <Answer exchange={exchange} />
            {exchange && <RawExchange exchange={exchange} />}
          </Stack>
        </SimpleGrid>
      )}
    </PageFrame>
  )
}

interface QuestionFormProps {
  readonly tokens: readonly ListedToken[]
  readonly groups: OpenGroups['items']
  readonly isAsking: boolean
  readonly onAsk: (question: Question) => void
  readonly onStop: () => void
}

function QuestionForm({ tokens, groups, isAsking, onAsk, onStop }: QuestionFormProps) {
  const text = useText(texts)
  const search = useSearch({ strict: false })
  const protocolLabel = useId()
  const callable = (id: string) => {
    const token = tokens.find((one) => String(one.id) === id)
    return callableOf(
      groups.find(({ name }) => name === token?.group),
      token?.models ?? [],
    )
  }
  const wanted = tokens.find(({ id }) => id === Number(search.token)) ?? tokens[0]
  const first = String(wanted?.id ?? '')
  const filled = (value: string) => (value.trim() === '' ? text.required : null)
  const form = useForm({
    initialValues: {
      token: first,
      protocol: 'chat' as ProtocolName,
      model: String(search.model ?? callable(first).usual ?? ''),
      system: '',
      user: text.userStart,
      stream: true,
      maxTokens: '' as number | '',
    },
    validate: { model: filled, user: filled },
  })
  const field = fieldsOf(form, text)
  const input = inputsOf(form, text)
  const submit = form.onSubmit(({ token, maxTokens, ...rest }) =>
    onAsk({ ...rest, token: Number(token), maxTokens: maxTokens === '' ? null : maxTokens }),
  )
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <NativeSelect
          data={tokens.map(({ id, name, group, status }) => ({
            value: String(id),
            label: `${name} · ${group}${status === 'active' ? '' : ` (${text.disabled})`}`,
          }))}
          {...field('token')}
        />
        <Input.Wrapper label={text.protocol} labelElement="div" labelProps={{ id: protocolLabel }}>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-labelledby={protocolLabel}
            data={choicesOf(protocols, text)}
            {...form.getInputProps('protocol')}
          />
        </Input.Wrapper>
        <Autocomplete data={callable(form.values.token).models} limit={50} {...field('model')} />
        {input.lines('system', { maxRows: 8, spellCheck: undefined })}
        {input.lines('user', { minRows: 4, maxRows: 16, spellCheck: undefined })}
        <Group justify="space-between" align="flex-end">
          {input.whole('maxTokens', { min: 1, max: 1_000_000, w: 180 })}
          {input.flag('stream')}
        </Group>
        <Group>
          <Button type="submit" disabled={isAsking}>
            {text.ask}
          </Button>
          <Button variant="default" disabled={!isAsking} onClick={onStop}>
            {text.stop}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
