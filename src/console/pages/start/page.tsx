import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Channel } from '../../../admin/channels/schema.ts'
import type { FirstStep } from '../../../admin/overview/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { Loaded, PageFrame } from '../../parts/page.tsx'
import { AnswerStep } from './answer.tsx'
import type { Listed, Source } from './choice.ts'
import { ModelsStep } from './models.tsx'
import { Step, type StepName, stepNames } from './step.tsx'
import { texts } from './text.ts'
import { VendorStep, type VendorValues } from './vendor.tsx'

/** From nothing to the first answer, in three steps. Goes on where it was left. */
export function Page() {
  const text = useText(texts)
  const { step } = useSearch({ strict: false })
  const begun = useQuery({
    ...{ queryKey: ['start'], queryFn: readBegun, staleTime: Number.POSITIVE_INFINITY, gcTime: 0 },
  })
  return (
    <PageFrame title={text.title} description={text.description}>
      <Loaded query={begun} waiting={<Skeleton height={320} />}>
        {(found) => <Steps key={step} begun={step === 'vendor' ? {} : found} />}
      </Loaded>
    </PageFrame>
  )
}

/** What is there already. */
interface Begun {
  readonly channel?: Pick<Channel, 'id' | 'name'>
  readonly models?: Listed
  readonly isSelling?: boolean
}

async function readBegun(): Promise<Begun> {
  const { steps } = await call(api.admin.overview.get({ query: { days: 1 } }))
  const isDone = (step: FirstStep) => steps.some((one) => one.step === step && one.is_done)
  const { items } = await call(api.admin.channels.get({ query: { page_size: 1 } }))
  const [first] = items
  if (first === undefined) return {}
  if (isDone('group') && isDone('price')) return { channel: first, isSelling: true }
  const channel = await call(api.admin.channels({ id: first.id }).get())
  const missing = await call(api.admin.prices.get({ query: { state: 'missing', page_size: 100 } }))
  const lacking = new Set(missing.items.map(({ model }) => model))
  const known = { input: '', output: '', source: 'vendor' } as const
  const models = channel.models.map(({ id }) => ({ id, price: lacking.has(id) ? null : known }))
  return { channel, models }
}

function Steps({ begun }: { readonly begun: Begun }) {
  const text = useText(texts)
  const navigate = useNavigate()
  const [step, setStep] = useState<StepName>(
    begun.isSelling ? 'answer' : begun.channel ? 'models' : 'vendor',
  )
  const [channel, setChannel] = useState<Source | Pick<Channel, 'id' | 'name'> | undefined>(
    begun.channel,
  )
  const [typed, setTyped] = useState<VendorValues>()
  const [models, setModels] = useState<Listed>(begun.models ?? [])
  const [sold, setSold] = useState<{ group: string; count: number }>()
  const at = stepNames.indexOf(step)
  const reopen = begun.isSelling
    ? { label: text.another, press: () => void navigate({ to: '.', search: { step: 'vendor' } }) }
    : step === 'models' && channel && !('id' in channel)
      ? { label: text.change, press: () => setStep('vendor') }
      : undefined
  const stateOf = (name: StepName) => {
    const place = stepNames.indexOf(name)
    return place === at ? 'open' : place < at ? 'done' : 'later'
  }
  return (
    <Stack maw={900}>
      <Step
        number={1}
        title={text.stepVendor}
        state={stateOf('vendor')}
        summary={channel && text.from(channel.name)}
        // What is made is changed on its own page.
        reopen={reopen}
      >
        <VendorStep
          before={typed}
          found={(source, listed, values) => {
            setTyped(values)
            setChannel(source)
            setModels(listed)
            setStep('models')
          }}
        />
      </Step>
      <Step
        number={2}
        title={text.stepModels}
        state={stateOf('models')}
        summary={sold && text.sells(sold.group, sold.count)}
      >
        {channel && (
          <ModelsStep
            channel={channel}
            models={models}
            built={(group, chosen) => {
              setSold({ group, count: chosen.length })
              setStep('answer')
            }}
          />
        )}
      </Step>
      <Step number={3} title={text.stepAnswer} state={stateOf('answer')}>
        <AnswerStep group={sold?.group} />
      </Step>
    </Stack>
  )
}
