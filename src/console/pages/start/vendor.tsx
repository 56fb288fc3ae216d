import { Alert, Anchor, Button, Group, Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useState } from 'react'
import type { ModelsListed } from '../../../admin/channels/schema.ts'
import { api, call } from '../../lib/api.ts'
import { choicesOf, useText } from '../../lib/language.ts'
import { inputsOf, SendForm } from '../../parts/form.tsx'
import { LongText, SmallHint } from '../../parts/text.tsx'
import { type ProtocolName, protocols, protocolTitles } from '../channels/channel-fields.ts'
import { type Vendor, vendorList } from '../channels/vendors.ts'
import type { Listed, Source } from './choice.ts'
import { reasonOf } from './failure.ts'
import { texts } from './text.ts'

interface VendorStepProps {
  /** What was typed before. */
  readonly before: VendorValues | undefined
  readonly found: (source: Source, models: Listed, typed: VendorValues) => void
}

const other = 'other'
const known: Readonly<Record<string, Vendor>> = vendorList

/** What is typed of a vendor. */
export interface VendorValues {
  vendor: string
  protocol: ProtocolName
  address: string
  isPrivate: boolean
  key: string
}

const nothing: VendorValues = {
  ...{ vendor: 'OpenAI', protocol: 'chat', address: '', isPrivate: false, key: '' },
}

/** Asks for the vendor and its key, and fetches its models. */
export function VendorStep({ before, found }: VendorStepProps) {
  const text = useText(texts)
  const [failed, setFailed] = useState<ModelsListed>()
  const form = useForm<VendorValues>({
    initialValues: before ?? nothing,
    validate: {
      address: (value, { vendor }) =>
        isOpen(vendor) && !/^https?:\/\//i.test(value.trim()) ? text.notAddress : null,
      key: (value) => (value.trim() === '' ? text.needed : null),
    },
  })
  const vendor = known[form.values.vendor]

  function choose(name: string): void {
    const { speaks = {}, isPrivate = false, keyPage } = known[name] ?? {}
    setFailed(undefined)
    form.clearErrors()
    form.setValues({
      ...{ vendor: name, isPrivate },
      address: isOpen(name) ? (Object.values(speaks)[0] ?? '') : '',
      // A server without keys takes any.
      key: keyPage === null ? 'ollama' : '',
    })
  }

  async function send(values: VendorValues): Promise<void> {
    setFailed(undefined)
    const { name: _, quirks: __, ...channel } = sourceOf(values)
    const listed = await call(api.admin['channel-models'].post({ channel }))
    if (listed.ok && listed.models.length > 0) found(sourceOf(values), listed.models, values)
    else setFailed(listed)
  }

  const typeByHand = () => {
    if (!form.validate().hasErrors) found(sourceOf(form.values), [], form.values)
  }

  return (
    <SendForm
      form={form}
      send={send}
      fieldOf={fieldOf}
      submit={text.fetch}
      look={{ w: 'fit-content' }}
      noValidate
      below={failed && <Failure failed={failed} typeByHand={typeByHand} />}
    >
      <Radio.Group label={text.vendor} value={form.values.vendor} onChange={choose}>
        <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs" mt="xs">
          {[...Object.keys(known), other].map((name) => (
            <Radio.Card key={name} value={name} p="sm" radius="md">
              <Group wrap="nowrap" gap="xs">
                <Radio.Indicator size="xs" />
                <Text size="sm">{name === other ? text.other : name}</Text>
              </Group>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
      <Address form={form} vendor={vendor} />
      <Key form={form} vendor={vendor} />
    </SendForm>
  )
}

/** Whose address is written by the operator. */
const isOpen = (vendor: string) => vendor === other || known[vendor]?.isPrivate === true

interface PartProps {
  readonly form: UseFormReturnType<VendorValues>
  readonly vendor: Vendor | undefined
}

function Address({ form, vendor }: PartProps) {
  const text = useText(texts)
  const input = inputsOf(form, text)
  if (!isOpen(form.values.vendor)) {
    const addresses = [...new Set(Object.values(vendor?.speaks ?? {}))]
    return <SmallHint className="cut">{text.asks(addresses.join(', '))}</SmallHint>
  }
  return (
    <Stack gap="sm">
      {vendor === undefined &&
        input.choice('protocol', choicesOf(protocols, protocolTitles), { maw: 400 })}
      {input.line('address', { inputMode: 'url', spellCheck: false, required: true })}
      {input.flag('isPrivate')}
    </Stack>
  )
}

function Key({ form, vendor }: PartProps) {
  const text = useText(texts)
  return (
    <Stack gap={4}>
      {inputsOf(form, text).secret('key', {
        ...{ label: text.keyLabel, autoComplete: 'off', placeholder: vendor?.keyExample },
        description: vendor?.keyPage === null ? text.keyFree : text.keyHint,
      })}
      {vendor?.keyPage && (
        <Anchor size="sm" href={vendor.keyPage} target="_blank" rel="noreferrer" w="fit-content">
          {text.getKey} ↗
        </Anchor>
      )}
    </Stack>
  )
}

interface FailureProps {
  readonly failed: ModelsListed
  readonly typeByHand: () => void
}

/** Why the models did not come, and what to do. */
function Failure({ failed, typeByHand }: FailureProps) {
  const text = useText(texts)
  return (
    <Alert color="red" role="alert" title={text.failTitle}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{text[reasonOf(failed)]}</Text>
        {failed.error && (
          <LongText>
            {text.said} <q lang="en">{failed.error}</q>
          </LongText>
        )}
        <Button size="xs" variant="default" onClick={typeByHand}>
          {text.byHand}
        </Button>
      </Stack>
    </Alert>
  )
}

const fieldOf = (field: string) => (/speaks/.test(field) ? 'address' : 'key')

/** The channel that is described. */
function sourceOf({ vendor, protocol, address, isPrivate, key }: VendorValues): Source {
  const one = known[vendor]
  const own = one ? (Object.keys(one.speaks)[0] ?? 'chat') : protocol
  const base = address.trim()
  return {
    name: vendor === other ? hostOf(base) : vendor.toLowerCase().replaceAll(' ', '-'),
    speaks: isOpen(vendor) ? { [own]: base } : { ...one?.speaks },
    api_keys: [key.trim()],
    allow_private: isPrivate,
    quirks: [...(one?.quirks ?? [])],
  }
}

const hostOf = (address: string) => URL.parse(address)?.hostname ?? 'upstream'
