import { Alert, Fieldset, SimpleGrid } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useRef, useState } from 'react'
import type { Channel } from '../../../admin/channels/schema.ts'
import { useText } from '../../lib/language.ts'
import { useAllGroups } from '../../lib/names.ts'
import { useRefresh } from '../../parts/action.tsx'
import { fieldsOf, inputsOf, SendForm } from '../../parts/form.tsx'
import { SuggestInput } from '../../parts/suggest-input.tsx'
import { LongText } from '../../parts/text.tsx'
import { build, type Made } from './build.ts'
import {
  firstTicked,
  isPrice,
  type Listed,
  namesIn,
  pricesOf,
  type Source,
  type Typed,
} from './choice.ts'
import { ModelList } from './model-list.tsx'
import { PriceEntries } from './price-entries.tsx'
import { texts } from './text.ts'

interface ModelsStepProps {
  readonly channel: Source | Pick<Channel, 'id' | 'name'>
  /** What the upstream lists; of a channel that is there already, what it offers. */
  readonly models: Listed
  readonly built: (group: string, models: readonly string[]) => void
}

/** Chooses models, fills in prices, and makes channel, prices and group. */
export function ModelsStep({ channel, models, built }: ModelsStepProps) {
  const text = useText(texts)
  const refresh = useRefresh()
  const isNew = !('id' in channel)
  const [ticked, tick] = useState<ReadonlySet<string>>(
    () => new Set(isNew ? firstTicked(models) : models.map(({ id }) => id)),
  )
  const [typed, type] = useState<Typed>({})
  const [fault, setFault] = useState<string>()
  const made = useRef<Made>({ priced: new Set() })
  const groups = useAllGroups()
  const form = useForm({
    initialValues: { groupName: 'default', multiplier: '1', moreModels: '' },
    validate: {
      groupName: (value) => (value.trim() === '' ? text.needed : null),
      multiplier: (value) => (isPrice(value) ? null : text.badMultiplier),
    },
  })
  const byHand = namesIn(form.values.moreModels)
  const chosen = [...new Set([...ticked, ...byHand])]
  const { prices, lacking, unlisted } = pricesOf(chosen, models, typed)
  const present = groups?.find(({ name }) => name === form.values.groupName.trim())

  async function send({ groupName, multiplier }: typeof form.values): Promise<void> {
    setFault(chosen.length === 0 ? text.tickOne : lacking.length > 0 ? text.badPrice : undefined)
    if (chosen.length === 0 || lacking.length > 0) return
    const group = groupName.trim()
    const wanted = { channel, models: chosen, prices, group, multiplier: multiplier.trim() }
    try {
      await build(wanted, made.current)
    } finally {
      await refresh('channels', 'groups', 'group', 'prices', 'admin', 'open-groups')
    }
    built(group, chosen)
  }

  return (
    <SendForm
      form={form}
      send={send}
      fieldOf={(field) => (field === 'rate_multiplier' ? 'multiplier' : 'groupName')}
      submit={text.create}
      look={{ w: 'fit-content' }}
      noValidate
      below={
        <>
          {fault !== undefined && (
            <Alert color="red" role="alert">
              {fault}
            </Alert>
          )}
          <SoFar made={made.current} isBusy={form.submitting} />
        </>
      }
    >
      {models.length > 0 && <ModelList {...{ models, ticked, tick }} />}
      {isNew &&
        inputsOf(form, text).lines('moreModels', {
          ...{ maxRows: 8, placeholder: 'my-model', required: models.length === 0 },
        })}
      <PriceEntries {...{ models: unlisted, typed, type }} isChecked={fault !== undefined} />
      <Fieldset legend={text.groupTitle}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <SuggestInput
            known={groups?.map(({ name }) => name) ?? []}
            required
            {...fieldsOf(form, text)('groupName')}
          />
          {inputsOf(form, text).line('multiplier', {
            inputMode: 'decimal',
            ...(present && { value: present.rate_multiplier, disabled: true }),
          })}
        </SimpleGrid>
      </Fieldset>
    </SendForm>
  )
}

/** What is stored already when a later part was refused. */
function SoFar({ made, isBusy }: { readonly made: Made; readonly isBusy: boolean }) {
  const text = useText(texts)
  if (made.channel === undefined || made.group !== undefined || isBusy) return null
  const parts = [
    text.partChannel(made.channel.name),
    ...(made.priced.size > 0 ? [text.partPrices(made.priced.size)] : []),
  ]
  return <LongText>{text.soFar(parts.join(', '))}</LongText>
}
