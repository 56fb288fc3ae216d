import {
  Button,
  Checkbox,
  Fieldset,
  Group,
  Stack,
  Text,
  TextInput,
  VisuallyHidden,
} from '@mantine/core'
import { useText } from '../../lib/language.ts'
import { Hint } from '../../parts/text.tsx'
import { isPrice, nothingTyped, type Typed, type TypedPrice } from './choice.ts'
import { texts } from './text.ts'

interface PriceEntriesProps {
  /** Chosen models that no list has a price of. */
  readonly models: readonly string[]
  readonly typed: Typed
  readonly type: (typed: Typed) => void
  /** Marks what is still to be typed. */
  readonly isChecked: boolean
}

/** Fields for the prices that no list has. */
export function PriceEntries({ models, typed, type, isChecked }: PriceEntriesProps) {
  const text = useText(texts)
  if (models.length === 0) return null
  const free = models.map((id) => [id, { ...nothingTyped, isFree: true }] as const)
  return (
    <Fieldset legend={text.priceLacks(models.length)}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Hint flex="1 1 16rem">{text.noPriceHint}</Hint>
          {models.length > 1 && (
            <Button
              size="xs"
              variant="default"
              onClick={() => type({ ...typed, ...Object.fromEntries(free) })}
            >
              {text.allFree}
            </Button>
          )}
        </Group>
        {models.map((id) => (
          <PriceEntry
            key={id}
            id={id}
            price={typed[id] ?? nothingTyped}
            setPrice={(price) => type({ ...typed, [id]: price })}
            isChecked={isChecked}
          />
        ))}
      </Stack>
    </Fieldset>
  )
}

interface PriceEntryProps {
  readonly id: string
  readonly price: TypedPrice
  readonly setPrice: (price: TypedPrice) => void
  readonly isChecked: boolean
}

function PriceEntry({ id, price, setPrice, isChecked }: PriceEntryProps) {
  const text = useText(texts)
  const field = (name: 'input' | 'output', label: string) => (
    <TextInput
      size="xs"
      w={110}
      leftSection="$"
      inputMode="decimal"
      autoComplete="off"
      aria-label={label}
      placeholder={text[name]}
      value={price[name]}
      disabled={price.isFree}
      error={isChecked && !price.isFree && !isPrice(price[name])}
      onChange={({ currentTarget }) => setPrice({ ...price, [name]: currentTarget.value })}
    />
  )
  return (
    <Group gap="xs">
      <Text size="sm" className="cut" flex="1 1 12rem" miw={0}>
        {id}
      </Text>
      {field('input', text.inputOf(id))}
      {field('output', text.outputOf(id))}
      <Checkbox
        size="xs"
        checked={price.isFree}
        onChange={({ currentTarget }) => setPrice({ ...price, isFree: currentTarget.checked })}
        label={
          <>
            <span aria-hidden>{text.free}</span>
            <VisuallyHidden>{text.freeOf(id)}</VisuallyHidden>
          </>
        }
      />
    </Group>
  )
}
